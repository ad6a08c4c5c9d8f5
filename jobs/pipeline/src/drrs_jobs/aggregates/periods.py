"""Latency over a period, and when it is steady again."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.aggregates.over_time import BUCKET_MS


def steady(latency: DataFrame, since: int, until: int) -> DataFrame:
    """One row over the outputs in [since, until): records, steady_p99_ms, steady_peak_ms, steady_avg_ms."""
    return latency.where((F.col("out") >= since) & (F.col("out") < until)).agg(
        F.count("*").alias("records"),
        F.percentile("latency_ms", F.lit(0.99)).alias("steady_p99_ms"),
        F.max("latency_ms").alias("steady_peak_ms"),
        F.avg("latency_ms").alias("steady_avg_ms"),
    )


def during(latency: DataFrame, since: int, until: int) -> DataFrame:
    """One row over the outputs in [since, until]: records, peak_ms, avg_ms, p99_ms (null if there are none)."""
    return latency.where(F.col("out").between(since, until)).agg(
        F.count("*").alias("records"),
        F.max("latency_ms").alias("peak_ms"),
        F.avg("latency_ms").alias("avg_ms"),
        F.percentile("latency_ms", F.lit(0.99)).alias("p99_ms"),
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
