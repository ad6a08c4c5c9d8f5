"""What ``pyctl bench`` calls; it knows no terminal. Errors that a user can do something about are ``BenchError``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drrs_jobs.checkout import find_job_jar
from drrs_jobs.job_run import JobEndedError
from drrs_jobs.machine import MachineBusyError
from drrs_jobs.records.reading import BadRecordsError
from drrs_jobs.runner import reporting
from drrs_jobs.runner.bench import Bench, Clusters, Listener, WrongOutputError, run_bench
from drrs_jobs.runner.strategies import Strategy, StrategyError, parse_strategies
from drrs_jobs.runner.table import print_found
from drrs_jobs.runs import MOST_BY_OTHERS
from drrs_jobs.workloads.loading import WorkloadError, load, load_all, shipped
from drrs_jobs.workloads.model import Workload

TITLE = "Strategies of rescaling compared"


class BenchError(Exception):
    """What went wrong, a sentence each; ``usage``: nothing was run."""

    def __init__(self, sentences: Sequence[str], *, usage: bool = False) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = tuple(sentences)
        self.usage = usage


def bench_of(
    workloads: Sequence[str],
    strategies: str,
    repeat: int,
    *,
    quick: bool = False,
    others_limit: float = MOST_BY_OTHERS,
    clusters: Clusters = "each",
    trace: Path | None = None,
) -> Bench:
    """Read what is to be run. Raises ``BenchError`` with all faults of workloads and strategies."""
    sentences: list[str] = []
    found: tuple[Workload, ...] = ()
    ways: tuple[Strategy, ...] = ()
    try:
        found = tuple(load_all(workloads, quick=quick, warm=clusters == "kept", trace=trace))
    except WorkloadError as error:
        sentences += error.sentences
    try:
        ways = tuple(parse_strategies(strategies))
    except StrategyError as error:
        sentences += error.sentences
    if sentences:
        raise BenchError([f"{sentence}." for sentence in sentences], usage=True)
    return Bench(found, ways, repeat, others_limit, clusters, tuple(workloads), quick)


def run(
    bench: Bench,
    folder: Path,
    listener: Listener,
    *,
    jar: Path | None = None,
    address: str | None = None,
    kafka: str | None = None,
    refuse_busy: bool = False,
) -> None:
    """Run what the folder does not have yet. Raises ``BenchError``, and what ``pyctl`` raises."""
    with _told():
        found = jar or find_job_jar(kafka=bench.reads_kafka)
        run_bench(bench, folder, found, listener, address=address, kafka=kafka, refuse_busy=refuse_busy)


def report(folder: Path) -> tuple[dict[str, Any], list[Path], reporting.Found]:
    """Measure a folder, write its report, and return figures, the files written, and what can be printed."""
    with _told():
        found = reporting.find(folder)
        document = found.document
        files = reporting.write(found, folder, TITLE, reporting.command(found.bench, folder), document)
        return document, files, found


def show(found: reporting.Found) -> None:
    """Print tables."""
    print_found(found)


def names() -> list[tuple[str, str]]:
    """Return the workloads that come along, with their titles."""
    return [(name, load(name).title) for name in shipped()]


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (
        JobEndedError, MachineBusyError, WrongOutputError, BadRecordsError, TimeoutError, FileNotFoundError,
        RuntimeError, ValueError,
    ) as error:  # fmt: skip
        raise BenchError([f"{str(error).rstrip('.')}."]) from error
