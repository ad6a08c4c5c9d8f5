"""Write the replay data set: the events of a run with their schedule, as files any number of source splits can read.

``python -m drrs_jobs.replay --out DIR --events N --parts P --rate R`` writes ``part-NNNNN.jsonl`` and
``manifest.json`` (format: ``docs/interfaces.md``). The same arguments give the same bytes on any machine and with any
number of Spark workers.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from drrs_jobs.generator import BASE_TIME_MS, Auction, Bid, Event, GeneratorConfig, Mode, Person, event_at
from drrs_jobs.session import CORES, spark_session

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
_BATCH = 10_000
_LETTERS: dict[type, str] = {Person: "p", Auction: "a", Bid: "b"}
_ATTRIBUTES = {
    "id": "id",
    "name": "name",
    "city": "city",
    "state": "state",
    "initialBid": "initial_bid",
    "reserve": "reserve",
    "expires": "expires",
    "seller": "seller",
    "category": "category",
    "auction": "auction",
    "bidder": "bidder",
    "price": "price",
}
_TEXT = {"y", "name", "city", "state"}
_COLUMNS = ("e", "t", "ts", "y", *_ATTRIBUTES)
_SCHEMA = ", ".join(f"{name} {'string' if name in _TEXT else 'long'}" for name in _COLUMNS)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay data set: ``events`` events from number ``start_number`` on, ``rate`` per second, in ``parts`` files.

    ``preload_keys`` is handed on to the job, which makes that many keys' state before the first event is due.
    """

    events: int
    parts: int = 4
    rate: int = 1_000
    mode: Mode = "mixed"
    seed: int = 1
    start_number: int = 0
    preload_keys: int = 0

    def __post_init__(self) -> None:
        if self.events < 1 or self.parts < 1 or self.rate < 1:
            raise ValueError(f"events, parts and rate must be at least 1: {self}")
        if self.start_number < 0 or self.preload_keys < 0:
            raise ValueError(f"start_number and preload_keys must be at least 0: {self}")

    @property
    def generator(self) -> GeneratorConfig:
        """The generator whose events these are; event time passes at the rate of the schedule."""
        return GeneratorConfig(mode=self.mode, seed=self.seed, rate=self.rate)

    def schedule_ms(self, number: int) -> int:
        """Return when event ``number`` is due, in milliseconds from the start of the run."""
        return self.generator.event_time(number - self.start_number) - BASE_TIME_MS

    def event(self, number: int) -> Event:
        """Return event ``number``; event time starts at the base time with the first event of the data set."""
        return event_at(self.generator, number, number - self.start_number)

    def numbers(self, part: int) -> range:
        """Return the numbers of the events in ``part``, in schedule order."""
        first = self.start_number + (part - self.start_number) % self.parts
        return range(first, self.start_number + self.events, self.parts)

    def all_events(self) -> Iterator[Event]:
        """Yield the events of all parts in order of their number, for the reference."""
        for number in range(self.start_number, self.start_number + self.events):
            yield self.event(number)


def replay_frame(spark: SparkSession, replay: Replay) -> DataFrame:
    """Return the events as a DataFrame of ``replay.parts`` partitions; columns an event does not have are null."""

    def generate(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for part in batch.column("id").to_pylist():
                for numbers in _batched(replay.numbers(part), _BATCH):
                    yield _record_batch(replay, numbers)

    # One row per partition, so that a partition is a part, and its events stay in schedule order.
    return spark.range(0, replay.parts, 1, replay.parts).mapInArrow(generate, _SCHEMA)


def write_replay(spark: SparkSession, replay: Replay, out: Path) -> Path:
    """Write the data set to ``out``, replacing an older one, and return ``out``.

    The manifest is written last: a folder with a manifest is complete.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / MANIFEST).unlink(missing_ok=True)
    for old in out.glob("part-*.jsonl"):
        old.unlink()
    staging = out / "_staging"
    # Spark's own commit protocol makes a retried task harmless; afterwards the files get their agreed names.
    replay_frame(spark, replay).write.mode("overwrite").option("compression", "none").json(str(staging))
    for part in range(replay.parts):
        _one(staging.glob(f"part-{part:05d}-*.json")).rename(out / f"part-{part:05d}.jsonl")
    shutil.rmtree(staging)
    manifest = {"version": FORMAT_VERSION, **asdict(replay)}
    (out / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return out


def read_manifest(folder: Path) -> Replay:
    """Read the manifest of a data set; raises ``ValueError`` if it is of another format version."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    version = manifest.pop("version", None)
    if version != FORMAT_VERSION:
        raise ValueError(f"{folder / MANIFEST} is of format version {version}, this code reads {FORMAT_VERSION}")
    return Replay(**manifest)


def read_replay(spark: SparkSession, folder: Path) -> DataFrame:
    """Read a written data set back as the DataFrame it was written from."""
    return spark.read.schema(_SCHEMA).json(str(folder / "part-*.jsonl"))


def check_replay(spark: SparkSession, folder: Path) -> int:
    """Return the number of events in ``folder``; raises ``ValueError`` unless each number is there exactly once."""
    replay = read_manifest(folder)
    found = read_replay(spark, folder).agg(
        F.count("e").alias("events"),
        F.count_distinct("e").alias("numbers"),
        F.min("e").alias("first"),
        F.max("e").alias("last"),
    )
    events, numbers, first, last = found.first() or (0, 0, 0, 0)
    expected = (replay.events, replay.events, replay.start_number, replay.start_number + replay.events - 1)
    if (events, numbers, first, last) != expected:
        raise ValueError(f"{folder}: found {events} events, {numbers} numbers, {first}..{last}; expected {expected}")
    return int(events)


def _record_batch(replay: Replay, numbers: range) -> pa.RecordBatch:
    events = [replay.event(number) for number in numbers]
    columns: dict[str, list[Any]] = {
        "e": list(numbers),
        "t": [replay.schedule_ms(number) for number in numbers],
        "ts": [event.ts for event in events],
        "y": [_LETTERS[type(event)] for event in events],
    }
    for name, attribute in _ATTRIBUTES.items():
        columns[name] = [getattr(event, attribute, None) for event in events]
    arrays = [pa.array(columns[field.name], field.type) for field in _arrow_schema()]
    return pa.RecordBatch.from_arrays(arrays, schema=_arrow_schema())


def _arrow_schema() -> pa.Schema:
    return pa.schema([(name, pa.string() if name in _TEXT else pa.int64()) for name in _COLUMNS])


def _batched(items: range, size: int) -> Iterator[range]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _one(found: Iterable[_T]) -> _T:
    (only,) = found
    return only


def main(arguments: list[str] | None = None) -> int:
    """Write a data set and print its size and the speed of writing it."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.replay", description="Write a replay data set.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the data set")
    parser.add_argument("--events", type=int, required=True, help="number of events")
    parser.add_argument("--parts", type=int, default=4, help="number of files")
    parser.add_argument("--rate", type=int, default=1_000, help="events per second")
    parser.add_argument("--mode", choices=get_args(Mode), default="mixed", help="how the generator is seeded")
    parser.add_argument("--seed", type=int, default=1, help="seed of mode mixed")
    parser.add_argument("--start-number", type=int, default=0, help="number of the first event")
    parser.add_argument("--preload-keys", type=int, default=0, help="keys whose state the job makes beforehand")
    given = vars(parser.parse_args(arguments))
    out = cast(Path, given.pop("out"))
    spark = spark_session("replay")
    try:
        started = time.monotonic()
        write_replay(spark, Replay(**given), out)
        seconds = time.monotonic() - started
        events = check_replay(spark, out)
    finally:
        spark.stop()
    print(json.dumps({"events": events, "seconds": round(seconds, 2), "per_core": round(events / seconds / CORES)}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
