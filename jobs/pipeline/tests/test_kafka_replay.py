"""What goes into which partition, and when; a real broker is in `tests/e2e/test_kafka.py`."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from drrs_jobs import kafka_replay
from drrs_jobs.checkout import find_job_jar
from drrs_jobs.kafka_replay import Opening, Topic, preload_keys, write_to_topic
from drrs_jobs.replay import Replay


def test_the_keys_with_state_are_dealt_out_to_partitions_in_turn() -> None:
    replay = Replay(events=10, parts=3, preload_keys=7)
    assert [list(preload_keys(replay, part)) for part in range(3)] == [[0, 3, 6], [1, 4], [2, 5]]


def test_events_wait_for_a_file_from_a_number_on(tmp_path: Path) -> None:
    opening = Opening(str(tmp_path / "open"), 5)
    assert [opening.keeps_back(number) for number in (4, 5)] == [False, True]
    (tmp_path / "open").touch()
    assert not opening.keeps_back(5)


def test_more_partitions_than_slots_and_a_topic_with_records_are_refused(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = spark.sparkContext.defaultParallelism
    topic = Topic("localhost:1", "t")
    with pytest.raises(ValueError, match=f"Spark has {slots} slots: give --master"):
        write_to_topic(spark, Replay(events=9, parts=slots + 1), topic)
    monkeypatch.setattr(Topic, "counts", lambda *_: [0, 3])
    with pytest.raises(ValueError, match="the topic t is not empty"):
        write_to_topic(spark, Replay(events=9, parts=1), topic)


def test_state_that_the_job_does_not_ask_for_ends_the_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Topic, "committed", lambda *_: 3)
    monkeypatch.setattr(kafka_replay, "_PRELOAD_S", 0.0)
    with pytest.raises(RuntimeError, match="the job has read 3 of the 4 records in partition 1 of t"):
        kafka_replay._await_read(Topic("localhost:1", "t"), 1, 4)


def test_what_kafka_needs_and_nobody_has_built_is_said_with_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drrs_jobs.checkout.__file__", str(tmp_path / "checkout.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"drrs-nexmark-kafka.jar is not there: `make kafka` builds it"):
        find_job_jar(kafka=True)
