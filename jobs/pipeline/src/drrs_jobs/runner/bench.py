"""A bench: workloads under strategies, each so many times, in a folder that says what has been done of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from drrs_jobs.compare import EXACT
from drrs_jobs.generator import Bid, Event
from drrs_jobs.kafka_broker import broker
from drrs_jobs.machine import await_quiet, describe_machine, java_version
from drrs_jobs.replay import MANIFEST, check_replay, write_replay
from drrs_jobs.runner import recorded
from drrs_jobs.runner.drive import Driver
from drrs_jobs.runner.places import Places
from drrs_jobs.runner.recorded import Recorded
from drrs_jobs.runner.strategies import ADAPTIVE, Strategy
from drrs_jobs.runs import MOST_BY_OTHERS
from drrs_jobs.session import spark_session
from drrs_jobs.trace import write_trace
from drrs_jobs.workloads.model import Workload

Clusters = Literal["each", "kept", "given"]
FILE = "bench.json"
VERSION = 1
_AROUND_A_RUN_S = 30.0
"""What a run takes besides its schedule, before one has been seen: a cluster's start, its state, the comparison."""
_PATIENCE_S = 60.0
_BROKER = "kafka.broker"
"""Folder of the broker; with a dot in it, so that no workload's is called so."""


class WrongOutputError(Exception):
    """A run's output is not that of the reference: the bench fails, and the run's folder is kept."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What is to be run."""

    workloads: tuple[Workload, ...]
    strategies: tuple[Strategy, ...]
    repeat: int
    others_limit: float = MOST_BY_OTHERS
    """Share of the processors that other programs may take; what was recorded with more is marked."""

    clusters: Clusters = "each"
    """Whether each run has a cluster, or all runs of a workload one, or all of the bench one that was given."""

    given: tuple[str, ...] = ()
    """The workloads as they were named: by their names, those of files by the files. Empty: not known."""

    quick: bool = False
    """Whether they are the short forms."""

    turning: bool = True
    """Whether each round begins with another strategy; benches of older versions begin with the same one."""

    def turns(self) -> Iterator[Turn]:
        """Yield all runs in their order: strategies in turn, so that what the machine does meanwhile concerns all."""
        number = 0
        for workload in self.workloads:
            for repetition in range(1, self.repeat + 1):
                for strategy in self.order(repetition):
                    number += 1
                    yield Turn(number, workload, repetition, strategy)

    def order(self, repetition: int) -> tuple[Strategy, ...]:
        """Return the strategies as they follow each other in a round, counted from 1 on.

        Each round begins one strategy later than the one before, as the first one meets the coldest cluster. On kept
        clusters those that need another one come last: in between they would end it.
        """
        if not self.turning:
            return self.strategies
        apart = tuple(one for one in self.strategies if self.clusters == "kept" and one.name == ADAPTIVE)
        others = tuple(one for one in self.strategies if one not in apart)
        return _turned(others, repetition) + _turned(apart, repetition)

    @property
    def reads_kafka(self) -> bool:
        """Whether the events of a workload come from there: then the job needs Flink's connector."""
        return any(workload.events == "kafka" for workload in self.workloads)

    @property
    def document(self) -> dict[str, Any]:
        """For the folder, to know it again by."""
        return {
            "version": VERSION,
            "workloads": [json.loads(workload.model_dump_json()) for workload in self.workloads],
            "strategies": [asdict(strategy) for strategy in self.strategies],
            "repeat": self.repeat,
            "others_limit": self.others_limit,
            "clusters": self.clusters,
            "given": list(self.given),
            "quick": self.quick,
            **({"order": self._labels} if self.turning else {}),
        }

    @property
    def _labels(self) -> list[list[str]]:
        return [[one.label for one in self.order(repetition)] for repetition in range(1, self.repeat + 1)]


def _turned(strategies: tuple[Strategy, ...], repetition: int) -> tuple[Strategy, ...]:
    first = (repetition - 1) % max(len(strategies), 1)
    return strategies[first:] + strategies[:first]


@dataclass(frozen=True, slots=True)
class Turn:
    """One run of a bench; ``number`` counts from 1 on."""

    number: int
    workload: Workload
    repetition: int
    strategy: Strategy

    def folder(self, bench: Path) -> Path:
        """Where it is kept."""
        return bench / self.workload.name / f"round-{self.repetition}" / self.strategy.slug

    def __str__(self) -> str:
        return f"{self.workload.name}, round {self.repetition}, {self.strategy.label}"


class Listener(Protocol):
    """Hears of what happens, in the thread that runs the bench."""

    def began(self, turn: Turn, of: int, left_s: float) -> None:
        """A run begins; all that is to come takes about so long."""

    def said(self, text: str) -> None:
        """What a run does now."""

    def ended(self, turn: Turn, run: Recorded, left_s: float) -> None:
        """A run has ended, or had before."""


def run_bench(
    bench: Bench,
    folder: Path,
    jar: Path,
    listener: Listener,
    *,
    address: str | None = None,
    kafka: str | None = None,
    refuse_busy: bool = False,
) -> None:
    """Run all that the folder does not have yet.

    ``address`` is that of a given cluster, ``kafka`` that of given brokers: without it one is started where a workload
    reads from Kafka. ``refuse_busy``: raise ``MachineBusyError`` where other programs take more than their share before
    a run; else such runs are marked afterwards, by what they took meanwhile. Raises ``WrongOutputError``, and
    ``ValueError`` for the folder of another bench.
    """
    bench = prepare(bench, folder)
    turns = list(bench.turns())
    with ExitStack() as stack:
        beside: dict[str, int] = {}
        if bench.reads_kafka and kafka is None and any(recorded.read(turn.folder(folder)) is None for turn in turns):
            listener.said("starting a Kafka broker")
            kafka, beside["kafka"] = stack.enter_context(broker(folder / _BROKER))
        kept = bench.clusters == "kept"
        places = stack.enter_context(Places(listener.said, address=address, keep=kept, beside=beside))
        _run_turns(bench, turns, folder, jar, listener, places, refuse_busy, kafka)


def _run_turns(
    bench: Bench,
    turns: Sequence[Turn],
    folder: Path,
    jar: Path,
    listener: Listener,
    places: Places,
    refuse_busy: bool,
    kafka: str | None,
) -> None:
    took = _Durations(turns)
    events: dict[str, list[Event]] = {}
    for turn in turns:
        place = turn.folder(folder)
        found = recorded.read(place)
        if found is None:
            listener.began(turn, len(turns), took.left_s(turn.number - 1))
            if refuse_busy:
                listener.said("waiting for a quiet machine")
                await_quiet(bench.others_limit, _PATIENCE_S, places.pids)
            name = turn.workload.name
            if name not in events:
                events = {name: turn.workload.all_events()}
            replay = _replay(turn.workload, events[name], folder, listener.said)
            driver = Driver(turn.workload, jar, listener.said, places, replay, kafka)
            found = driver.run(turn.strategy, place, events[name])
            recorded.write(found, place)
        took.add(turn, found.seconds)
        listener.ended(turn, found, took.left_s(turn.number))
        if found.oracle != EXACT:
            raise WrongOutputError(
                f"The output of {turn} is not that of the reference: {found.oracle}. What it wrote is in {place}; "
                f"delete that folder to run it again."
            )


def prepare(bench: Bench, folder: Path) -> Bench:
    """Make the folder that of this bench, and return how it goes on: in the order in which it began.

    One with more rounds than before goes on. Raises ``ValueError`` for the folder of another bench.
    """
    file = folder / FILE
    document = bench.document
    if file.exists():
        there = json.loads(file.read_text(encoding="utf-8"))
        keys = ("version", "workloads", "strategies", "clusters")
        different = [key for key in keys if there.get(key, document[key]) != document[key]]
        if different:
            raise ValueError(
                f"{folder} holds a bench with other {' and '.join(different)}: give another folder, or delete it."
            )
        bench = replace(bench, turning="order" in there)
        document = replace(bench, repeat=max(bench.repeat, int(there["repeat"]))).document
    folder.mkdir(parents=True, exist_ok=True)
    document |= {"machine": describe_machine(), "java": java_version()}
    file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return bench


def read_bench(folder: Path) -> tuple[Bench, dict[str, Any]]:
    """Return the bench of a folder, and its document. Raises ``ValueError`` if there is none of this version."""
    try:
        document = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{folder} holds no bench: it has no {FILE}.") from None
    if document.get("version") != VERSION:
        raise ValueError(f"{folder / FILE} is of version {document.get('version')}, this code reads {VERSION}.")
    workloads = tuple(Workload.model_validate_json(json.dumps(one)) for one in document["workloads"])
    strategies = tuple(Strategy(**one) for one in document["strategies"])
    others_limit = document.get("others_limit", MOST_BY_OTHERS)
    clusters = document.get("clusters", "each")
    given, quick = tuple(document.get("given", ())), document.get("quick", False)
    turning = "order" in document
    return Bench(workloads, strategies, document["repeat"], others_limit, clusters, given, quick, turning), document


def _replay(workload: Workload, events: Sequence[Event], folder: Path, say: Callable[[str], None]) -> Path | None:
    """Return the data set of a workload that reads one, written and checked once a bench."""
    if workload.events in ("generated", "kafka"):
        return None
    replay, out = workload.replay, folder / workload.name / "replay"
    if workload.events == "trace" and not (out / MANIFEST).exists():
        bids = [event for event in events if isinstance(event, Bid)]
        write_trace(bids, replay.parts, workload.state.keys, out)
    if not (out / MANIFEST).exists():
        say(f"writing the replay data set: {replay.events} events, {replay.rate} per second")
        spark = spark_session("replay", small_data=True)
        try:
            check_replay(spark, write_replay(spark, replay, out).resolve())
        finally:
            # No Spark in memory while latency is measured.
            spark.stop()
    return out


class _Durations:
    """How long runs take, by what those of the same workload took so far."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self._took: dict[str, list[float]] = {}

    def add(self, turn: Turn, seconds: float) -> None:
        self._took.setdefault(turn.workload.name, []).append(seconds)

    def left_s(self, done: int) -> float:
        """Return about how long all runs after the first ``done`` take."""
        return sum(self._of(turn.workload) for turn in self._turns[done:])

    def _of(self, workload: Workload) -> float:
        took = self._took.get(workload.name)
        return sum(took) / len(took) if took else workload.seconds + _AROUND_A_RUN_S
