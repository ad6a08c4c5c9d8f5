"""Output gaps: time in which a key had a record due and put nothing out.

A gap lasts from the later of the key's last output and the record's due time to the output. A key without due records
has no gap.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.aggregates.key_groups import with_key_group
from drrs_jobs.aggregates.over_time import bucket_of


def gaps(latency: DataFrame, since: int, until: int) -> DataFrame:
    """The gap before each output in [since, until]: key, gap_from, gap_to, gap_ms."""
    # Of what was before, only each key's last output matters; so what is sorted is the period and not the run.
    before = latency.where(F.col("out") < since).groupBy("key").agg(F.max("out").alias("out"))
    within = latency.where(F.col("out").between(since, until)).select("key", "out", "due")
    rows = within.unionByName(before.withColumn("due", F.lit(None).cast("long")))
    previous = F.lag("out").over(Window.partitionBy("key").orderBy("out", "due"))
    return (
        rows.withColumn("gap_from", F.greatest("due", F.coalesce(previous, F.col("due"))))
        .where(F.col("due").isNotNull())
        .select("key", "gap_from", F.col("out").alias("gap_to"), (F.col("out") - F.col("gap_from")).alias("gap_ms"))
    )


def longest_gaps(of: DataFrame) -> DataFrame:
    """The longest gap of each key: key, gap_ms, gap_from, gap_to."""
    return (
        of.withColumn("gap", F.struct(F.col("gap_ms").alias("ms"), "gap_from", "gap_to"))
        .groupBy("key")
        .agg(F.max("gap").alias("gap"))
        .select("key", F.col("gap.ms").alias("gap_ms"), "gap.gap_from", "gap.gap_to")
    )


def gaps_of_key_groups(of: DataFrame, max_parallelism: int, bucket_ms: int) -> DataFrame:
    """Per key group and bucket of time the length of the longest gap that touches it: key_group, bucket, gap_ms.

    Keys must be whole numbers, hashed as Java's ``Long``; a key that is none belongs to no key group and is left out.
    """
    first, last = bucket_of("gap_from", bucket_ms), bucket_of("gap_to", bucket_ms)
    touched = of.withColumn("bucket", F.explode(F.sequence(first, last, F.lit(bucket_ms))))
    # Fewer rows first: keys are hashed after that.
    per_key = touched.groupBy("key", "bucket").agg(F.max("gap_ms").alias("gap_ms"))
    return with_key_group(per_key, max_parallelism).groupBy("key_group", "bucket").agg(F.max("gap_ms").alias("gap_ms"))
