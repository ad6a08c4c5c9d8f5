"""One job of a test: its start, its rescales, its end, and what must hold of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drrs_jobs.compare import EXACT, compare_rows, folded, query_of, read_results
from drrs_jobs.reference import Query, Row, Rows
from drrs_jobs.waiting import await_until
from harness.cluster import ENDED, Cluster
from harness.limits import LIMIT_S
from harness.workload import Workload, expected
from pyctl import rescaling
from pyctl.execution import Execution
from pyctl.model import Phase, Rescale, Vertex
from pyctl.planning import Manner

CHECKPOINT_MS = 500


ONE_AT_A_TIME = {
    "drrs.strategy.subscale-concurrency": "1", "drrs.strategy.node-concurrency": "1",
    "drrs.strategy.subscale-key-groups": "1", "drrs.strategy.pull-window": "1",
}  # fmt: skip
"""Options of a rescale that takes a while."""


BALLAST_BYTES = 20_000


def ballast(keys: int) -> tuple[str, ...]:
    """Arguments of a job that has state enough: `BALLAST_BYTES` for each of so many keys."""
    return ("--ballast-bytes", str(BALLAST_BYTES), "--preload-keys", str(keys), "--preload-first-key", "100000")


@dataclass(frozen=True)
class JobSpec:
    """A query over a workload; `reference` are options of the query's reference function.

    Unless it is `bounded`, the job stays after the last event and all event time has passed: a rescale that comes late,
    because the machine is busy, still meets a running job. Nothing of a test depends on the pace of the events: what is
    left of them comes at once when the test has done what it has to do while they come (`Job.open`).
    """

    query: str
    parallelism: int
    workload: Workload = field(default_factory=Workload)
    arguments: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    reference: Mapping[str, Any] = field(default_factory=dict)
    unaligned: bool = False
    bounded: bool = False
    checkpoint_ms: int = CHECKPOINT_MS

    def all_arguments(self, output: Path) -> list[str]:
        return [
            "--query", self.query, "--output", str(output), "--parallelism", str(self.parallelism),
            "--checkpoint-interval-ms", str(self.checkpoint_ms), "--start-delay-ms", "300",
            "--unaligned", str(self.unaligned).lower(), "--hold", str(not self.bounded).lower(),
            "--opening-file", str(opening_of(output)), "--hurry", "true",
            *self.workload.arguments(), *self.arguments,
        ]  # fmt: skip


def opening_of(output: Path) -> Path:
    """The file that opens the job which writes there."""
    return output.with_name(f"{output.name}-open")


class Job:
    """A running job. Made by `running`."""

    def __init__(self, cluster: Cluster, spec: JobSpec, job_id: str, output: Path) -> None:
        self.cluster = cluster
        self.spec = spec
        self.id = job_id
        self.output = output
        self._read: dict[str, tuple[tuple[tuple[str, int], ...], Rows]] = {}
        """Rows by query, and of which files."""

    # -- looking -----------------------------------------------------------------------------------------------------

    def state(self) -> str:
        return self.cluster.state(self.id)

    def vertex(self, name: str) -> Vertex:
        """The elastic vertex of this uid or name, as the JobManager sees it now."""
        found = [v for v in self.cluster.client.vertices(self.id).vertices if v.answers_to(name)]
        assert len(found) == 1, f"{len(found)} elastic vertices answer to {name}"
        return found[0]

    def shown(self, vertex_id: str) -> int:
        """The parallelism of a vertex in Flink's own REST, and so in its web UI."""
        details = self.cluster.get(f"/jobs/{self.id}")
        plan = self.cluster.get(f"/jobs/{self.id}/plan")["plan"]
        pages = (details["vertices"], details["plan"]["nodes"], plan["nodes"])
        shown = {int(one["parallelism"]) for page in pages for one in page if one["id"] == vertex_id}
        shown.add(int(self.cluster.get(f"/jobs/{self.id}/vertices/{vertex_id}")["parallelism"]))
        assert len(shown) == 1, f"the pages differ: {shown}"
        return shown.pop()

    def checkpoints(self, status: str) -> list[dict[str, Any]]:
        """Flink's checkpoints with this status, oldest first."""
        history = self.cluster.get(f"/jobs/{self.id}/checkpoints")["history"]
        return sorted((one for one in history if one["status"] == status), key=lambda one: int(one["id"]))

    def await_checkpoint_since(self, at: float) -> None:
        """Wait until a checkpoint has completed that was triggered after this moment (epoch ms)."""
        await_until(
            lambda: any(one["trigger_timestamp"] > at for one in self.checkpoints("COMPLETED")),
            "a checkpoint of afterwards", LIMIT_S,
        )  # fmt: skip

    def exceptions(self) -> list[dict[str, Any]]:
        """What has failed so far."""
        found: list[dict[str, Any]] = self.cluster.get(f"/jobs/{self.id}/exceptions")["exceptionHistory"]["entries"]
        return found

    def attempts(self) -> set[int]:
        """Attempt numbers of all tasks."""
        vertices = self.cluster.get(f"/jobs/{self.id}")["vertices"]
        details = [self.cluster.get(f"/jobs/{self.id}/vertices/{vertex['id']}") for vertex in vertices]
        return {subtask["attempt"] for one in details for subtask in one["subtasks"]}

    def states_of(self, name: str) -> set[str]:
        """Flink's states of the tasks of the vertex that has this in its name."""
        subtasks = self.cluster.get(f"/jobs/{self.id}/vertices/{self._flink_vertex(name)}")["subtasks"]
        return {one["status"] for one in subtasks}

    def _flink_vertex(self, name: str) -> str:
        vertices = self.cluster.get(f"/jobs/{self.id}")["vertices"]
        (vertex,) = [str(one["id"]) for one in vertices if name in one["name"]]
        return vertex

    def rows(self, query: str | None = None) -> Rows:
        """What the job has written so far."""
        if not (self.output / "results").is_dir():
            return Rows()
        name = query or self.spec.query
        sizes = self._sizes()
        if self._read.get(name, ((), Rows()))[0] != sizes:
            self._read[name] = (sizes, read_results(query_of(name), self.output))
        return Rows(self._read[name][1])

    def _sizes(self) -> tuple[tuple[str, int], ...]:
        """Of all files with results, which only grow: what has been read of the same ones is not read again."""
        return tuple((part.name, part.stat().st_size) for part in sorted(self._parts()))

    def _parts(self) -> Iterator[Path]:
        return (self.output / "results").glob("part-*.jsonl")

    def backlog(self, key: int, at: int) -> int:
        """How many rows of `key` were due before and put out after the moment `at` (epoch ms)."""
        count = 0
        for part in (self.output / "latency").glob("part-*.jsonl"):
            for line in part.read_text().splitlines():
                record = json.loads(line)
                count += record["k"].partition("|")[0] == str(key) and record["s"] < at < record["o"]
        return count

    # -- acting ------------------------------------------------------------------------------------------------------

    def await_records(self, vertex: str, records: int, timeout_s: float = LIMIT_S) -> None:
        """Wait until this many records were sent to `vertex` and a checkpoint has completed."""

        def there() -> bool:
            assert not self._ended(), f"the job is {self.state()} too early: {self._faults()}"
            if self.state() != "RUNNING" or not self.checkpoints("COMPLETED"):
                return False
            return sum(subtask.records for subtask in self.vertex(vertex).subtasks) >= records

        await_until(there, f"{records} records at {vertex}", timeout_s, 0.2)

    def await_number(self, key: int, number: int) -> None:
        """Wait until the job has written this many rows of a key; its query has a row a bid."""
        await_until(
            lambda: any(row[0] == key and int(row[self._counter()]) >= number for row in self.rows()),
            f"row {number} of key {key}", LIMIT_S, 0.2,
        )  # fmt: skip

    def await_held_source(self, name: str) -> None:
        """Wait until some subtask of this source is further ahead than watermark alignment lets it be.

        A source that emits no longer, because all it had is emitted, is not held any more.
        """
        vertex = self._flink_vertex(name)
        metric = "watermarkAlignmentDrift"
        path = f"/jobs/{self.id}/vertices/{vertex}/subtasks/metrics"

        def held() -> bool:
            names = [one["id"] for one in self.cluster.get(path)]
            wanted = ",".join(one for one in names if one.endswith(metric))
            return bool(wanted) and any(one["max"] > 0 for one in self.cluster.get(f"{path}?get={wanted}"))

        await_until(held, f"{name} to be held", LIMIT_S, 0.1)

    def _counter(self) -> int:
        query = query_of(self.spec.query)
        assert query.counter is not None
        return query.fields.index(query.counter)

    def rescale(self, vertex: str, parallelism: int, options: Mapping[str, str] | None = None) -> Rescale:
        """Rescale and wait; asserts that it completed, with the least moves, and shows everywhere."""
        execution, manner = Execution(self.cluster.client), Manner(options=dict(options or {}))
        ended = rescaling.rescale(execution, self.id, [(vertex, parallelism)], manner, timeout_s=LIMIT_S)
        status = ended.last
        assert status.phase is Phase.COMPLETED, f"{status.phase}: {status.reason}; {self._faults()}"
        assert status.to_parallelism == parallelism
        assert status.key_groups.moved == status.key_groups.total == status.min_key_groups
        now = self.vertex(vertex)
        assert now.parallelism == parallelism == len(now.active) == len(set(now.placement))
        assert self.shown(now.vertex_id) == parallelism
        assert max(now.placement.count(s) for s in now.active) - min(now.placement.count(s) for s in now.active) <= 1
        return status

    def open(self) -> None:
        """The events that are left come at once, and what waits for this goes on."""
        opening_of(self.output).touch()

    def await_rows(self, query: str | None = None) -> None:
        """Have all events come; wait until the job has written all rows of `query` (None: its own), or has ended.

        Of a query with a counter each row has a number of its own; rows that are written again count once. Of a query
        with folds the rows depend on the run: what they sum up has to be there.
        """
        self.open()
        of = query_of(query or self.spec.query)
        rows = expected(of.name, self.spec.workload, {} if query else self.spec.reference)
        if of.folds:
            wanted = summed(of, rows)
            await_until(
                lambda: summed(of, folded(of, self.rows(of.name))) >= wanted or self._ended(),
                f"rows that sum up to {wanted}", LIMIT_S, 0.3,
            )  # fmt: skip
            return
        count = len(rows)
        if of.counter is not None:
            count = sum(int(row[of.fields.index(of.counter)]) for row in rows)

        def there() -> bool:
            # Lines are counted faster than they are read.
            return self._lines() >= count and len(without_repeated(of, rows, self.rows(of.name))) >= count

        await_until(lambda: there() or self._ended(), f"{count} rows", LIMIT_S, 0.3)

    def _lines(self) -> int:
        return sum(part.read_bytes().count(b"\n") for part in self._parts())

    def _ended(self) -> bool:
        return self.state() in ENDED

    def finish(self) -> None:
        """To the end: all rows are there, and nothing is under way any more that could become one too many."""
        self.open()
        if not self.spec.bounded:
            self.await_rows()
            self.cluster.stop(self.id)
        await_until(self._ended, f"the end of job {self.id}", LIMIT_S)
        assert self.state() == "FINISHED", self._faults()

    # -- judging -----------------------------------------------------------------------------------------------------

    def assert_exact(self, query: str | None = None, **reference: Any) -> None:
        """What was written is what the reference says, each row once."""
        name = query or self.spec.query
        rows = expected(name, self.spec.workload, reference if query else self.spec.reference)
        verdict = compare_rows(query_of(name), rows, self.rows(name))
        assert verdict == EXACT

    def assert_exact_but_repeated(self) -> None:
        """As `assert_exact`, of a job that was restored: rows written past the last checkpoint come again."""
        query = query_of(self.spec.query)
        rows = expected(query.name, self.spec.workload, self.spec.reference)
        verdict = compare_rows(query, rows, without_repeated(query, rows, self.rows()))
        assert verdict == EXACT

    def assert_never_failed(self) -> None:
        """The job has been RUNNING all the time."""
        assert self.exceptions() == [], self._faults()
        left = {s: at for s, at in self.cluster.get(f"/jobs/{self.id}")["timestamps"].items() if at > 0}
        assert not left.keys() & {"FAILING", "RESTARTING", "FAILED"}, left

    def assert_checkpoints_went_on(self, rescales: Sequence[Rescale]) -> None:
        """After the first one no checkpoint has failed, and some have completed after each rescale.

        To be asked before the job ends: its end makes a checkpoint fail that is under way.
        """
        completed = self.checkpoints("COMPLETED")
        first = completed[0]["trigger_timestamp"]
        failed = [one for one in self.checkpoints("FAILED") if one["trigger_timestamp"] > first]
        assert not failed, [self._why(one) for one in failed]
        for rescale in rescales:
            assert rescale.ended_at is not None
            after = [one for one in completed if one["latest_ack_timestamp"] >= rescale.ended_at]
            assert after, f"no checkpoint completed after the rescale to {rescale.to_parallelism}"

    def _why(self, checkpoint: Mapping[str, Any]) -> str:
        details = self.cluster.get(f"/jobs/{self.id}/checkpoints/details/{checkpoint['id']}")
        return f"checkpoint {checkpoint['id']}: {details.get('failure_message')}"

    def _faults(self) -> str:
        return "\n".join(f"{one['taskName']}: {one['stacktrace'][:2000]}" for one in self.exceptions()) or "no failure"


def summed(query: Query, folded_rows: Rows) -> int:
    """The sum over all keys of what a query sums up."""
    at = [query.compared.index(name) for name, fold in query.folds.items() if fold == "sum"]
    return sum(int(row[index]) for row in folded_rows for index in at)


def without_repeated(query: Query, expected_rows: Rows, rows: Rows) -> Rows:
    """Each row once, and each number of a key once.

    What a key's rows hold between the first and the last depends on the order of arrival, so one that comes again may
    differ from the one written before the failure. The last may not: if it does, both are kept.
    """
    if query.counter is None:
        return Rows(rows.keys())
    at = [query.fields.index(name) for name in (*query.key, query.counter)]
    last = {tuple(row[index] for index in at) for row in expected_rows}
    kept: dict[Row, Row] = {}
    for row in rows:
        number = tuple(row[index] for index in at)
        kept[row if number in last else number] = row
    return Rows(kept.values())


@contextmanager
def running(cluster: Cluster, spec: JobSpec, directory: Path, *, alone: bool = True) -> Iterator[Job]:
    """Submit an elastic job that writes below `directory`; it is cancelled at the end, if it still runs.

    `alone`: no other job runs beside it then.
    """
    output = directory / "out"
    # Checkpoints are to fall between key groups that move, unless the test has them held back.
    options = {"drrs.enabled": "true", "drrs.checkpoint.hold": "0 s", **spec.options}
    job = cluster.submit(spec.all_arguments(output), options)
    try:
        yield Job(cluster, spec, job, output)
    finally:
        cluster.end(job, alone=alone)
