"""What a workload's file says. Times are in the unit that the field's name ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from drrs_jobs.figures import Windows
from drrs_jobs.generator import Event, GeneratorConfig, events
from drrs_jobs.reference import QUERIES, Query
from drrs_jobs.replay import Replay
from drrs_jobs.trace import trace_events

PARTS = 4
"""Files of a replay, or partitions of its topic."""


class _Part(BaseModel):
    # Strict: a text is no number and a number is no truth value, so that a slip in a file is told.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class RateStep(_Part):
    """A rate, and how long it lasts."""

    events_per_second: int = Field(ge=1, le=1_000_000)
    seconds: int = Field(ge=1, le=86_400)


class Rate(_Part):
    """Events per second; ``square`` changes to ``other`` and back in each period, ``sine`` does so in ten steps.

    ``steps`` of any lengths follow each other, over and over.
    """

    events_per_second: int = Field(default=1_150, ge=1, le=1_000_000)
    shape: Literal["constant", "square", "sine", "steps"] = "constant"
    other: int | None = Field(default=None, ge=1, le=1_000_000)
    period_s: int | None = Field(default=None, ge=1)
    steps: tuple[RateStep, ...] = ()

    @field_validator("steps", mode="before")
    @classmethod
    def _list(cls, given: Any) -> Any:
        return tuple(given) if isinstance(given, list) else given

    def events_in(self, seconds: int) -> int:
        """Return how many events are due in so long a time; of ``square`` and ``sine``, at the mean of both rates."""
        if self.shape == "steps" and self.steps:
            whole, left = divmod(seconds, sum(step.seconds for step in self.steps))
            count = whole * sum(step.events_per_second * step.seconds for step in self.steps)
            for step in self.steps:
                count += step.events_per_second * min(left, step.seconds)
                left -= min(left, step.seconds)
            return count
        other = self.other if self.shape != "constant" and self.other else self.events_per_second
        return (self.events_per_second + other) * seconds // 2


class State(_Part):
    """State that is there before the first event; ``spread``: sizes go from 1 to twice ``value_bytes``, by key."""

    keys: int = Field(default=0, ge=0)
    value_bytes: int = Field(default=0, ge=0)
    spread: bool = False

    @property
    def target_bytes(self) -> int:
        """How much state that is, without what a key itself takes."""
        return self.keys * self.value_bytes


class Keys(_Part):
    """Of the query ``synthetic``: how many keys there are, and the exponent of their Zipf skew."""

    count: int = Field(default=4_096, ge=1, le=10_000_000)
    zipf: float = Field(default=0.0, ge=0, le=4)

    @property
    def zipf_percent(self) -> int:
        """The exponent in hundredths, as the job takes it."""
        return round(self.zipf * 100)


class Window(_Part):
    """Sliding window of the queries that have one."""

    size_ms: int = Field(default=10_000, ge=1)
    slide_ms: int = Field(default=2_000, ge=1)


class Operator(_Part):
    """What is rescaled. ``service_us`` is a wait per event without CPU, so that twice the subtasks can do twice."""

    uid: str = Field(min_length=1)
    name: str = Field(min_length=1)
    parallelism: int = Field(default=2, ge=1)
    key_groups: int = Field(default=128, ge=1, le=32_768)
    service_us: int = Field(default=0, ge=0)


class Checkpoints(_Part):
    """How often, and whether barriers may overtake records."""

    interval_s: int = Field(default=5, ge=1)
    unaligned: bool = False


class Cluster(_Part):
    """What is started where no cluster is given; ``options`` are Flink's, on top of those of each bench."""

    task_managers: int = Field(default=4, ge=1)
    slots: int = Field(default=1, ge=1)
    memory_mb: int = Field(default=1_200, ge=700)
    options: dict[str, str] = Field(default_factory=dict)


class RescaleStep(_Part):
    """A rescale ``to`` so many subtasks, ``after_s`` of the schedule at the earliest: when latency is steady."""

    to: int = Field(ge=1)
    after_s: int = Field(ge=5)


class Measure(_Part):
    """How long before a rescale counts as steady, and how long latency has to stay low to be so again."""

    steady_s: int = Field(default=10, ge=1)
    hold_s: int = Field(default=30, ge=1)


class Workload(_Part):
    """A job, its load, and the rescales of its operator one after the other."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str = Field(min_length=1)
    query: str
    events: Literal["generated", "replay", "trace", "kafka"] = "generated"
    """``replay`` reads files, ``kafka`` a topic that the same events are written to when they are due."""
    trace: str | None = Field(default=None, min_length=1)
    """Path of a trace of visits (``drrs_jobs.trace``); for ``events: trace``."""
    seed: int = Field(default=1, ge=0)
    seconds: int = Field(default=75, ge=10)
    rate: Rate = Rate()
    state: State = State()
    keys: Keys | None = None
    window: Window | None = None
    operator: Operator
    source_parallelism: int = Field(default=2, ge=1)
    backend: Literal["hashmap"] = "hashmap"
    checkpoints: Checkpoints = Checkpoints()
    cluster: Cluster = Cluster()
    rescales: tuple[RescaleStep, ...] = Field(min_length=1)
    measure: Measure = Measure()

    @field_validator("rescales", mode="before")
    @classmethod
    def _list(cls, given: Any) -> Any:
        """Files have lists, and strict tuples are none."""
        return tuple(given) if isinstance(given, list) else given

    @property
    def of_query(self) -> Query:
        """How results are compared."""
        return QUERIES[self.query]

    @property
    def total_events(self) -> int:
        """As many as the schedule has room for."""
        return self.rate.events_in(self.seconds)

    @property
    def most_subtasks(self) -> int:
        """The highest parallelism that comes up."""
        return max(self.operator.parallelism, *(step.to for step in self.rescales))

    @property
    def windowed(self) -> bool:
        """Whether an event comes out in several results, of which its first one tells its latency."""
        return self.window is not None

    @property
    def slide_ms(self) -> int:
        """How far its sliding windows are apart; 0 without."""
        return self.window.slide_ms if self.window else 0

    @property
    def held(self) -> bool:
        """Whether the job stays after its events.

        Its last windows of processing time come only then. And Flink's source for Kafka does not end once it has been
        restored: it tells its subtasks of no end where it finds the partitions that it knows already.
        """
        return self.events == "kafka" or bool(self.of_query.folds)

    @property
    def windows(self) -> Windows:
        """The periods that its figures are about."""
        return Windows(self.measure.steady_s * 1_000, self.measure.hold_s * 1_000)

    @property
    def replay(self) -> Replay:
        """The data set that a ``replay`` reads, and that is written to Kafka."""
        rate = self.rate.events_per_second
        return Replay(self.total_events, PARTS, rate, seed=self.seed, preload_keys=self.state.keys)

    def all_events(self) -> list[Event]:
        """All events, for the reference."""
        if self.events in ("replay", "kafka"):
            return list(self.replay.all_events())
        if self.events == "trace" and self.trace is not None:
            return list(trace_events(Path(self.trace), self.total_events, self.seconds))
        rate = self.rate.events_per_second
        return list(events(GeneratorConfig(mode="mixed", seed=self.seed, rate=rate, events=self.total_events)))

    def reference_options(self) -> dict[str, int]:
        """What the query's reference has to know."""
        found: dict[str, int] = {}
        if self.keys is not None:
            found |= {"keys": self.keys.count, "zipf_percent": self.keys.zipf_percent}
        if self.window is not None:
            found |= {"size_ms": self.window.size_ms, "slide_ms": self.window.slide_ms}
        return found
