"""Which job is rescaled how: the short set and the whole matrix of the oracle tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Any

import pytest

from harness.job import JobSpec
from harness.workload import Idle, Second, Workload

WINDOWS = ("--hop-size-ms", "2000", "--hop-slide-ms", "500")
PAIRS = tuple(
    pair for before, after in ((1, 2), (2, 3), (2, 5), (3, 5), (5, 6)) for pair in ((before, after), (after, before))
)
# Each pair is in exactly one of them.
PATHS: tuple[tuple[int, ...], ...] = ((1, 2, 3, 5, 6), (6, 5, 3, 2, 1), (2, 5, 2))


@dataclass(frozen=True)
class Target:
    """Operators to rescale, one after the other, and the query they are in.

    `features` of the support matrix; `also`: further rows that the query writes; `flags` of a Scenario that fit it;
    `halved`: vertices with half of the parallelism, rounded up.
    """

    query: str
    vertices: Sequence[str]
    features: Sequence[str]
    arguments: Sequence[str] = ()
    reference: Mapping[str, Any] = field(default_factory=dict)
    also: Sequence[str] = ()
    row_a_bid: bool = False
    flags: Sequence[str] = ("backlog", "chained", "idle", "union")
    halved: Sequence[str] = ()

    def parallelism(self, vertex: str, wanted: int) -> int:
        """The parallelism of a vertex where the path is at `wanted`."""
        return (wanted + 1) // 2 if vertex in self.halved else wanted


TARGETS = {
    "count": Target(
        "count", ["count"], ["state: value state", "time: event-time timers"], ("--timers", "true"),
        also=["event-timers"], row_a_bid=True, flags=("backlog", "chained", "idle", "union", "drift_limit"),
    ),
    "q5": Target(
        "q5", ["q5"], ["time: sliding windows", "job shapes: the first of two keyed operators one behind the other"],
        WINDOWS, {"size_ms": 2000, "slide_ms": 500}, flags=("backlog", "idle", "union", "drift_limit"),
    ),
    "q5max": Target(
        "q5", ["q5max"],
        ["time: tumbling windows", "job shapes: the second of two keyed operators one behind the other"],
        WINDOWS, {"size_ms": 2000, "slide_ms": 500}, flags=("chained", "idle", "union"),
    ),
    "q11": Target("q11", ["q11"], ["time: session windows, which merge"], ("--session-gap-ms", "500"), {"gap_ms": 500}),
    "q17": Target("q17", ["q17"], ["state: a key of several fields"], row_a_bid=True),
    "states": Target(
        "states", ["states"], ["state: all kinds of keyed state, with TTL too", "time: timers of both kinds"],
        row_a_bid=True,
    ),
    "fan": Target(
        "fan", ["left", "right", "meet"],
        [
            "job shapes: several elastic operators with shared predecessors, which have hash and forward edges",
            "job shapes: a union of two outputs of one predecessor",
            "job shapes: a union of two elastic operators",
            "job shapes: an operator chained behind the keyed one",
            "job shapes: a side output of the keyed operator",
            "job shapes: a custom partitioner behind the keyed operator",
            "job shapes: slot-sharing groups that differ",
            "job shapes: elastic operators of unequal parallelism one behind the other",
            "job shapes: chaining disabled, behind it another parallelism",
        ],
        also=["fan-side", "fan-placed", "fan-audit"], flags=("idle", "union"), halved=["right"],
    ),
    "many": Target(
        "many", ["many"], ["job shapes: an operator with three keyed inputs"], row_a_bid=True,
        flags=("chained", "idle", "union"),
    ),
    "rules": Target(
        "rules", ["rules"], ["job shapes: a broadcast input beside the keyed one, with applyToKeyedState"],
        flags=("chained", "idle"),
    ),
}  # fmt: skip

FLAGS = {
    "unaligned": "checkpoints: unaligned",
    "backlog": "time: an old owner with a backlog",
    "chained": "sinks: a sink chained behind the keyed operator",
    "idle": "time: an input that is idle for a while",
    "union": "time: a union of inputs whose watermarks are seconds apart",
    "drift_limit": "time: watermark alignment of the sources, one of which is held",
}


@dataclass(frozen=True)
class Scenario:
    """A path of parallelisms, and what makes it hard.

    `backlog`: the old owner of the hot key needs longer for it than its events take to arrive. `chained`: the sink is
    in the elastic chain (only possible for the last keyed operator). `idle`: one of two splits falls silent. `union`:
    a second source is seconds ahead. `drift_limit`: so is it, and is held until the first has come nearer.
    """

    target: str
    path: tuple[int, ...]
    unaligned: bool = False
    backlog: bool = False
    chained: bool = False
    idle: bool = False
    union: bool = False
    drift_limit: bool = False

    def __str__(self) -> str:
        return "-".join([self.target, *map(str, self.path), *self.flags])

    @property
    def flags(self) -> list[str]:
        """The names of those that are set."""
        return [name for name in FLAGS if getattr(self, name)]

    @property
    def vertices(self) -> Sequence[str]:
        return TARGETS[self.target].vertices

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each step of the path."""
        return list(pairwise(self.path))

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        """What it proves, as in the support matrix."""
        features = [*TARGETS[self.target].features, *(FLAGS[name] for name in self.flags)]
        if len(self.pairs) > 1:
            features.append("directions: one after the other on a running job")
        directions = {
            "directions: scale out": [(before, after) for before, after in self.pairs if before < after],
            "directions: scale in": [(before, after) for before, after in self.pairs if before > after],
        }
        return [pytest.mark.covers(feature) for feature in features] + [
            pytest.mark.covers(feature, pairs=pairs) for feature, pairs in directions.items() if pairs
        ]

    @property
    def hot_key(self) -> int:
        """The key that most of the bids between 0.8 and 1.6 s (auctions) or 0 and 2.5 s (bidders) are for."""
        return 1001 if self.target == "q11" else 1100

    def spec(self) -> JobSpec:
        """The job of this scenario."""
        target = TARGETS[self.target]
        workload = Workload(events=8_000 + 4_000 * len(self.pairs))
        arguments = [*target.arguments]
        if self.idle:
            workload = replace(workload, idle=Idle(split=1, from_ms=1000, to_ms=6000))
        if self.union or self.drift_limit:
            workload = replace(workload, rate=1_000, events=workload.events // 2, second=Second(lead_ms=3_000))
        if self.drift_limit:
            arguments += ["--alignment-ms", "1000"]
        if self.backlog:
            arguments += [
                "--service-us", "100", "--service-hot-key", str(self.hot_key), "--service-hot-us", "8000"
            ]  # fmt: skip
        if self.chained:
            arguments += ["--sink-parallelism", str(self.path[0])]
        elif self.path[0] == 1:
            arguments += ["--sink-parallelism", "2"]
        # Flink wants to be asked twice for unaligned checkpoints in a job with a custom partitioner.
        options = {"execution.checkpointing.unaligned.forced": "true"} if self.target == "fan" else {}
        return JobSpec(
            target.query, self.path[0], workload, arguments, options, target.reference, unaligned=self.unaligned
        )


OUT, IN, THERE_AND_BACK = PATHS

# Each target, flag and pair at least once, and each target and flag in both directions.
SHORT = [
    Scenario("count", OUT, drift_limit=True),
    Scenario("count", IN, unaligned=True),
    Scenario("count", THERE_AND_BACK, backlog=True),
    Scenario("q5", OUT, unaligned=True, union=True),
    Scenario("q5", IN, idle=True),
    Scenario("q5", THERE_AND_BACK, unaligned=True, backlog=True),
    Scenario("q5max", IN, chained=True),
    Scenario("q5max", THERE_AND_BACK, unaligned=True),
    Scenario("q11", OUT, chained=True),
    Scenario("q11", THERE_AND_BACK, unaligned=True, drift_limit=True),
    Scenario("q17", THERE_AND_BACK, idle=True, unaligned=True),
    Scenario("states", OUT, unaligned=True, chained=True),
    Scenario("states", IN, union=True),
    Scenario("states", (1, 2, 4, 3, 5, 1, 4)),
    Scenario("states", (4, 2), backlog=True),
    Scenario("fan", THERE_AND_BACK),
    Scenario("fan", OUT, unaligned=True),
    Scenario("many", OUT, idle=True),
    Scenario("many", IN, unaligned=True),
    Scenario("many", THERE_AND_BACK, chained=True),
    Scenario("rules", OUT),
    Scenario("rules", IN, unaligned=True),
    Scenario("rules", THERE_AND_BACK, chained=True),
]


def matrix() -> Iterator[Scenario]:
    """All that is not in the short set: each target with each path, each flag that fits it, aligned and unaligned."""
    for (name, target), path, unaligned in product(TARGETS.items(), PATHS, (False, True)):
        cases = [Scenario(name, path, unaligned, **{flag: True}) for flag in target.flags]
        yield from (case for case in (Scenario(name, path, unaligned), *cases) if case not in SHORT)
