"""Turn a run's raw records into the figures of a rescale, by the definitions of the evaluation.

``python -m drrs_jobs.measure --run DIR --status status.json --out DIR`` reads ``DIR/latency`` and the status of one or
more rescales (or ``--requested-at``/``--operation-end`` for a restart), and writes ``figures.json`` and
``buckets.jsonl``.

- steady: the outputs of the ``steady_ms`` before the request;
- operation end: the last subscale is done (for a restart: the job runs at the new parallelism);
- re-stable: the first moment after which each 100 ms bucket stays below the limit for ``hold_ms``. The limit is 1.2 x
  the steady peak, or what is given: runs that are compared have to have the same one;
- peak and average: over the outputs from the request to the later of operation end and re-stable.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs import latency as transforms
from drrs_jobs.session import CORES, spark_session

STABLE_FACTOR = 1.2


@dataclass(frozen=True, slots=True)
class Rescale:
    """When a rescale was requested and when its operation ended (None: it has not), epoch milliseconds."""

    label: str
    requested_at: int
    operation_end: int | None

    @classmethod
    def from_status(cls, status: dict[str, Any]) -> Rescale:
        """Read the status document of a rescale (see ``docs/interfaces.md``)."""
        begun = {phase["phase"]: int(phase["at"]) for phase in status["phases"]}
        # The last subscale is done when the rescale goes on from MIGRATING, to RETIRING if there is anything to retire.
        end = begun.get("RETIRING", begun.get("COMPLETED"))
        return cls(str(status["request_id"]), int(status["accepted_at"]), end)


@dataclass(frozen=True, slots=True)
class Windows:
    """Lengths of the periods that are looked at, in milliseconds."""

    steady_ms: int = 20_000
    hold_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one rescale; durations in milliseconds, None if the moment never came."""

    label: str
    requested_at: int
    steady_p99_ms: float
    steady_peak_ms: float
    steady_avg_ms: float
    limit_ms: float
    peak_ms: float | None
    avg_ms: float | None
    operation_ms: int | None
    re_stable_ms: int | None
    held_ms: int | None
    longest_gap_ms: int | None
    longest_gap_key: str | None
    keys_with_gap_over_1s: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """The figures of a run and its latency over time; ``per_core`` is aggregated records per second and core."""

    records: int
    seconds: float
    per_core: float
    figures: tuple[Figures, ...]
    buckets: tuple[dict[str, Any], ...]


def limit_of(spark: SparkSession, runs: Sequence[tuple[Path, Rescale]], windows: Windows) -> float:
    """Return the one limit of runs that are compared: 1.2 x the highest of their steady peaks, in milliseconds.

    Raises ``ValueError`` if a run has no output before its request.
    """
    peaks = []
    for output, rescale in runs:
        records = transforms.read_latency(spark, output)
        first, _, _ = _bounds(records)
        peaks.append(_steady(records, rescale, first, windows)["steady_peak_ms"])
    return float(STABLE_FACTOR * max(peaks))


def measure_run(
    spark: SparkSession,
    output: Path,
    rescales: Sequence[Rescale],
    windows: Windows | None = None,
    limit_ms: float | None = None,
) -> Measurement:
    """Measure the run whose records lie below ``output``; only aggregates come to the driver.

    ``limit_ms`` None: each rescale's own steady peak sets its limit.
    """
    started = time.monotonic()
    records = transforms.read_latency(spark, output).cache()
    buckets = transforms.over_time(records).cache()
    try:
        first, last, total = _bounds(records)
        ordered = sorted(rescales, key=lambda rescale: rescale.requested_at)
        ends = [later.requested_at for later in ordered[1:]] + [last]
        figures = tuple(
            rescale_figures(records, buckets, rescale, first, end, windows or Windows(), limit_ms)
            for rescale, end in zip(ordered, ends, strict=True)
        )
        rows = tuple(row.asDict() for row in buckets.orderBy("bucket").collect())
    finally:
        buckets.unpersist()
        records.unpersist()
    seconds = time.monotonic() - started
    return Measurement(total, round(seconds, 2), round(total / seconds / CORES, 1), figures, rows)


def rescale_figures(
    records: DataFrame,
    buckets: DataFrame,
    rescale: Rescale,
    first: int,
    end: int,
    windows: Windows,
    limit_ms: float | None = None,
) -> Figures:
    """Compute the figures of one rescale in a run with outputs from ``first`` to ``end``.

    Raises ``ValueError`` if there is no output before the request to compare with.
    """
    requested = rescale.requested_at
    before = _steady(records, rescale, first, windows)
    limit = STABLE_FACTOR * before["steady_peak_ms"] if limit_ms is None else limit_ms
    stable = transforms.stable_from(buckets, requested, end, limit, windows.hold_ms).first()
    re_stable = stable["re_stable"] if stable else None
    notes = []
    if stable is None:
        notes.append("not re-stable by the end of the run")
    elif stable["held_ms"] < windows.hold_ms:
        notes.append(f"re-stable held for {stable['held_ms']} ms to the end of the run, not {windows.hold_ms} ms")
    if rescale.operation_end is None:
        notes.append("the operation did not end")
    known = [moment for moment in (re_stable, rescale.operation_end) if moment is not None]
    until = end if stable is None or not known else min(max(known), end)
    within = _row(transforms.during(records, requested, until))
    gaps = transforms.output_gaps(records, requested, until)
    gap = _row(
        gaps.agg(
            F.max(F.struct("gap_ms", "key")).alias("longest"), F.count_if(F.col("gap_ms") > 1_000).alias("over_1s")
        )
    )
    return Figures(
        label=rescale.label,
        requested_at=requested,
        steady_p99_ms=before["steady_p99_ms"],
        steady_peak_ms=before["steady_peak_ms"],
        steady_avg_ms=round(before["steady_avg_ms"], 2),
        limit_ms=round(limit, 1),
        peak_ms=within["peak_ms"],
        avg_ms=None if within["avg_ms"] is None else round(within["avg_ms"], 2),
        operation_ms=None if rescale.operation_end is None else rescale.operation_end - requested,
        re_stable_ms=None if re_stable is None else re_stable - requested,
        held_ms=stable["held_ms"] if stable else None,
        longest_gap_ms=gap["longest"]["gap_ms"] if gap["longest"] else None,
        longest_gap_key=gap["longest"]["key"] if gap["longest"] else None,
        keys_with_gap_over_1s=gap["over_1s"],
        notes=tuple(notes),
    )


def write_measurement(measurement: Measurement, out: Path) -> None:
    """Write ``figures.json`` and ``buckets.jsonl`` into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    figures = asdict(replace(measurement, buckets=()))
    del figures["buckets"]
    (out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    lines = "".join(json.dumps(bucket) + "\n" for bucket in measurement.buckets)
    (out / "buckets.jsonl").write_text(lines, encoding="utf-8")


def _steady(records: DataFrame, rescale: Rescale, first: int, windows: Windows) -> Any:
    requested = rescale.requested_at
    row = _row(transforms.steady(records, max(first, requested - windows.steady_ms), requested))
    if not row["records"]:
        raise ValueError(f"{rescale.label}: no output in the {windows.steady_ms} ms before the request at {requested}")
    return row


def _bounds(records: DataFrame) -> tuple[int, int, int]:
    row = _row(records.agg(F.min("out").alias("first"), F.max("out").alias("last"), F.count("*").alias("records")))
    if not row["records"]:
        raise ValueError("the run has no latency records")
    return row["first"], row["last"], row["records"]


def _row(aggregate: DataFrame) -> Any:
    """Return the one row of an aggregate."""
    row = aggregate.first()
    assert row is not None
    return row


def main(arguments: list[str] | None = None) -> int:
    """Measure one run from the command line and print its figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.measure", description="Measure a run.")
    parser.add_argument("--run", type=Path, required=True, help="output folder of the job")
    parser.add_argument("--status", type=Path, nargs="*", default=[], help="status documents of the run's rescales")
    parser.add_argument("--requested-at", type=int, help="epoch ms of a restart's request, in place of --status")
    parser.add_argument("--operation-end", type=int, help="epoch ms at which the restarted job ran again")
    parser.add_argument("--steady-ms", type=int, default=Windows().steady_ms, help="length of the steady period")
    parser.add_argument("--hold-ms", type=int, default=Windows().hold_ms, help="how long latency must stay low")
    parser.add_argument("--out", type=Path, required=True, help="folder for figures.json and buckets.jsonl")
    given = parser.parse_args(arguments)
    rescales = [Rescale.from_status(json.loads(path.read_text(encoding="utf-8"))) for path in given.status]
    if given.requested_at is not None:
        rescales.append(Rescale("restart", given.requested_at, given.operation_end))
    if not rescales:
        parser.error("give --status or --requested-at")
    spark = spark_session("measure")
    try:
        measurement = measure_run(spark, given.run, rescales, Windows(given.steady_ms, given.hold_ms))
    finally:
        spark.stop()
    write_measurement(measurement, given.out)
    print((given.out / "figures.json").read_text(encoding="utf-8"), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
