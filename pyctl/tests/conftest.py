"""Fixtures: a fake JobManager, and a way to run one command line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from command import Cli, Result
from fake_jobmanager import FakeJobManager
from pyctl.cli.main import run

# The machine may be busy with other tests: how long one example takes says nothing.
settings.register_profile("pyctl", deadline=None)
settings.load_profile("pyctl")


@pytest.fixture
def jobmanager() -> Iterator[FakeJobManager]:
    fake = FakeJobManager()
    yield fake
    fake.close()


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run `pyctl ARGS..` in this process, through the very entry point that the console script uses."""
    monkeypatch.delenv("PYCTL_JOBMANAGER", raising=False)

    def call(*arguments: str) -> Result:
        capsys.readouterr()
        code = run(arguments)
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture
def pyctl(cli: Cli, jobmanager: FakeJobManager) -> Cli:
    """Like `cli`, with `-m` of the fake JobManager."""

    def call(command: str, *arguments: str) -> Result:
        return cli(command, "-m", jobmanager.address, *arguments)

    return call
