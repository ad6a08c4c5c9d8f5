"""Output gaps, per key and per key group."""

import json
from pathlib import Path

import numpy as np
from pyspark.sql import SparkSession

from drrs_jobs.aggregates.gaps import gaps, gaps_of_key_groups, longest_gaps
from drrs_jobs.aggregates.key_groups import flink_owner, key_groups
from drrs_jobs.records.latency import read_latency

T0 = 1_700_000_000_000


def longest(spark: SparkSession, output: Path, since: int, until: int) -> dict[str, int]:
    rows = longest_gaps(gaps(read_latency(spark, output), since, until)).collect()
    return {row["key"]: row["gap_ms"] for row in rows}


def test_a_key_that_had_nothing_due_has_no_gap(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "latency"
    folder.mkdir()
    lines = [
        {"k": "quiet", "s": T0, "o": T0 + 5, "n": 1},
        {"k": "quiet", "s": T0 + 60_000, "o": T0 + 60_007, "n": 2},
        {"k": "stalled", "s": T0, "o": T0 + 5, "n": 1},
        {"k": "stalled", "s": T0 + 10, "o": T0 + 2_005, "n": 2},
        {"k": "stalled", "s": T0 + 20, "o": T0 + 2_006, "n": 3},
    ]
    (folder / "part-0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    gaps = longest(spark, tmp_path, T0, T0 + 99_999)
    assert gaps == {"quiet": 7, "stalled": 1_995}


def test_a_gap_that_begins_before_the_period_counts_from_the_last_output_before_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "latency").mkdir()
    lines = [{"k": "1", "s": T0, "o": T0 + at, "n": 0} for at in (3, 7, 1_000, 1_001, 9_000)]
    (tmp_path / "latency" / "part-0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert longest(spark, tmp_path, T0 + 900, T0 + 2_000) == {"1": 993}
    assert longest(spark, tmp_path, T0 + 1_001, T0 + 2_000) == {"1": 1}


def test_key_groups_are_those_of_flink() -> None:
    """By ``KeyGroupRangeAssignment.assignToKeyGroup`` of Flink 2.3.0."""
    keys = np.array([0, 1, 2, 1_000, 123_456_789_012, -1, -5_000_000_000, 2**63 - 1])
    assert key_groups(keys, 128).tolist() == [94, 86, 127, 7, 123, 94, 23, 108]
    assert key_groups(keys, 256).tolist() == [222, 214, 127, 135, 123, 222, 23, 108]
    assert [flink_owner(group, 3, 128) for group in (0, 42, 43, 85, 86, 127)] == [0, 0, 1, 1, 2, 2]


def test_keys_that_are_no_numbers_are_in_no_key_group(spark: SparkSession) -> None:
    rows = [("1", T0, T0 + 600, 600), ("auction-1", T0, T0 + 10, 10)]
    frame = spark.createDataFrame(rows, "key string, gap_from long, gap_to long, gap_ms long")
    found = gaps_of_key_groups(frame, 128, 500).orderBy("bucket").collect()
    group = int(key_groups(np.array([1]), 128)[0])
    cells = [(row["key_group"], row["bucket"] - T0, row["gap_ms"]) for row in found]
    assert cells == [(group, 0, 600), (group, 500, 600)]
