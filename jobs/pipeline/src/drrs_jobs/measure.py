"""Turn a run's raw records into the figures of a rescale; what they mean is in ``figures``.

``python -m drrs_jobs.measure --run DIR --status status.json --out DIR`` reads ``DIR/latency`` and the status of one or
more rescales (or ``--requested-at``/``--operation-end`` for a restart), and writes ``figures.json`` and
``buckets.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.aggregates.gaps import gaps, gaps_of_key_groups, longest_gaps
from drrs_jobs.aggregates.over_time import over_time
from drrs_jobs.aggregates.periods import Period, period, stable_from
from drrs_jobs.aggregates.resources import resources
from drrs_jobs.figures import MAX_PARALLELISM, STABLE_FACTOR, Figures, Measurement, Rescale, Row, Windows
from drrs_jobs.records.latency import LATENCY, first_outputs, latency_lines, latency_of
from drrs_jobs.records.metrics import has_metrics, read_metrics
from drrs_jobs.records.reading import FAULT, bad_records
from drrs_jobs.session import CORES, spark_session

GAP_BUCKET_MS = 250
"""Width of a cell of the gaps per key group."""

_GAPS_BEFORE_MS = 5_000


def measure_round(
    spark: SparkSession,
    runs: Sequence[tuple[Path, Sequence[Rescale]]],
    windows: Windows | None = None,
    max_parallelism: int = MAX_PARALLELISM,
    *,
    first_only: bool = False,
) -> list[Measurement]:
    """Measure runs that are compared, each with its rescales, by one limit: 1.2 x the highest of their steady peaks.

    Those are of the time before each run's first rescale. As many runs as there are cores are measured at a time: with
    few records most of it is planning, which keeps one core busy. Raises as ``measure_run`` does.
    """
    wanted = windows or Windows()
    with ExitStack() as stack, ThreadPoolExecutor(CORES) as pool:
        opened = [stack.enter_context(_Records(spark, *run, first_only=first_only, cores=1)) for run in runs]
        limit = STABLE_FACTOR * max(pool.map(lambda run: _first_peak(run, wanted), opened))
        return list(pool.map(lambda run: _measured(run, wanted, limit, max_parallelism), opened))


def measure_run(
    spark: SparkSession,
    output: Path,
    rescales: Sequence[Rescale],
    windows: Windows | None = None,
    max_parallelism: int = MAX_PARALLELISM,
    *,
    first_only: bool = False,
) -> Measurement:
    """Measure the run whose records lie below ``output``; only aggregates come to the driver.

    Each rescale's own steady peak sets its limit. ``first_only``: of several outputs of a key for one due time, as
    sliding windows have, the first one counts. Raises ``BadRecordsError`` if a line of the run's files is no record,
    ``ValueError`` if there is no output before a request to compare with.
    """
    with _Records(spark, output, rescales, first_only=first_only, cores=CORES) as records:
        return _measured(records, windows or Windows(), None, max_parallelism)


class _Records:
    """A run's records while they are measured: read once, and kept until then. Checked when it is known when they are.

    ``cores`` work on it. Only one thread may use it at a time.
    """

    def __init__(
        self, spark: SparkSession, output: Path, rescales: Sequence[Rescale], *, first_only: bool, cores: int
    ) -> None:
        self.output, self.spark, self.cores, self.busy_s = output, spark, cores, 0.0
        self.rescales = sorted(rescales, key=lambda rescale: rescale.requested_at)
        self._lines = latency_lines(spark, output).cache()
        records = latency_of(self._lines)
        # Grouped once and not for each figure.
        self.latency = first_outputs(records).cache() if first_only else records
        self._steady: dict[int, Period] = {}

    @cached_property
    def bounds(self) -> tuple[int, int, int]:
        """First and last output and the number of records."""
        return _bounds(self._lines)

    def steady(self, since: int, until: int) -> Period:
        """Return the outputs in [since, until), which are asked for more than once."""
        self.bounds  # noqa: B018 - lines that are no records are told before any figure
        if since not in self._steady:
            self._steady[since] = period(self.latency, since, until - 1)
        return self._steady[since]

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the time within as taken by this run."""
        began = time.monotonic()
        yield
        self.busy_s += time.monotonic() - began

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.latency.unpersist()
        self._lines.unpersist()


def _first_peak(run: _Records, windows: Windows) -> int:
    with run.timed():
        return _steady(run, run.rescales[0], windows).peak_ms or 0


def _measured(run: _Records, windows: Windows, limit_ms: float | None, max_parallelism: int) -> Measurement:
    with run.timed():
        _, last, total = run.bounds
        buckets = _rows(over_time(run.latency).orderBy("bucket"))
        ends = [later.requested_at for later in run.rescales[1:]] + [last]
        begun = [
            _begun(run, buckets, rescale, end, windows, limit_ms)
            for rescale, end in zip(run.rescales, ends, strict=True)
        ]
        around = gaps(run.latency, begun[0].requested_at - _GAPS_BEFORE_MS, begun[-1].until + _GAPS_BEFORE_MS).cache()
        try:
            measured = [_figures(run, one, around) for one in begun]
            groups = gaps_of_key_groups(around, max_parallelism, GAP_BUCKET_MS).orderBy("key_group", "bucket")
            of_key_groups = _rows(groups)
        finally:
            around.unpersist()
    used = _rows(resources(read_metrics(run.spark, run.output))) if has_metrics(run.output) else ()
    return Measurement(
        total, round(run.busy_s, 2), round(total / run.busy_s / run.cores, 1), tuple(one for one, _ in measured),
        buckets, tuple(distribution for _, distribution in measured), of_key_groups, used,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Begun:
    """A rescale of which it is known until when its figures are."""

    rescale: Rescale
    before: Period
    limit_ms: float
    stable: tuple[int, int] | None
    until: int
    hold_ms: int

    @property
    def requested_at(self) -> int:
        return self.rescale.requested_at


def _begun(
    run: _Records, buckets: Sequence[Row], rescale: Rescale, end: int, windows: Windows, limit_ms: float | None
) -> _Begun:
    before = _steady(run, rescale, windows)
    limit = STABLE_FACTOR * (before.peak_ms or 0) if limit_ms is None else limit_ms
    stable = stable_from(buckets, rescale.requested_at, end, limit, windows.hold_ms)
    known = [moment for moment in (stable and stable[0], rescale.operation_end) if moment is not None]
    until = end if stable is None or not known else min(max(known), end)
    return _Begun(rescale, before, limit, stable, until, windows.hold_ms)


def _figures(run: _Records, of: _Begun, around: DataFrame) -> tuple[Figures, tuple[Row, ...]]:
    """Return the figures of a rescale and how its latencies are distributed; its gaps are among those ``around``."""
    rescale, requested = of.rescale, of.requested_at
    re_stable, held_ms = of.stable or (None, None)
    notes = []
    if held_ms is None:
        notes.append("not re-stable by the end of the run")
    elif held_ms < of.hold_ms:
        notes.append(f"re-stable held for {held_ms} ms to the end of the run, not {of.hold_ms} ms")
    if rescale.operation_end is None:
        notes.append("the operation did not end")
    within = period(run.latency, requested, of.until)
    gap = _row(
        longest_gaps(around.where(F.col("gap_to").between(requested, of.until))).agg(
            F.max(F.struct("gap_ms", "key")).alias("longest"), F.count_if(F.col("gap_ms") > 1_000).alias("over_1s")
        )
    )
    steady_p99, steady_peak, steady_mean = of.before.percentile(0.99), of.before.peak_ms, of.before.mean_ms
    assert steady_p99 is not None
    assert steady_peak is not None
    assert steady_mean is not None
    figures = Figures(
        label=rescale.label,
        requested_at=requested,
        steady_p99_ms=steady_p99,
        steady_peak_ms=steady_peak,
        steady_avg_ms=round(steady_mean, 2),
        limit_ms=round(of.limit_ms, 1),
        peak_ms=within.peak_ms,
        avg_ms=None if within.mean_ms is None else round(within.mean_ms, 2),
        p99_ms=within.percentile(0.99),
        operation_ms=None if rescale.operation_end is None else rescale.operation_end - requested,
        re_stable_ms=None if re_stable is None else re_stable - requested,
        held_ms=held_ms,
        longest_gap_ms=gap["longest"]["gap_ms"] if gap["longest"] else None,
        longest_gap_key=gap["longest"]["key"] if gap["longest"] else None,
        keys_with_gap_over_1s=gap["over_1s"],
        notes=tuple(notes),
    )
    return figures, within.distribution()


def write_measurement(measurement: Measurement, out: Path) -> None:
    """Write ``figures.json`` and ``buckets.jsonl`` into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    figures = asdict(replace(measurement, buckets=(), distributions=(), key_group_gaps=(), resources=()))
    for rows in ("buckets", "distributions", "key_group_gaps", "resources"):
        del figures[rows]
    (out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    lines = "".join(json.dumps(bucket) + "\n" for bucket in measurement.buckets)
    (out / "buckets.jsonl").write_text(lines, encoding="utf-8")


def _steady(run: _Records, rescale: Rescale, windows: Windows) -> Period:
    requested = rescale.requested_at
    found = run.steady(requested - windows.steady_ms, requested)
    if not found.counted:
        raise ValueError(f"{rescale.label}: no output in the {windows.steady_ms} ms before the request at {requested}")
    return found


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
