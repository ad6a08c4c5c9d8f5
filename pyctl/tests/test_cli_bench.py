"""`pyctl bench`: what it says without the package that does it, and how it tells what that does."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pyctl.cli.main import run


class BenchError(Exception):
    """As that of the package."""

    def __init__(self, *sentences: str, usage: bool = False) -> None:
        super().__init__(" ".join(sentences))
        self.sentences, self.usage = sentences, usage


@dataclass
class Turn:
    number: int = 1

    def folder(self, out: Path) -> Path:
        return out / "made/round-1/drrs"

    def __str__(self) -> str:
        return "made, round 1, drrs"


def installed(monkeypatch: pytest.MonkeyPatch, **does: Callable[..., Any]) -> None:
    """A package in place of the real one, in which a bench has one run."""

    def run_it(made: Any, folder: Path, listener: Any, **how: Any) -> None:
        del made, folder, how
        listener.began(Turn(), 1, 90.0)
        listener.said("starting a cluster")
        listener.ended(Turn(), SimpleNamespace(oracle="exact"), 0.0)

    made = SimpleNamespace(turns=lambda: iter([Turn()]))
    parts: dict[str, Any] = {"BenchError": BenchError, "bench_of": lambda *_, **__: made, "run": run_it, **does}
    monkeypatch.setattr(importlib, "import_module", lambda name: SimpleNamespace(**parts, name=name))


def test_without_its_package_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    assert run(["bench", "workloads"]) == 2
    assert "needs the package drrs-jobs, which is not installed here" in capsys.readouterr().err


def test_each_run_is_a_line_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(monkeypatch)
    assert run(["bench", "run", "made", "--out", "out"]) == 0
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        "run 1 of 1: made, round 1, drrs; about 90.0 s left",
        "  starting a cluster",
        "  made, round 1, drrs: output exact",
    ]
    assert told.out == "1 runs are in out; `pyctl bench report out` compares them.\n"


def test_with_json_there_is_one_document_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(monkeypatch)
    assert run(["bench", "run", "made", "--out", "out", "--json"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert json.loads(told.out) == {"folder": "out", "runs": ["out/made/round-1/drrs"]}


def test_faults_of_what_was_given_are_told_together_and_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise BenchError("One.", "Two.", usage=True)

    installed(monkeypatch, bench_of=refuse)
    assert run(["bench", "run", "made", "--out", "out"]) == 2
    assert capsys.readouterr().err == "error: One.\nerror: Two.\n"


def test_a_run_that_fails_ends_with_the_code_for_that(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise BenchError("The output is wrong.")

    installed(monkeypatch, run=fail)
    assert run(["bench", "run", "made", "--out", "out", "--json"]) == 4
    told = json.loads(capsys.readouterr().out)
    assert told == {"errors": [{"code": "BENCH_FAILED", "message": "The output is wrong."}]}


def test_a_report_has_its_figures_and_its_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(monkeypatch, report=lambda _: ({"oracle": "exact"}, [Path("out/report.html")], None))
    assert run(["bench", "report", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"oracle": "exact", "files": ["out/report.html"]}
