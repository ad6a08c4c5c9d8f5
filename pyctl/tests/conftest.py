"""Fixtures: a fake JobManager, and a way to run one command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from fake_jobmanager import FakeJobManager
from pyctl.cli.main import run


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error_codes(self) -> list[str]:
        return [error["code"] for error in self.json["errors"]]


Cli = Callable[..., Result]


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
