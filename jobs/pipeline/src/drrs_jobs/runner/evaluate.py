"""From what a bench recorded to what is compared: each rescale of each workload, under all strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from drrs_jobs.figures import Measurement, Row
from drrs_jobs.measure import measure_round
from drrs_jobs.quantities import wait_of
from drrs_jobs.rounds import Round
from drrs_jobs.runner import recorded
from drrs_jobs.runner.bench import Bench, Turn
from drrs_jobs.runner.recorded import Recorded, Step
from drrs_jobs.runs import Run
from drrs_jobs.sampler import CPU, MACHINE
from drrs_jobs.session import spark_session
from drrs_jobs.workloads.model import Workload

_METRIC_BUCKET_MS = 1_000
_WAITS = {
    "propagation": "propagation of a subscale",
    "alignment": "alignment of a subscale",
    "turn": "wait of a subscale for its turn",
    "dependency": "dependency of a key group",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One rescale of a workload in each round that has a run of every strategy.

    ``missing`` are runs of the workload that are still to come, told with its first rescale only.
    """

    workload: Workload
    before: int
    after: int
    rounds: tuple[Round, ...]
    recorded: Recorded
    missing: int = 0

    @property
    def title(self) -> str:
        """Which rescale of what."""
        return f"{self.workload.name}, {self.before} -> {self.after}"


def evaluate(bench: Bench, folder: Path) -> list[Comparison]:
    """Measure all complete rounds of a bench. Raises ``ValueError`` if there is none."""
    spark = spark_session("bench", small_data=True)
    try:
        found = [one for workload in bench.workloads for one in _of_workload(spark, bench, workload, folder)]
    finally:
        spark.stop()
    if not found:
        raise ValueError(
            f"{folder} has no round yet in which every strategy has run: `pyctl bench run` goes on with it."
        )
    return found


def _of_workload(spark: SparkSession, bench: Bench, workload: Workload, folder: Path) -> list[Comparison]:
    turns = [turn for turn in bench.turns() if turn.workload == workload]
    done = {(turn.repetition, turn.strategy.label): recorded.read(turn.folder(folder)) for turn in turns}
    measured: list[list[list[Run]]] = []
    first: Recorded | None = None
    for repetition in range(1, bench.repeat + 1):
        # By place and not as they ran: each strategy has the same place in each round.
        these = sorted(
            (turn for turn in turns if turn.repetition == repetition),
            key=lambda turn: bench.strategies.index(turn.strategy),
        )
        runs = [done[repetition, turn.strategy.label] for turn in these]
        whole = [run for run in runs if run is not None]
        if len(whole) < len(these):
            continue
        first = first or next((run for run in whole if run.plugin), whole[0])
        measured.append(_round(spark, bench, workload, these, whole, folder))
    missing = sum(run is None for run in done.values())
    if first is None:
        return []
    return [
        Comparison(
            workload, step.before, step.after, tuple(Round(tuple(run[number] for run in one)) for one in measured),
            first, 0 if number else missing,
        )
        for number, step in enumerate(first.steps)
    ]  # fmt: skip


def _round(
    spark: SparkSession, bench: Bench, workload: Workload, turns: Sequence[Turn], runs: Sequence[Recorded], folder: Path
) -> list[list[Run]]:
    """Measure the runs of a round by one limit: of each run, each of its rescales."""
    rescales = [
        (turn.folder(folder) / "output", [step.rescale for step in run.steps])
        for turn, run in zip(turns, runs, strict=True)
    ]
    measurements = measure_round(
        spark, rescales, workload.windows, workload.operator.key_groups, first_only=workload.windowed
    )
    found = []
    for place, (run, measurement) in enumerate(zip(runs, measurements, strict=True)):
        measured = [_run(run, step, number, place, measurement) for number, step in enumerate(run.steps)]
        found.append([replace(one, others_limit=bench.others_limit) for one in measured])
    return found


def _run(run: Recorded, step: Step, number: int, place: int, measurement: Measurement) -> Run:
    of_step = replace(
        measurement,
        figures=(measurement.figures[number],),
        distributions=(measurement.distributions[number],),
    )
    figures = of_step.figures[0]
    until = max(figures.operation_ms or 0, figures.re_stable_ms or 0)
    return Run(
        name=run.strategy,
        oracle=run.oracle,
        measurement=of_step,
        marks=step.marks,
        state_bytes=run.state_bytes,
        cpu=run.cpu,
        steady_cpu=run.steady_cpu,
        load=run.load,
        place=place,
        busy_before=run.busy_before,
        busy_after=run.busy_after,
        notes=(*run.notes, *step.notes),
        checkpoints=step.checkpoints,
        status=step.status,
        facts=rescale_facts(step.status),
        ownership=step.ownership,
        cpu_s=cpu_beyond_steady(measurement.resources, figures.requested_at, until),
    )


def cpu_beyond_steady(used: Sequence[Row], requested_at: int, length_ms: int) -> float | None:
    """Return the CPU seconds of a cluster's processes in a period beyond what they took as long before.

    Before are the ten seconds up to the request. None if no process was sampled then.
    """
    rows = [row for row in used if row["name"] == CPU and row["of"] != MACHINE]

    def share(begin: int, end: int) -> tuple[float, int]:
        within = [row for row in rows if begin <= row["bucket"] < end]
        return sum(row["mean"] for row in within), len({row["bucket"] for row in within})

    # A bucket's samples are of the second before them.
    begin = requested_at // _METRIC_BUCKET_MS * _METRIC_BUCKET_MS + _METRIC_BUCKET_MS
    buckets = -(-length_ms // _METRIC_BUCKET_MS)
    before, seconds_before = share(begin - 11_000, begin - 1_000)
    within, seconds = share(begin, begin + buckets * _METRIC_BUCKET_MS)
    if not seconds_before or not seconds:
        return None
    return round(within - before / seconds_before * seconds, 2)


def rescale_facts(status: Mapping[str, Any] | None) -> dict[str, str]:
    """Return what the status document of a rescale tells besides its phases."""
    if status is None:
        return {}
    exchange = status["exchange"]
    facts = {
        "state moved": f"{status['bytes']['moved'] / 1e6:,.1f} MB in {status['key_groups']['moved']} key groups",
        "records re-routed / set aside": f"{status['records']['rerouted']:,} / {status['records']['set_aside']:,}",
        "suspension per subtask": ", ".join(f"{n}: {ms} ms" for n, ms in status["suspension_ms"].items()) or "none",
        "peer exchange": f"{exchange['bytes'] / 1e6:,.1f} MB, busy for {exchange['busy_ms']} ms",
    }
    for kind, of in _WAITS.items():
        wait = wait_of(status, kind)
        if wait is not None:
            facts[of] = f"{wait.mean_ms:,.1f} ms, longest {wait.longest_ms:,} ms"
    if exchange["busy_ms"]:
        rate = exchange["bytes"] / 1e3 / exchange["busy_ms"]
        facts["peer exchange"] += f", {rate:,.0f} MB/s"
    return facts
