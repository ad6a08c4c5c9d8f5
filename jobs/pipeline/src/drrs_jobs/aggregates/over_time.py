"""Latency per bucket of output time."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

BUCKET_MS = 100


def over_time(latency: DataFrame, bucket_ms: int = BUCKET_MS) -> DataFrame:
    """Latency per bucket of output time: bucket, records, p50_ms, p99_ms, max_ms, mean_ms, waiting_ms, worst_ms.

    A bucket without output has null figures, but a ``waiting_ms``: how long the oldest record that is due and not yet
    out has waited at the end of the bucket. ``worst_ms`` is the greater of that and ``max_ms``; with it a stall shows
    while it lasts and not only when it ends.
    """
    # First a row per bucket and latency: few, whatever the number of records; percentiles of those are exact.
    counted = latency.groupBy(bucket_of("out", bucket_ms).alias("bucket"), "latency_ms").agg(
        F.count("*").alias("records"), F.min("due").alias("oldest_due")
    )
    filled = counted.groupBy("bucket").agg(
        F.sum("records").alias("records"),
        F.percentile("latency_ms", F.lit(0.5), F.col("records")).alias("p50_ms"),
        F.percentile("latency_ms", F.lit(0.99), F.col("records")).alias("p99_ms"),
        F.max("latency_ms").alias("max_ms"),
        (F.sum(F.col("latency_ms") * F.col("records")) / F.sum("records")).alias("mean_ms"),
        F.min("oldest_due").alias("oldest_due"),
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


def bucket_of(time: str, bucket_ms: int) -> Column:
    """Return the begin of the bucket that a column of times lies in."""
    return (F.floor(F.col(time) / bucket_ms) * bucket_ms).cast("long")
