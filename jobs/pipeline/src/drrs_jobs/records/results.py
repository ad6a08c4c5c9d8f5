"""Result records: what a run has put out, by the fields of its query."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.records.reading import RecordFormat, check, good, read_lines
from drrs_jobs.reference import Query

_TEXT = ("channel", "city", "day", "name", "state", "top")


def result_format(query: Query, text: Iterable[str] = _TEXT) -> RecordFormat:
    """Return the format of records of ``query``: whole numbers, but for ``text`` fields and those that name a kind."""
    kinds = {name: "string" if isinstance(value, str) else "long" for name, value in query.where.items()}
    fields = {name: "string" if name in set(text) else "long" for name in query.fields}
    return RecordFormat("results", kinds | fields)


def read_results(spark: SparkSession, output: Path, query: Query, text: Iterable[str] = _TEXT) -> DataFrame:
    """Read and check the records of a run whose only query is ``query``.

    Raises ``FileNotFoundError`` if the run wrote none, ``BadRecordsError`` if a line has not all of its fields.
    """
    form = result_format(query, text)
    lines = read_lines(spark, output, form)
    check(lines, form)
    records = good(lines)
    for name, value in query.where.items():
        records = records.where(F.col(name) == value)
    return records
