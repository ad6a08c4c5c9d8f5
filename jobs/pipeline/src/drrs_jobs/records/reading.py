"""Read JSON lines by a schema. A line that is no record is found, counted and named, and never passed over.

Lines are read as text and parsed by a SQL expression, so that a bad one is still there to be shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

FAULT = "fault"
"""Column of what is wrong with a line: a struct of ``file``, ``line`` and ``lacks``, null for a record."""

_SHOWN = 3
_LONGEST_SHOWN = 120
_TAIL_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """Records below ``folder`` of a run's output: their fields, all of which have to be there, with Spark's types."""

    folder: str
    fields: Mapping[str, str]

    @property
    def schema(self) -> str:
        """The schema as Spark's DDL."""
        return ", ".join(f"{name} {kind}" for name, kind in self.fields.items())


class BadRecordsError(ValueError):
    """Lines that are no records of their format; the message has their number and names the first of them."""


def read_lines(spark: SparkSession, output: Path, form: RecordFormat) -> DataFrame:
    """Return one row a line: the fields of ``form`` and ``fault``.

    Raises ``FileNotFoundError`` if there are no files.
    """
    files = sorted((output / form.folder).glob("part-*.jsonl"))
    if not files:
        raise FileNotFoundError(f"no {form.folder} records in {output / form.folder}")
    lines = spark.read.text([str(file) for file in files]).select(
        "value", F.col("_metadata.file_name").alias("file"), F.from_json("value", form.schema).alias("record")
    )
    # Of two records that ran together in one line, the parser would pass over the second one.
    whole = F.col("value").endswith("}") & ~F.col("value").contains("}{")
    missing = [F.when(F.col(f"record.{name}").isNull(), F.lit(name)) for name in form.fields]
    lacks = F.concat_ws(", ", *missing, F.when(~whole, F.lit("end")))
    fault = F.struct("file", F.col("value").alias("line"), lacks.alias("lacks"))
    bad = (F.length(lacks) > 0) & ~_unfinished(files)
    # What is still being written is no record yet, and is lost if its writer is gone.
    kept = lines.where((F.length(lacks) == 0) | ~_unfinished(files)) if _tails(files) else lines
    return kept.select(*(f"record.{name}" for name in form.fields), F.when(bad, fault).alias(FAULT))


def check(lines: DataFrame, form: RecordFormat) -> None:
    """Raise ``BadRecordsError`` unless each line is a record."""
    row = lines.agg(F.count("*").alias("lines"), F.count(FAULT).alias("bad")).first()
    assert row is not None
    if row["bad"]:
        raise bad_records(lines, form, row["bad"], row["lines"])


def bad_records(lines: DataFrame, form: RecordFormat, bad: int, of: int) -> BadRecordsError:
    """Return the error for lines of which ``bad`` are no records."""
    first = lines.where(F.col(FAULT).isNotNull()).select(f"{FAULT}.*").orderBy("file", "line").limit(_SHOWN).collect()
    shown = "; ".join(f"{row['file']}: {row['line'][:_LONGEST_SHOWN]!r} has no valid {row['lacks']}" for row in first)
    more = "" if bad <= _SHOWN else "; .."
    return BadRecordsError(
        f"{bad:,} of {of:,} lines in {form.folder}/ are no records of the form ({form.schema}): {shown}{more}. "
        "A file was damaged or is of another version: run again."
    )


def good(lines: DataFrame) -> DataFrame:
    """Return the records among the lines, without ``fault``."""
    return lines.where(F.col(FAULT).isNull()).drop(FAULT)


def _unfinished(files: list[Path]) -> Column:
    """Whether a line is the last one of its file and was not written to its end."""
    found = F.lit(False)
    for name, text in _tails(files).items():
        found = found | ((F.col("file") == name) & (F.col("value") == text))
    return found


def _tails(files: list[Path]) -> dict[str, str]:
    """Return by file's name what comes behind the last line break."""
    tails = {}
    for file in files:
        with file.open("rb") as stream:
            stream.seek(max(0, file.stat().st_size - _TAIL_BYTES))
            tail = stream.read().rpartition(b"\n")[2]
        if tail:
            tails[file.name] = tail.decode("utf-8", errors="replace")
    return tails
