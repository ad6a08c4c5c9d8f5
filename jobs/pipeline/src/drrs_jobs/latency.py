"""Transforms over latency records: DataFrame in, DataFrame out, nothing collected.

A record's latency is counted from the time at which the workload's schedule says that it was due, not from when the
source got round to emitting it: a stalled source must not hide a stall. All times are epoch milliseconds.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

BUCKET_MS = 100
_RAW_SCHEMA = "k string, s long, o long, n long"


def read_latency(spark: SparkSession, output: Path) -> DataFrame:
    """Read the raw latency records of a run: key, due, out, n, latency_ms.

    Raises ``FileNotFoundError`` if the run wrote none, and on the first action a Spark error if a line is no record.
    """
    folder = output / "latency"
    if not any(folder.glob("part-*.jsonl")):
        raise FileNotFoundError(f"no latency records in {folder}")
    raw = spark.read.schema(_RAW_SCHEMA).option("mode", "FAILFAST").json(str(folder / "part-*.jsonl"))
    return raw.select(
        F.col("k").alias("key"),
        F.col("s").alias("due"),
        F.col("o").alias("out"),
        F.coalesce("n", F.lit(0)).alias("n"),
        (F.col("o") - F.col("s")).alias("latency_ms"),
    )


def over_time(latency: DataFrame, bucket_ms: int = BUCKET_MS) -> DataFrame:
    """Latency per bucket of output time: bucket, records, p50_ms, p99_ms, max_ms, mean_ms, waiting_ms, worst_ms.

    A bucket without output has null figures, but a ``waiting_ms``: how long the oldest record that is due and not yet
    out has waited at the end of the bucket. ``worst_ms`` is the greater of that and ``max_ms``; with it a stall shows
    while it lasts and not only when it ends.
    """
    filled = (
        latency.groupBy((F.floor(F.col("out") / bucket_ms) * bucket_ms).cast("long").alias("bucket"))
        .agg(
            F.count("*").alias("records"),
            F.percentile("latency_ms", F.lit(0.5)).alias("p50_ms"),
            F.percentile("latency_ms", F.lit(0.99)).alias("p99_ms"),
            F.max("latency_ms").alias("max_ms"),
            F.avg("latency_ms").alias("mean_ms"),
            F.min("due").alias("oldest_due"),
        )
        .alias("filled")
    )
    bounds = filled.agg(F.min("bucket").alias("first"), F.max("bucket").alias("last"))
    every = bounds.select(F.explode(F.sequence("first", "last", F.lit(bucket_ms))).alias("bucket"))
    # From here on there is one row per bucket of the run, so an unpartitioned window is small.
    later = Window.orderBy("bucket").rowsBetween(1, Window.unboundedFollowing)
    joined = every.join(filled, on="bucket", how="left")
    waiting = F.col("bucket") + bucket_ms - F.min("oldest_due").over(later)
    return (
        joined.withColumn("waiting_ms", F.greatest(F.coalesce(waiting, F.lit(0)), F.lit(0)))
        .withColumn("worst_ms", F.greatest(F.coalesce("max_ms", F.lit(0)), "waiting_ms"))
        .withColumn("records", F.coalesce("records", F.lit(0)))
        .drop("oldest_due")
    )


def output_gaps(latency: DataFrame, since: int, until: int) -> DataFrame:
    """Longest output gap per key among outputs in [since, until]: key, gap_ms, gap_from, gap_to.

    A gap is time in which the key had a record due and put nothing out: from the later of its last output and the
    record's due time to the output. A key without due records has no gap.
    """
    before = Window.partitionBy("key").orderBy("out", "due", "n")
    start = F.greatest("due", F.coalesce(F.lag("out").over(before), F.col("due")))
    return (
        latency.withColumn("gap_from", start)
        .where(F.col("out").between(since, until))
        .withColumn("gap", F.struct((F.col("out") - F.col("gap_from")).alias("ms"), "gap_from", "out"))
        .groupBy("key")
        .agg(F.max("gap").alias("gap"))
        .select(
            "key",
            F.col("gap.ms").alias("gap_ms"),
            F.col("gap.gap_from").alias("gap_from"),
            F.col("gap.out").alias("gap_to"),
        )
    )


def steady(latency: DataFrame, since: int, until: int) -> DataFrame:
    """One row over the outputs in [since, until): records, steady_p99_ms, steady_peak_ms, steady_avg_ms."""
    return latency.where((F.col("out") >= since) & (F.col("out") < until)).agg(
        F.count("*").alias("records"),
        F.percentile("latency_ms", F.lit(0.99)).alias("steady_p99_ms"),
        F.max("latency_ms").alias("steady_peak_ms"),
        F.avg("latency_ms").alias("steady_avg_ms"),
    )


def stable_from(buckets: DataFrame, since: int, until: int, limit_ms: float, hold_ms: int) -> DataFrame:
    """At most one row, re_stable and held_ms: the first moment from ``since`` on with ``hold_ms`` of good buckets.

    A bucket is good if its ``worst_ms`` is below ``limit_ms``. If the data end (at ``until``) before ``hold_ms`` are
    over, the good buckets up to the end count; ``held_ms`` then says how long that was.
    """
    bucket_ms = BUCKET_MS
    spark = buckets.sparkSession
    bad = buckets.where(
        (F.col("worst_ms") >= limit_ms) & (F.col("bucket") + bucket_ms > since) & (F.col("bucket") < until)
    ).select("bucket")
    # The moment of the request is a candidate as well: the latency may never have left its limit.
    request = spark.range(1).select(F.lit(since - bucket_ms).cast("long").alias("bucket"))
    ordered = Window.orderBy("bucket").rowsBetween(1, 1)
    end = F.coalesce(F.first("bucket").over(ordered), F.lit(until))
    candidates = (
        request.unionByName(bad)
        .withColumn("last", F.first("bucket").over(ordered).isNull())
        .withColumn("re_stable", F.col("bucket") + bucket_ms)
        .withColumn("held_ms", end - F.col("re_stable"))
    )
    good = (F.col("held_ms") >= hold_ms) | (F.col("last") & (F.col("held_ms") > 0))
    return candidates.where(good).orderBy("re_stable").limit(1).select("re_stable", "held_ms")


def during(latency: DataFrame, since: int, until: int) -> DataFrame:
    """One row over the outputs in [since, until]: records, peak_ms, avg_ms (null if there are none)."""
    return latency.where(F.col("out").between(since, until)).agg(
        F.count("*").alias("records"), F.max("latency_ms").alias("peak_ms"), F.avg("latency_ms").alias("avg_ms")
    )
