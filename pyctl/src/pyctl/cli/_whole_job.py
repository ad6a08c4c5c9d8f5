"""The strategies `restart` and `adaptive` for `plan` and `rescale`: pyctl itself carries them out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.status import Status

from pyctl import adapting, restarting, submission
from pyctl.cli._output import Output
from pyctl.cli._plans import DEFAULT_SUBSCALE_BYTES, BalanceChoice
from pyctl.client import Client
from pyctl.errors import UsageError
from pyctl.job_graph import Operators
from pyctl.report import seconds
from pyctl.whole_job import Change, Course, Ended, documents

STRATEGIES = (restarting.STRATEGY, adapting.STRATEGY)

SubmissionFile = Annotated[
    Path | None,
    typer.Option(
        "--submission",
        metavar="FILE",
        help="Strategy restart: how the job was submitted, JSON with jar, entry_class, arguments and options.",
    ),
]
RestartId = Annotated[
    str | None, typer.Option("--id", metavar="ID", help="Strategy restart: go on with this one, which was interrupted.")
]


@dataclass(frozen=True)
class Wish:
    """What the command line says about such a rescale."""

    strategy: str
    operators: Operators
    options: dict[str, str]
    cause: str | None
    submission: Path | None
    request_id: str | None = None


def is_whole_job(strategy: str) -> bool:
    """Whether pyctl carries this strategy out by a restart of the whole job."""
    return strategy in STRATEGIES


def check_usage(wish: Wish, balance: BalanceChoice, subscale_bytes: int, sample: float) -> None:
    """Raise UsageError for options of the command that only live strategies have, and for those that are missing."""
    restarts = wish.strategy == restarting.STRATEGY
    if balance is not BalanceChoice.COUNT or subscale_bytes != DEFAULT_SUBSCALE_BYTES or sample:
        raise UsageError(f"--balance, --subscale-bytes and --sample have no meaning with --strategy {wish.strategy}.")
    if restarts and wish.submission is None:
        raise UsageError(
            "The strategy restart starts the job again, and Flink does not tell how it was started: give --submission "
            "FILE with its jar, entry_class, arguments and options."
        )
    check_live(wish.strategy, wish.submission if not restarts else None, wish.request_id if not restarts else None)


def check_live(strategy: str, file: Path | None, request_id: str | None) -> None:
    """Raise UsageError for options of `restart` with another strategy."""
    if file is not None or request_id is not None:
        raise UsageError(f"--submission and --id have no meaning with --strategy {strategy}.")


def check(output: Output, client: Client, job_id: str, wish: Wish) -> None:
    """Print what would become of the job; nothing is touched."""
    if wish.strategy == restarting.STRATEGY:
        with _restart(client, job_id, wish) as restart:
            _print_changes(output, job_id, wish, restart.changes)
        return
    _print_changes(output, job_id, wish, _adaption(client, job_id, wish).changes)


def carry_out(output: Output, client: Client, job_id: str, wish: Wish, wait: bool, timeout: float | None) -> None:
    """Rescale, and print how it ended. Raises UsageError for a restart without `wait`: nobody would carry it out."""
    if wish.strategy == restarting.STRATEGY:
        if not wait:
            raise UsageError("pyctl itself carries the strategy restart out: add --wait.")
        with _restart(client, job_id, wish) as restart:
            _say(output, restart.changes)
            output.say(f"restart {restart.request_id} of {job_id}: if this is broken off, --id goes on with it")
            with _Line() as line:
                ended = restarting.restart(client, restart, Course(timeout, line))
        _print_end(output, ended)
        return
    adaption = _adaption(client, job_id, wish)
    _say(output, adaption.changes)
    if not wait:
        client.require(job_id, adaption.requirements)
        output.data({"job_id": job_id, "request_id": None}, [f"the scheduler has the new requirements of {job_id}"])
        return
    with _Line() as line:
        ended = adapting.adapt(client, adaption, Course(timeout, line))
    _print_end(output, ended)


@contextmanager
def _restart(client: Client, job_id: str, wish: Wish) -> Iterator[restarting.Prepared]:
    assert wish.submission is not None
    found = submission.read(wish.submission)
    with restarting.prepared(
        client, job_id, wish.operators, found, options=wish.options, cause=wish.cause, request_id=wish.request_id
    ) as prepared:
        yield prepared


def _adaption(client: Client, job_id: str, wish: Wish) -> adapting.Prepared:
    return adapting.prepare(client, job_id, wish.operators, options=wish.options, cause=wish.cause)


class _Line:
    """The phase that goes on, on stderr, and only if that is a terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._status: Status | None = None

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def entered(self, phase: str) -> None:
        if not self._console.is_terminal:
            return
        if self._status is None:
            self._status = self._console.status(phase)
            self._status.start()
        self._status.update(phase)


def _lines(changes: Sequence[Change]) -> list[str]:
    return [f"{change.label} | parallelism {change.before} -> {change.after}" for change in changes]


def _say(output: Output, changes: Sequence[Change]) -> None:
    if not output.as_json:
        for line in _lines(changes):
            output.say(line)


def _print_changes(output: Output, job_id: str, wish: Wish, changes: Sequence[Change]) -> None:
    document = {"job_id": job_id, "valid": True, "strategy": wish.strategy, "plans": documents(changes)}
    output.data(document, [*_lines(changes), "  the whole job stops and is restored from its state"])


def _print_end(output: Output, ended: Ended) -> None:
    document = ended.document()
    phases = ", ".join(f"{one['phase']} {seconds(one['duration_ms'] / 1000)}" for one in document["phases"])
    lines = [f"{ended.job_id} | {ended.strategy} | COMPLETED | {seconds(ended.duration_ms / 1000)}", f"  {phases}"]
    if ended.savepoint is not None:
        lines.append(f"  from the savepoint {ended.savepoint}")
    output.data(document, [*lines, *(f"  warning: {warning}" for warning in ended.warnings)])
