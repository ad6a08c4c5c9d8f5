"""What Spark writes as a replay data set is what the generator of the job makes, event for event and byte for byte."""

import os
import subprocess
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest
from pyctl.flink_home import find_java
from pyspark.sql import SparkSession

from drrs_jobs.replay import Replay, write_replay

JOBS = Path(__file__).parents[3] / "build/tested/drrs-nexmark.jar"
WRITER = Path(__file__).parent / "java/JavaReplay.java"
EVENTS = int(os.environ.get("SAME_EVENTS", "20000"))
"""`make same-events` has a million."""

# A part has the events whose number, a split those whose place is so much modulo their count: alike from a multiple on.
MIXED = Replay(EVENTS, parts=3, rate=1_000, seed=7, start_number=12)
BEAM = Replay(max(EVENTS // 10, 1_000), parts=1, rate=7_000, mode="beam")
OTHER_SEED = replace(MIXED, seed=8, events=300)


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All data sets from the job's generator, in folders by the seed; one JVM writes them."""
    folder = tmp_path_factory.mktemp("java")
    arguments = [
        str(one)
        for of in (MIXED, BEAM, OTHER_SEED)
        for one in (folder / str(of.seed), of.mode.upper(), of.seed, of.start_number, of.events, of.parts, of.rate)
    ]
    few = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    subprocess.run([str(find_java()), *few, "-cp", str(JOBS), str(WRITER), *arguments], check=True)
    return folder


def first_difference(one: Path, other: Path) -> str | None:
    """Return where two data sets differ, or None."""
    names = [sorted(path.name for path in folder.glob("part-*")) for folder in (one, other)]
    if names[0] != names[1]:
        return f"parts {names[0]} are not {names[1]}"
    for name in names[0]:
        with (one / name).open("rb") as mine, (other / name).open("rb") as theirs:
            for number, (line, counterpart) in enumerate(zip_longest(mine, theirs), 1):
                if line != counterpart:
                    return f"{name}, line {number}: {line!r} is not {counterpart!r}"
    return None


@pytest.mark.parametrize("replay", [MIXED, BEAM], ids=lambda replay: str(replay.mode))
def test_spark_writes_the_events_of_the_job(spark: SparkSession, tmp_path: Path, java: Path, replay: Replay) -> None:
    written = write_replay(spark, replay, tmp_path)
    assert sum(part.read_bytes().count(b"\n") for part in written.glob("part-*")) == replay.events
    assert first_difference(written, java / str(replay.seed)) is None


def test_another_seed_is_found(java: Path, spark: SparkSession, tmp_path: Path) -> None:
    written = write_replay(spark, replace(OTHER_SEED, seed=MIXED.seed), tmp_path)
    found = first_difference(written, java / str(OTHER_SEED.seed))
    assert found is not None
    assert found.startswith("part-00000.jsonl, line 1: ")
