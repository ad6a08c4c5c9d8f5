"""`bench run|report|workloads`: strategies compared on workloads. What it does is in the package `drrs_jobs`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from pyctl.cli._options import AsJson
from pyctl.cli._output import Output
from pyctl.errors import BenchFailed, Fault, UsageError
from pyctl.report import seconds

app = typer.Typer(no_args_is_help=True, help="Compare strategies of rescaling on workloads.")

_COMMAND = "drrs_jobs.runner.command"
_MISSING = (
    "pyctl bench needs the package drrs-jobs, which is not installed here: in a checkout `make setup`, or "
    "`pip install -e jobs/pipeline`."
)


class Busy(StrEnum):
    """`--busy`."""

    MARK = "mark"
    REFUSE = "refuse"


@app.command()
def run(
    workloads: Annotated[list[str], typer.Argument(metavar="WORKLOAD..", help="Names (see workloads) or files.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the bench; one that is there goes on.")],
    strategies: Annotated[
        str,
        typer.Option("--strategies", metavar="A,B(option=value),..", help="Live ones, restart, adaptive."),
    ] = "drrs,restart",
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Rounds; a ratio takes 5.")] = 1,
    quick: Annotated[bool, typer.Option("--quick", help="The short form of each workload.")] = False,
    busy: Annotated[
        Busy, typer.Option("--busy", help="Runs on a machine with other things to do: mark them, or refuse.")
    ] = Busy.MARK,
    others_limit: Annotated[
        float,
        typer.Option("--others-limit", min=0.0, max=1.0, help="Share of the processors that other programs may take."),
    ] = 0.1,
    keep: Annotated[
        bool, typer.Option("--keep-clusters", help="One cluster for all runs of a workload, which is warmed up first.")
    ] = False,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE", help="Rows of the LiveRec trace, for the workload twitch.")
    ] = None,
    master: Annotated[
        str | None,
        typer.Option("-m", "--jobmanager", metavar="ADDRESS", help="A cluster that is there; else one for each run."),
    ] = None,
    kafka: Annotated[
        str | None,
        typer.Option("--kafka", metavar="HOST:PORT", help="Brokers that are there, for events: kafka; else one."),
    ] = None,
    jar: Annotated[Path | None, typer.Option("--job-jar", metavar="JAR", help="The jobs; else those built.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run workloads under strategies in turn, A B C then B C A, and compare each output with the reference.

    What is recorded stays in DIR, so an interrupted bench goes on with the same command. A wrong output fails it.
    """
    command = _command()
    with _told(command):
        clusters = "given" if master is not None else "kept" if keep else "each"
        bench = command.bench_of(
            workloads,
            strategies,
            repeat,
            quick=quick,
            others_limit=others_limit,
            clusters=clusters,
            trace=trace,
        )
        with _Shown(as_json) as shown:
            command.run(bench, out, shown, jar=jar, address=master, kafka=kafka, refuse_busy=busy is Busy.REFUSE)
    runs = [str(turn.folder(out)) for turn in bench.turns()]
    Output(as_json).data(
        {"folder": str(out), "runs": runs},
        [f"{len(runs)} runs are in {out}; `pyctl bench report {out}` compares them."],
    )


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a bench.")], as_json: AsJson = False
) -> None:
    """Measure the runs of a bench and write report.html, report.md and summary.json into its folder."""
    command = _command()
    with _told(command):
        document, files, found = command.report(folder)
    output = Output(as_json)
    if as_json:
        output.document({**document, "files": [str(file) for file in files]})
        return
    command.show(found)
    output.say(f"wrote {', '.join(str(file) for file in files)}")


@app.command()
def workloads(as_json: AsJson = False) -> None:
    """The workloads that come along."""
    named = _command().names()
    document = {"workloads": [{"name": name, "title": title} for name, title in named]}
    Output(as_json).table(document, ["WORKLOAD", "WHAT IT IS"], [list(one) for one in named])


def _command() -> Any:
    """The package that does it: it measures with Spark, so that not everybody wants it. Raises UsageError."""
    try:
        return importlib.import_module(_COMMAND)
    except ModuleNotFoundError as error:
        raise UsageError(_MISSING) from error


@contextmanager
def _told(command: Any) -> Iterator[None]:
    try:
        yield
    except command.BenchError as error:
        if error.usage:
            raise UsageError(str(error), [Fault(UsageError.code, sentence) for sentence in error.sentences]) from error
        raise BenchFailed(str(error)) from error


class _Shown:
    """How far a bench is: a bar where stderr is a terminal, else a line for each run; nothing with JSON."""

    def __init__(self, as_json: bool) -> None:
        console = Console(stderr=True, highlight=False, markup=False)
        self._silent = as_json
        self._lines = not as_json and not console.is_terminal
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total} runs, {task.fields[left]}: {task.fields[doing]}"),
            TimeElapsedColumn(),
            console=console,
            disable=as_json or not console.is_terminal,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def began(self, turn: Any, of: int, left_s: float) -> None:
        left = f"about {seconds(left_s)} left"
        if self._lines:
            self._console.print(f"run {turn.number} of {of}: {turn}; {left}")
        if self._task is None:
            self._task = self._progress.add_task("bench", total=of, completed=turn.number - 1, left=left, doing="")
        self._progress.update(self._task, description=str(turn), completed=turn.number - 1, left=left)

    def said(self, text: str) -> None:
        if self._lines:
            self._console.print(f"  {text}")
        if self._task is not None:
            self._progress.update(self._task, doing=text)

    def ended(self, turn: Any, run: Any, left_s: float) -> None:
        if self._lines:
            self._console.print(f"  {turn}: output {run.oracle}")
        if self._task is not None:
            self._progress.update(self._task, completed=turn.number, left=f"about {seconds(left_s)} left")
