"""Latency records: a row per output of a run.

A record's latency is counted from the time at which the workload's schedule says that it was due, not from when the
source got round to emitting it: a stalled source must not hide a stall. All times are epoch milliseconds.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.records.reading import FAULT, RecordFormat, check, good, read_lines

LATENCY = RecordFormat("latency", {"k": "string", "s": "long", "o": "long", "n": "long"})


def latency_lines(spark: SparkSession, output: Path) -> DataFrame:
    """Return one row a line, not checked yet: key, due, out, fault. Raises ``FileNotFoundError`` if there are none."""
    lines = read_lines(spark, output, LATENCY)
    return lines.select(F.col("k").alias("key"), F.col("s").alias("due"), F.col("o").alias("out"), FAULT)


def latency_of(lines: DataFrame) -> DataFrame:
    """Return the records among checked lines: key, due, out, latency_ms."""
    return good(lines).withColumn("latency_ms", F.col("out") - F.col("due"))


def first_outputs(latency: DataFrame) -> DataFrame:
    """Return the first output of each key and due time: with sliding windows an event comes out several times."""
    return (
        latency.groupBy("key", "due")
        .agg(F.min("out").alias("out"))
        .withColumn("latency_ms", F.col("out") - F.col("due"))
    )


def read_latency(spark: SparkSession, output: Path) -> DataFrame:
    """Read and check the latency records of a run: key, due, out, latency_ms.

    Raises ``FileNotFoundError`` if the run wrote none, ``BadRecordsError`` if a line is no record.
    """
    lines = latency_lines(spark, output)
    check(lines, LATENCY)
    return latency_of(lines)
