"""A job with operator state and a two-phase sink: every bid gets a number, and is committed once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from drrs_jobs.compare import query_of
from drrs_jobs.waiting import await_until
from harness.job import Job, JobSpec, opening_of
from harness.limits import LIMIT_S
from harness.one_jvm import OneJvmCluster
from harness.workload import Workload, expected

VERTEX = "numbered"
RESTORE = "execution.state-recovery.path"
_NUMBERS = 1_000_000

ALL_PAIRS = ((1, 2, 3, 5, 6, 5, 3, 2, 1), (2, 5, 2))
"""Parallelisms of an operator one after the other; together all pairs of the support matrix."""


@dataclass(frozen=True)
class Counted:
    """One such job.

    `extra` is `union` or `broadcast`. `sink` is `behind`, `chained` or `global`, or Flink's own for files: `files` with
    a file a checkpoint, `open files` with one that stays open until the data ends. The operator state is in the keyed
    operator, or in a `follower` on a FORWARD edge behind it. Bids come for longer than any test rescales, until the job
    is opened.
    """

    parallelism: int
    sink: str = "behind"
    extra: str = ""
    keeper: str = "keyed"
    hold: bool = True
    workload: Workload = field(default_factory=lambda: Workload(events=40_000))
    checkpoint_ms: int = 500
    options: Mapping[str, str] = field(default_factory=lambda: {"drrs.enabled": "true", "drrs.ceiling": "5"})
    savepoint: str = ""


def walking(walk: tuple[int, ...], *, sink: str = "behind", keeper: str = "keyed") -> Counted:
    """A job whose operator may take these parallelisms."""
    return Counted(
        walk[0], sink, keeper=keeper,
        options={"drrs.enabled": "true", "drrs.ceiling": "6"},
    )  # fmt: skip


def walk_id(walk: tuple[int, ...]) -> str:
    """As a test's name has it."""
    return "-".join(str(parallelism) for parallelism in walk)


@dataclass(frozen=True)
class Given:
    """What a subtask was given when it started."""

    numbers: list[int]
    union: list[int]
    broadcast: str


class CountedJob(Job):
    """Such a job while it runs."""

    def __init__(self, cluster: OneJvmCluster, counted: Counted, name: str, job_id: str, output: Path) -> None:
        super().__init__(cluster, JobSpec("count", counted.parallelism, counted.workload), job_id, output)
        self.one_jvm = cluster
        self.name = name

    def numbers(self) -> set[int]:
        """All that must come, as they stand in the list state."""
        return set(self._expected())

    def _expected(self) -> dict[int, str]:
        query = query_of("count")
        key, last = query.fields.index("key"), query.fields.index("n")
        return {
            int(row[key]) * _NUMBERS + n: f"{row[key]},{n}"
            for row in expected("count", self.spec.workload, {})
            for n in range(1, int(row[last]) + 1)
        }

    def committed(self) -> list[str]:
        """The lines of all committed files."""
        return [line for file in self._files("committed") for line in file.read_text().splitlines()]

    def _files(self, phase: str) -> list[Path]:
        folder = self.output / phase
        # Flink hides the files that are being written.
        return sorted(file for file in folder.glob("*") if not file.name.startswith("."))

    def await_numbers(self, count: int) -> None:
        """Wait until so many lines are committed."""
        await_until(lambda: len(self.committed()) >= count, f"{count} committed lines", LIMIT_S)

    def await_all(self) -> None:
        """Have all bids come; wait until every line is committed."""
        self.open()
        self.await_numbers(len(self._expected()))

    def await_checkpoint(self) -> None:
        """Wait until all tasks run and a checkpoint has completed."""
        await_until(lambda: self.state() == "RUNNING" and self.checkpoints("COMPLETED"), "a checkpoint", LIMIT_S)

    def fail_and_come_back(self) -> None:
        """A task fails; wait until the job has been restored and has completed a checkpoint since.

        It goes back to a checkpoint that has what was before the call.
        """
        self.await_checkpoint_since(time.time() * 1000)
        self.one_jvm.forget(self.name)
        self.one_jvm.fail_once(self.name)
        await_until(lambda: not self.one_jvm.has_still_to_fail(self.name), "the failure", LIMIT_S)

        def back() -> bool:
            latest = self.cluster.get(f"/jobs/{self.id}/checkpoints")["latest"]
            restored, completed = latest["restored"], latest["completed"]
            return bool(restored and completed["id"] > restored["id"] and self.state() == "RUNNING")

        await_until(back, "the job to be back", LIMIT_S)

    def given(self) -> dict[int, Given]:
        """What the subtasks were given at their last start, by index."""
        found = {}
        for index, text in self.one_jvm.given(self.name).items():
            numbers, union, broadcast = text.split("|")
            members = [int(one) for one in union.strip("[]").split(", ") if one]
            found[index] = Given([int(one) for one in numbers.split()], sorted(members), broadcast)
        return found

    def assert_committed_once(self, *, failed: bool = False) -> None:
        """Every line is committed exactly once, and no file is left behind.

        A task that `failed` may leave a file that is in no checkpoint: all its lines have come again.
        """
        committed = self.committed()
        assert sorted(committed) == sorted(self._expected().values())
        being_written = [*self._files("pending"), *(self.output / "committed").glob(".*")]
        left = {line for file in being_written for line in file.read_text().splitlines()}
        assert left <= set(committed) if failed else not left


@contextmanager
def counted(cluster: OneJvmCluster, job: Counted, directory: Path) -> Iterator[CountedJob]:
    """Submit it, writing below `directory`; it is cancelled at the end, if it still runs."""
    name = f"counted-{directory.name}-{bool(job.savepoint)}"
    cluster.forget(name)
    given = {
        "name": name, "parallelism": str(job.parallelism), "splits": str(job.workload.splits),
        "seed": str(job.workload.seed), "events": str(job.workload.events), "rate": str(job.workload.rate),
        "checkpoint-ms": str(job.checkpoint_ms), "sink": job.sink, "extra": job.extra,
        "keeper": job.keeper,
        "hold": str(job.hold).lower(), "output": str(directory / "out"),
        "opening": str(opening_of(directory / "out")),
    }  # fmt: skip
    options = {**job.options, **({RESTORE: job.savepoint} if job.savepoint else {})}
    job_id = cluster.submit_counted_bids(given, options)
    try:
        yield CountedJob(cluster, job, name, job_id, directory / "out")
    finally:
        cluster.end(job_id)
