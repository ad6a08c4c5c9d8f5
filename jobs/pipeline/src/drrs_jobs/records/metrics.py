"""Metric records: samples of what a run used, taken while it ran."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from drrs_jobs.records.reading import RecordFormat, check, good, read_lines

METRICS = RecordFormat("metrics", {"t": "long", "name": "string", "of": "string", "v": "double"})


def has_metrics(output: Path) -> bool:
    """Whether the run has metric records."""
    return any((output / METRICS.folder).glob("part-*.jsonl"))


def read_metrics(spark: SparkSession, output: Path) -> DataFrame:
    """Read and check the metric records of a run: t (epoch ms), name, of (whose it is), v.

    Raises ``FileNotFoundError`` if the run wrote none, ``BadRecordsError`` if a line is no record.
    """
    lines = read_lines(spark, output, METRICS)
    check(lines, METRICS)
    return good(lines)
