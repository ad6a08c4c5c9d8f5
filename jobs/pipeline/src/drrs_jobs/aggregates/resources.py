"""What a run used over time, from its metric records."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.aggregates.over_time import bucket_of


def resources(metrics: DataFrame, bucket_ms: int = 1_000) -> DataFrame:
    """Mean and highest value per metric, its owner and bucket of time: name, of, bucket, mean, high, in order."""
    bucket = bucket_of("t", bucket_ms).alias("bucket")
    rows = metrics.groupBy("name", "of", bucket).agg(F.avg("v").alias("mean"), F.max("v").alias("high"))
    return rows.orderBy("name", "of", "bucket")
