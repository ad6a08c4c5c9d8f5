"""One point of ``make bench-scaling``: a job that is rescaled out and in, and what each of its rescales cost."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyctl.client import Client
from pyctl.execution import Execution
from pyctl.local_cluster import LocalCluster
from pyctl.model import Phase, Rescale
from pyctl.planner import Bounds, PlannerOptions
from pyctl.planning import Manner
from pyctl.rescaling import rescale
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs import tail
from drrs_jobs.aggregates.gaps import gaps, longest_gaps
from drrs_jobs.aggregates.over_time import over_time
from drrs_jobs.aggregates.periods import period, stable_from
from drrs_jobs.bench.peak_memory import PeakMemory
from drrs_jobs.bench.process_time import cpu_seconds
from drrs_jobs.bench.scaling_points import BALLAST_BYTES, Point
from drrs_jobs.compare import EXACT, compare_run
from drrs_jobs.figures import STABLE_FACTOR, Row
from drrs_jobs.generator import GeneratorConfig, events
from drrs_jobs.job_run import await_running, has_finished, stop
from drrs_jobs.machine import load_average
from drrs_jobs.records.latency import read_latency
from drrs_jobs.waiting import await_until

RESCALES = 5
"""Out, in, out, in, out: the first on JVMs that have done none, but for what they rehearsed."""
STEADY_MS = 8_000
_LEAST_STEADY_MS = 5_000
_HOLD_MS = 5_000
_TASK_MANAGERS = 3
_REHEARSAL = "drrs.rehearsal"
_ENDS = ("done", "stopped", "failed")
_STATE_LIMIT_S = 300.0
_RESCALE_LIMIT_S = 300.0
_END_LIMIT_S = 300.0
_EVENTS = 200_000
"""More than come before the last rescale ends; what is left comes at once then."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one rescale took. Times in ms, ``cpu_s`` beyond what the job had taken as long just before.

    ``window_p99_ms``: of the records put out from the request to one second after the end. ``mail_p99_ms`` and
    ``mail_longest_ms``: of the kind of work in the owners' mailboxes that took longest; ``gc_longest_ms``: of all JVMs.
    ``messages``: between the JobManager and tasks, both ways. ``re_stable_ms``: from the request until each 100 ms stay
    below 1.2 x the highest latency just before it, for five seconds or until the next request; None: that never came.
    """

    number: int
    to_parallelism: int
    subscales: int
    key_groups: int
    bytes: int
    messages: int
    duration_ms: int
    cpu_s: float
    memory_bytes: int
    steady_p99_ms: float
    window_p99_ms: float
    longest_gap_ms: int
    mail_p99_ms: float
    mail_longest_ms: float
    gc_longest_ms: int
    load_average: float
    re_stable_ms: int | None


@dataclass(frozen=True, slots=True)
class _Seen:
    status: Rescale
    ended_at: int
    cpu_s: float
    memory_bytes: int
    load_average: float


def run(
    point: Point,
    jar: Path,
    folder: Path,
    spark: SparkSession,
    say: Callable[[str], None],
    options: Mapping[str, str] | None = None,
) -> list[Cost]:
    """Run it on a fresh cluster below ``folder``, which is kept if it fails; ``options`` are the job's, beside others.

    Raises ``RuntimeError`` if a rescale does not complete or the output is not exact.
    """
    shutil.rmtree(folder, ignore_errors=True)
    output = folder / "output"
    output.mkdir(parents=True)
    opening = folder / "open"
    slots = -(-point.subtasks[1] // _TASK_MANAGERS)
    network = f"{64 + 8 * max(point.subtasks)}m"
    of_cluster = {
        "taskmanager.memory.process.size": f"{1_200 + 2 * point.state_mb}m",
        "taskmanager.memory.network.min": network,
        "taskmanager.memory.network.max": network,
        "taskmanager.memory.managed.size": "16m",
        "execution.buffer-timeout.interval": "10 ms",
        # Here it is for TaskManagers without a task too, which new subtasks come to.
        _REHEARSAL: (options or {}).get(_REHEARSAL, "true"),
    }
    with LocalCluster(folder / "cluster", task_managers=_TASK_MANAGERS, slots=slots, options=of_cluster) as cluster:
        client = Client(cluster.rest_address)
        elastic = {"drrs.enabled": "true", "drrs.operators": point.query, "drrs.ceiling": str(point.subtasks[1])}
        elastic |= options or {}
        dynamic = [f"-D{name}={value}" for name, value in elastic.items()]
        job = cluster.submit(*dynamic, str(jar), *_arguments(point, output, opening))
        await_running(client, job, {"running count": point.subtasks[0]})
        follow = tail.LatencyTail(output)
        pids = [process.pid for process in cluster.state.processes]

        def running_ms() -> int:
            has_finished(client, job)
            follow.poll()
            return follow.running_ms()

        def let_run(ms: int, what: str) -> None:
            # What came during the rescale before has not been looked at yet.
            wanted = running_ms() + ms
            await_until(lambda: running_ms() >= wanted, what, _STATE_LIMIT_S, 0.2)

        let_run(1, "the first output after the state")
        if of_cluster[_REHEARSAL] == "true":
            # Who rescales does so minutes after the start; one that comes sooner ends it.
            await_until(lambda: _rehearsed(client), "all JVMs to have rehearsed", _STATE_LIMIT_S, 0.5)
        seen = []
        for number in range(1, RESCALES + 1):
            let_run(STEADY_MS, "a steady time")
            seen.append(_rescale(client, job, point, point.subtasks[number % 2], pids))
            say(f"  {number}: {seen[-1].status.duration_ms} ms")
        let_run(STEADY_MS, "what comes after the last")
        opening.touch()
        reference = list(events(GeneratorConfig(mode="mixed", events=_EVENTS, rate=point.rate, seed=42)))
        judge = partial(compare_run, point.query, reference, output, **point.of_query)
        await_until(lambda: judge() == EXACT, "exact output", _END_LIMIT_S, 3.0)
        stop(client, job, folder / "savepoint")
        verdict = judge()
        if verdict != EXACT:
            raise RuntimeError(f"the output of {point} is not exact: {verdict}")
    costs = _costs(spark, output, seen)
    shutil.rmtree(folder)
    return costs


def _rehearsed(client: Client) -> bool:
    overview = client.overview()
    told = [overview.rehearsal, *(tm.rehearsal for tm in overview.task_managers)]
    return all((words or "").startswith(_ENDS) for words in told)


def _arguments(point: Point, output: Path, opening: Path) -> list[str]:
    options = {
        "query": point.query, "output": output.resolve(), "rate": point.rate, "events": _EVENTS,
        "parallelism": point.subtasks[0], "source-parallelism": 2, "max-parallelism": point.key_groups,
        "preload-keys": point.keys, "preload-first-key": 1_000_000, "ballast-bytes": BALLAST_BYTES,
        "service-us": point.service_us, "checkpoint-interval-ms": 5_000, "hold": "true",
        "opening-file": opening.resolve(), "hurry": "true", "serve-until-open": "true",
        **{name.replace("_", "-"): value for name, value in point.of_query.items()},
    }  # fmt: skip
    return [text for name, value in options.items() for text in (f"--{name}", str(value))]


def _rescale(client: Client, job: str, point: Point, parallelism: int, pids: list[int]) -> _Seen:
    idle_since, idle_cpu = time.monotonic(), cpu_seconds(pids)
    time.sleep(2)  # how much the job takes by itself can only be seen by letting time pass
    rate = (cpu_seconds(pids) - idle_cpu) / (time.monotonic() - idle_since)
    memory, since, cpu, load = PeakMemory(pids), time.monotonic(), cpu_seconds(pids), load_average()
    manner = Manner(cause="bench", strategy=point.strategy, options=point.of_strategy)
    planner = PlannerOptions(bounds=Bounds(max_key_groups=point.bound))
    ended = rescale(Execution(client), job, [(point.query, parallelism)], manner, planner, timeout_s=_RESCALE_LIMIT_S)
    took = time.monotonic() - since
    status = ended.last
    if status.phase is not Phase.COMPLETED:
        raise RuntimeError(f"the rescale to {parallelism} of {point} ended as {status.phase}: {status.reason}")
    assert status.ended_at is not None
    return _Seen(status, status.ended_at, cpu_seconds(pids) - cpu - rate * took, memory.bytes(), load)


def _costs(spark: SparkSession, output: Path, seen: list[_Seen]) -> list[Cost]:
    records = read_latency(spark, output).cache()
    try:
        buckets = [row.asDict() for row in over_time(records).collect()]
        last = records.agg(F.max("out").alias("last")).first()
        assert last is not None
        until = [one.status.accepted_at for one in seen[1:]] + [int(last["last"])]
        return [
            _cost(records, buckets, number, one, end)
            for number, (one, end) in enumerate(zip(seen, until, strict=True), 1)
        ]
    finally:
        records.unpersist()


def _cost(records: DataFrame, buckets: Sequence[Row], number: int, seen: _Seen, until: int) -> Cost:
    begin, end = seen.status.accepted_at, seen.ended_at + 1_000
    before = period(records, begin - _LEAST_STEADY_MS, begin - 1)
    within = period(records, begin, end - 1)
    gap = longest_gaps(gaps(records, begin, end)).agg(F.max("gap_ms").alias("longest")).first()
    p99_before, p99_within = before.percentile(0.99), within.percentile(0.99)
    assert before.peak_ms is not None
    assert p99_before is not None
    assert p99_within is not None
    assert gap is not None
    stable = stable_from(buckets, begin, until, STABLE_FACTOR * before.peak_ms, _HOLD_MS)
    status = seen.status
    assert status.duration_ms is not None
    return Cost(
        number, int(status.to_parallelism or 0), status.subscales.total, status.key_groups.moved, status.bytes.moved,
        status.messages, status.duration_ms, round(seen.cpu_s, 2), seen.memory_bytes, p99_before,
        p99_within, int(gap["longest"] or 0),
        max((mail.p99_us for mail in status.mails), default=0) / 1_000,
        max((mail.max_us for mail in status.mails), default=0) / 1_000,
        max((pauses.longest_ms for pauses in status.gc_pauses), default=0), round(seen.load_average, 2),
        None if stable is None else stable[0] - begin,
    )  # fmt: skip
