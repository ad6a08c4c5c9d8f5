"""The replay data set holds each event once, where and when its format says, whatever writes it."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from drrs_jobs.generator import BASE_TIME_MS, Bid
from drrs_jobs.replay import Replay, check_replay, read_manifest, write_replay


def test_parts_hold_each_number_once_in_schedule_order(spark: SparkSession, tmp_path: Path) -> None:
    replay = Replay(events=25_001, parts=3, rate=1_000, start_number=10)
    write_replay(spark, replay, tmp_path)
    for part in range(3):
        lines = [json.loads(line) for line in (tmp_path / f"part-{part:05d}.jsonl").read_text().splitlines()]
        assert [line["e"] for line in lines] == [n for n in range(10, 25_011) if n % 3 == part]
        assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "manifest.json", "part-00000.jsonl", "part-00001.jsonl", "part-00002.jsonl",
    ]  # fmt: skip
    assert check_replay(spark, tmp_path) == 25_001
    assert read_manifest(tmp_path) == replay


def test_a_line_has_the_fields_of_its_event_and_no_others(spark: SparkSession, tmp_path: Path) -> None:
    write_replay(spark, Replay(events=60, parts=1, rate=100, mode="beam"), tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "part-00000.jsonl").read_text().splitlines()]
    base = BASE_TIME_MS
    assert lines[0] == {
        "e": 0, "t": 0, "ts": base, "y": "p", "id": 1000, "name": "Peter Jones", "city": "Portland", "state": "WY",
    }  # fmt: skip
    assert lines[4] == {
        "e": 4, "t": 40, "ts": base + 40, "y": "b", "auction": 1000, "bidder": 1001, "price": 32_530_001,
    }  # fmt: skip
    assert lines[1].keys() == {
        "e", "t", "ts", "y", "id", "initialBid", "reserve", "expires", "seller", "category",
    }  # fmt: skip


def test_writing_twice_gives_the_same_bytes_and_leaves_nothing_old(spark: SparkSession, tmp_path: Path) -> None:
    replay = Replay(events=2_000, parts=2)
    write_replay(spark, Replay(events=3_000, parts=5), tmp_path / "b")
    for folder in ("a", "b"):
        write_replay(spark, replay, tmp_path / folder)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    assert not (tmp_path / "b" / "part-00002.jsonl").exists()


def test_the_reference_sees_the_events_that_were_written(spark: SparkSession, tmp_path: Path) -> None:
    replay = Replay(events=1_000, parts=2)
    write_replay(spark, replay, tmp_path)
    written = [json.loads(line) for part in tmp_path.glob("part-*") for line in part.read_text().splitlines()]
    bids = {(e["e"], e["ts"], e["auction"], e["bidder"], e["price"]) for e in written if e["y"] == "b"}
    assert bids == {tuple(event) for event in replay.all_events() if isinstance(event, Bid)}


def test_a_missing_event_is_found(spark: SparkSession, tmp_path: Path) -> None:
    write_replay(spark, Replay(events=1_000, parts=2), tmp_path)
    part = tmp_path / "part-00001.jsonl"
    part.write_text("".join(part.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(ValueError, match="found 999 events"):
        check_replay(spark, tmp_path)


def test_a_manifest_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"version": 2}')
    with pytest.raises(ValueError, match="format version 2"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("bad", [{"events": 0}, {"events": 1, "parts": 0}, {"events": 1, "preload_keys": -1}])
def test_sizes_that_make_no_sense_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        Replay(**bad)
