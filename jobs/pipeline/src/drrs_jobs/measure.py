"""Turn a run's raw records into the figures of a rescale; what they mean is in ``figures``.

``python -m drrs_jobs.measure --run DIR --status status.json --out DIR`` reads ``DIR/latency`` and the status of one or
more rescales (or ``--requested-at``/``--operation-end`` for a restart), and writes ``figures.json`` and
``buckets.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.aggregates.distribution import distribution
from drrs_jobs.aggregates.gaps import gaps, gaps_of_key_groups, longest_gaps
from drrs_jobs.aggregates.over_time import over_time
from drrs_jobs.aggregates.periods import during, stable_from, steady
from drrs_jobs.aggregates.resources import resources
from drrs_jobs.figures import MAX_PARALLELISM, STABLE_FACTOR, Figures, Measurement, Rescale, Row, Windows
from drrs_jobs.records.latency import LATENCY, first_outputs, latency_lines, latency_of
from drrs_jobs.records.metrics import has_metrics, read_metrics
from drrs_jobs.records.reading import FAULT, bad_records
from drrs_jobs.session import CORES, spark_session

GAP_BUCKET_MS = 250
"""Width of a cell of the gaps per key group."""

_GAPS_BEFORE_MS = 5_000


def limit_of(
    spark: SparkSession, runs: Sequence[tuple[Path, Rescale]], windows: Windows, *, first_only: bool = False
) -> float:
    """Return the one limit of runs that are compared: 1.2 x the highest of their steady peaks, in milliseconds.

    ``first_only`` as in ``measure_run``. Raises ``ValueError`` if a run has no output before its request.
    """
    peaks = []
    for output, rescale in runs:
        lines = latency_lines(spark, output)
        first, _, _ = _bounds(lines)
        peaks.append(_steady(_records(lines, first_only), rescale, first, windows)["steady_peak_ms"])
    return float(STABLE_FACTOR * max(peaks))


def measure_run(
    spark: SparkSession,
    output: Path,
    rescales: Sequence[Rescale],
    windows: Windows | None = None,
    limit_ms: float | None = None,
    max_parallelism: int = MAX_PARALLELISM,
    *,
    first_only: bool = False,
) -> Measurement:
    """Measure the run whose records lie below ``output``; only aggregates come to the driver.

    ``limit_ms`` None: each rescale's own steady peak sets its limit. ``first_only``: of several outputs of a key for
    one due time, as sliding windows have, the first one counts. Raises ``BadRecordsError`` if a line of the run's
    files is no record.
    """
    started = time.monotonic()
    lines = latency_lines(spark, output).cache()
    # Grouped once and not for each figure.
    records = _records(lines, first_only).cache() if first_only else _records(lines, first_only)
    buckets = over_time(records).cache()
    try:
        first, last, total = _bounds(lines)
        ordered = sorted(rescales, key=lambda rescale: rescale.requested_at)
        ends = [later.requested_at for later in ordered[1:]] + [last]
        measured = [
            rescale_figures(records, buckets, rescale, first, end, windows or Windows(), limit_ms)
            for rescale, end in zip(ordered, ends, strict=True)
        ]
        figures = tuple(one for one, _ in measured)
        periods = [(one.requested_at, until) for one, until in measured]
        rows = _rows(buckets.orderBy("bucket"))
        distributions = tuple(_rows(distribution(records, *period)) for period in periods)
        around = gaps(records, periods[0][0] - _GAPS_BEFORE_MS, periods[-1][1] + _GAPS_BEFORE_MS)
        of_key_groups = _rows(gaps_of_key_groups(around, max_parallelism, GAP_BUCKET_MS).orderBy("key_group", "bucket"))
    finally:
        buckets.unpersist()
        records.unpersist()
        lines.unpersist()
    seconds = time.monotonic() - started
    used = _rows(resources(read_metrics(spark, output))) if has_metrics(output) else ()
    return Measurement(
        total, round(seconds, 2), round(total / seconds / CORES, 1), figures, rows, distributions, of_key_groups, used
    )


def rescale_figures(
    records: DataFrame,
    buckets: DataFrame,
    rescale: Rescale,
    first: int,
    end: int,
    windows: Windows,
    limit_ms: float | None = None,
) -> tuple[Figures, int]:
    """Compute the figures of one rescale in a run with outputs from ``first`` to ``end``, and until when they are.

    Raises ``ValueError`` if there is no output before the request to compare with.
    """
    requested = rescale.requested_at
    before = _steady(records, rescale, first, windows)
    limit = STABLE_FACTOR * before["steady_peak_ms"] if limit_ms is None else limit_ms
    stable = stable_from(buckets, requested, end, limit, windows.hold_ms).first()
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
    within = _row(during(records, requested, until))
    gap = _row(
        longest_gaps(gaps(records, requested, until)).agg(
            F.max(F.struct("gap_ms", "key")).alias("longest"), F.count_if(F.col("gap_ms") > 1_000).alias("over_1s")
        )
    )
    figures = Figures(
        label=rescale.label,
        requested_at=requested,
        steady_p99_ms=before["steady_p99_ms"],
        steady_peak_ms=before["steady_peak_ms"],
        steady_avg_ms=round(before["steady_avg_ms"], 2),
        limit_ms=round(limit, 1),
        peak_ms=within["peak_ms"],
        avg_ms=None if within["avg_ms"] is None else round(within["avg_ms"], 2),
        p99_ms=within["p99_ms"],
        operation_ms=None if rescale.operation_end is None else rescale.operation_end - requested,
        re_stable_ms=None if re_stable is None else re_stable - requested,
        held_ms=stable["held_ms"] if stable else None,
        longest_gap_ms=gap["longest"]["gap_ms"] if gap["longest"] else None,
        longest_gap_key=gap["longest"]["key"] if gap["longest"] else None,
        keys_with_gap_over_1s=gap["over_1s"],
        notes=tuple(notes),
    )
    return figures, until


def write_measurement(measurement: Measurement, out: Path) -> None:
    """Write ``figures.json`` and ``buckets.jsonl`` into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    figures = asdict(replace(measurement, buckets=(), distributions=(), key_group_gaps=(), resources=()))
    for rows in ("buckets", "distributions", "key_group_gaps", "resources"):
        del figures[rows]
    (out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    lines = "".join(json.dumps(bucket) + "\n" for bucket in measurement.buckets)
    (out / "buckets.jsonl").write_text(lines, encoding="utf-8")


def _records(lines: DataFrame, first_only: bool) -> DataFrame:
    records = latency_of(lines)
    return first_outputs(records) if first_only else records


def _steady(records: DataFrame, rescale: Rescale, first: int, windows: Windows) -> Any:
    requested = rescale.requested_at
    row = _row(steady(records, max(first, requested - windows.steady_ms), requested))
    if not row["records"]:
        raise ValueError(f"{rescale.label}: no output in the {windows.steady_ms} ms before the request at {requested}")
    return row


def _bounds(lines: DataFrame) -> tuple[int, int, int]:
    """Return first and last output and the number of records of lines, all of which have to be records."""
    row = _row(
        lines.agg(
            F.min("out").alias("first"),
            F.max("out").alias("last"),
            F.count("*").alias("lines"),
            F.count(FAULT).alias("bad"),
        )
    )
    if row["bad"]:
        raise bad_records(lines, LATENCY, row["bad"], row["lines"])
    if not row["lines"]:
        raise ValueError("the run has no latency records")
    return row["first"], row["last"], row["lines"]


def _row(aggregate: DataFrame) -> Any:
    """Return the one row of an aggregate."""
    row = aggregate.first()
    assert row is not None
    return row


def _rows(aggregate: DataFrame) -> tuple[Row, ...]:
    return tuple(row.asDict() for row in aggregate.collect())


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
