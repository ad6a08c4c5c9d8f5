"""`pyctl` as a user runs it, in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from pyctl.cli.main import run
from pyctl.errors import ExitCode


@dataclass(frozen=True)
class Output:
    """Exit code and output of one command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What `--json` printed."""
        return json.loads(self.out)

    def refusals(self) -> list[str]:
        """The sentences of a refusal; asserts that there is nothing but them."""
        assert self.code == ExitCode.REFUSED, self
        assert self.out == ""
        lines = self.err.splitlines()
        assert lines
        assert all(line.startswith("error: ") for line in lines), self.err
        return [line.removeprefix("error: ") for line in lines]


class Pyctl:
    """Runs `pyctl COMMAND -m ADDRESS ARGUMENTS..` through the entry point of the console script."""

    def __init__(self, address: str, capture: pytest.CaptureFixture[str]) -> None:
        self._address = address
        self._capture = capture

    def __call__(self, command: str, *arguments: str) -> Output:
        self._capture.readouterr()
        code = run([command, "-m", self._address, *arguments])
        return Output(code, *self._capture.readouterr())


# Packages whose classes no user knows.
PLUG_IN = ("dev.drrs.protocol", "dev.drrs.runtime", "dev.drrs.instrumentation")


def assert_plain(sentence: str) -> None:
    """One sentence for people: no class name but one of the job, no stack trace.

    It is short but for a list of what there is to choose from, which is as long as that is.
    """
    assert "\n" not in sentence
    assert sentence.endswith("."), sentence
    assert len(sentence.partition("; it has ")[0]) < 450, sentence
    assert not any(sign in sentence for sign in ("Exception", "\tat ", "java.", *PLUG_IN)), sentence
