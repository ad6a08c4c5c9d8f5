"""Write the events of a replay data set to a Kafka topic, each when it is due: partition i has what part i has.

``python -m drrs_jobs.kafka_replay --kafka HOST:PORT --events N --parts P --rate R``. A record's value is the line that
the part's file would have, byte for byte; its time stamp is the wall clock at which the event is due. It is written
at that time and never before. Partitions are written by one Spark task each, all at once (a barrier stage), so the
master needs as many slots.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import orjson
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession

from drrs_jobs.generator import BASE_TIME_MS, Mode
from drrs_jobs.replay import Replay, replay_frame
from drrs_jobs.session import spark_session

_ANSWER_S = 30.0
_PRELOAD_S = 180.0
_LOOK_MS = 50


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of a Kafka; ``kafka`` is what Kafka calls bootstrap servers."""

    kafka: str
    name: str = "nexmark"

    def create(self, partitions: int) -> None:
        """Make it. Raises ``ValueError`` if there is one of that name: what is in it would be read too."""
        admin = self._admin()
        # Nothing of it goes before it has been read, whatever the broker does with others.
        new = NewTopic(self.name, partitions, 1, config={"retention.ms": "-1"})
        try:
            admin.create_topics([new], operation_timeout=_ANSWER_S)[self.name].result(_ANSWER_S)
        except KafkaException as error:
            if error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
                raise ValueError(f"the topic {self.name} is there already: give another name, or delete it") from error
            raise ValueError(f"the topic {self.name} could not be made at {self.kafka}: {error}") from error
        except TimeoutError as error:
            raise ValueError(f"nobody answers as Kafka at {self.kafka} within {_ANSWER_S:g} s") from error

    def delete(self) -> None:
        """Remove it with all that is in it."""
        admin = self._admin()
        admin.delete_topics([self.name], operation_timeout=_ANSWER_S)[self.name].result(_ANSWER_S)

    def counts(self, partitions: int) -> list[int]:
        """Return how many records each partition has."""
        consumer = self._consumer()
        try:
            return [
                consumer.get_watermark_offsets(TopicPartition(self.name, number), timeout=_ANSWER_S)[1]
                for number in range(partitions)
            ]
        finally:
            consumer.close()

    def committed(self, *partitions: int) -> int:
        """Return how much of partitions the job has read, by its last checkpoint; its group is called as the topic."""
        consumer = self._consumer()
        try:
            asked = [TopicPartition(self.name, number) for number in partitions]
            return sum(max(int(found.offset), 0) for found in consumer.committed(asked, timeout=_ANSWER_S))
        finally:
            consumer.close()

    def _admin(self) -> AdminClient:
        # No mere information: what it says goes to standard error, between what a bench says.
        return AdminClient({"bootstrap.servers": self.kafka, "log_level": 5})

    def _consumer(self) -> Consumer:
        return Consumer({"bootstrap.servers": self.kafka, "group.id": self.name, "enable.auto.commit": False})


@dataclass(frozen=True, slots=True)
class Opening:
    """Events from number ``wait_from`` on come when ``file`` is there: how the outside says that a run may end."""

    file: str
    wait_from: int

    def keeps_back(self, number: int) -> bool:
        """Whether this event has to wait still."""
        return number >= self.wait_from and not os.path.exists(self.file)


def write_to_topic(
    spark: SparkSession,
    replay: Replay,
    topic: Topic,
    start_delay_s: float = 1.0,
    opening: Opening | None = None,
) -> int:
    """Write all of it, which takes as long as the schedule; return when that began, in epoch milliseconds.

    With ``replay.preload_keys`` what makes their state comes first, and the schedule begins once a checkpoint of the
    job says that it has been read. Raises ``ValueError`` if the topic is not empty or afterwards has not all of it.
    """
    slots = spark.sparkContext.defaultParallelism
    if slots < replay.parts:
        raise ValueError(
            f"{replay.parts} partitions are written at the same time and Spark has {slots} slots: give --master local"
            f"[{replay.parts}], or fewer --parts"
        )
    if any(topic.counts(replay.parts)):
        raise ValueError(f"the topic {topic.name} is not empty")
    lines = replay_frame(spark, replay).toJSON()
    epochs = lines.barrier().mapPartitions(partial(_write, replay, topic, start_delay_s, opening)).collect()
    found = topic.counts(replay.parts)
    expected = [len(preload_keys(replay, part)) + len(replay.numbers(part)) for part in range(replay.parts)]
    if found != expected:
        raise ValueError(f"the partitions of {topic.name} have {found} records, and not {expected}")
    return int(epochs[0])


def preload_keys(replay: Replay, part: int) -> range:
    """Return the keys whose state is asked for in a part."""
    return range(part, replay.preload_keys, replay.parts)


def _write(
    replay: Replay, topic: Topic, start_delay_s: float, opening: Opening | None, lines: Iterable[str]
) -> Iterator[int]:
    """Write one partition, in a Spark task; yield when the schedule began."""
    context = BarrierTaskContext.get()
    part = context.partitionId()
    writer = _Writer(topic, part)
    keys = preload_keys(replay, part)
    for key in keys:
        writer.write(orjson.dumps({"y": "k", "key": key, "ts": BASE_TIME_MS}), _now_ms())
    writer.flush()
    if keys:
        _await_read(topic, part, len(keys))
    # All have the same beginning: the latest that one of them proposes when all have come as far as this.
    proposals = context.allGather(str(_now_ms() + math.ceil(start_delay_s * 1_000)))
    epoch = max(map(int, proposals))
    for line in lines:
        value = line.encode()
        event = orjson.loads(value)
        due = epoch + int(event["t"])
        writer.wait_until(due)
        while opening is not None and opening.keeps_back(int(event["e"])):
            writer.wait_until(_now_ms() + _LOOK_MS)
        writer.write(value, due)
    writer.flush()
    yield epoch


class _Writer:
    """Writes a partition in order and each record once; fails at the first one that the broker does not take."""

    def __init__(self, topic: Topic, partition: int) -> None:
        self._topic, self._partition = topic.name, partition
        self._failure: KafkaError | None = None
        self._producer = Producer(
            # Latency is measured from when a record is due: nothing waits for others to be sent with it.
            {"bootstrap.servers": topic.kafka, "enable.idempotence": True, "acks": "all", "linger.ms": 0}
        )

    def write(self, value: bytes, timestamp_ms: int) -> None:
        while True:
            self._check()
            try:
                self._producer.produce(
                    self._topic, value, partition=self._partition, timestamp=timestamp_ms, on_delivery=self._delivered
                )
            except BufferError:  # the broker is behind
                self._producer.poll(0.1)
            else:
                self._producer.poll(0)
                return

    def wait_until(self, at_ms: int) -> None:
        while (ahead := at_ms - _now_ms()) > 0:
            self._producer.poll(ahead / 1_000)

    def flush(self) -> None:
        if self._producer.flush(_ANSWER_S):
            raise RuntimeError(f"Kafka did not take all records of {self._topic} within {_ANSWER_S:g} s")
        self._check()

    def _delivered(self, error: KafkaError | None, _: Any) -> None:
        self._failure = self._failure or error

    def _check(self) -> None:
        if self._failure is not None:
            raise RuntimeError(f"Kafka did not take a record of {self._topic}: {self._failure}")


def _await_read(topic: Topic, part: int, records: int) -> None:
    until = time.monotonic() + _PRELOAD_S
    while (read := topic.committed(part)) < records:
        if time.monotonic() > until:
            raise RuntimeError(
                f"the job has read {read} of the {records} records in partition {part} of {topic.name} that make state "
                f"beforehand after {_PRELOAD_S:g} s, by its checkpoints: does it run, and has it checkpoints?"
            )
        time.sleep(0.25)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def main(arguments: list[str] | None = None) -> int:
    """Write a data set to a topic, on its schedule."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.kafka_replay", description="Replay into Kafka.")
    parser.add_argument("--kafka", required=True, help="host:port, .. of brokers")
    parser.add_argument("--topic", default="nexmark", help="its name")
    parser.add_argument("--create", action="store_true", help="make the topic first")
    parser.add_argument("--master", help="Spark master; default: this machine with a slot for each partition")
    parser.add_argument("--stay", action="store_true", help="end when standard input does")
    parser.add_argument("--start-delay-s", type=float, default=1.0, help="from all being ready to the first event")
    parser.add_argument("--events", type=int, required=True, help="number of events")
    parser.add_argument("--parts", type=int, default=4, help="number of partitions")
    parser.add_argument("--rate", type=int, default=1_000, help="events per second")
    parser.add_argument("--mode", choices=get_args(Mode), default="mixed", help="how the generator is seeded")
    parser.add_argument("--seed", type=int, default=1, help="seed of mode mixed")
    parser.add_argument("--opening-file", help="what the events of --wait-from wait for")
    parser.add_argument("--wait-from", type=int, default=0, help="number of the first event that waits for it")
    parser.add_argument("--preload-keys", type=int, default=0, help="keys whose state is made beforehand")
    given = vars(parser.parse_args(arguments))
    topic = Topic(given.pop("kafka"), given.pop("topic"))
    create, master, stay = given.pop("create"), given.pop("master"), given.pop("stay")
    delay = given.pop("start_delay_s")
    # So that whoever ends it early ends its Spark too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    file, wait_from = given.pop("opening_file"), given.pop("wait_from")
    opening = Opening(file, wait_from) if file else None
    replay = Replay(**given)
    if create:
        topic.create(replay.parts)
    spark = spark_session("kafka-replay", replay.parts, "512m", small_data=True, master=master)
    try:
        epoch = write_to_topic(spark, replay, topic, delay, opening)
        print(json.dumps({"topic": topic.name, "events": replay.events, "epoch_ms": epoch}), flush=True)
        if stay:
            sys.stdin.read()
    finally:
        spark.stop()
    return 0


if __name__ == "__main__":
    # By the module's name: what is in __main__ Spark would send to its workers by value, and a Producer is none.
    from drrs_jobs.kafka_replay import main as by_name

    raise SystemExit(by_name())
