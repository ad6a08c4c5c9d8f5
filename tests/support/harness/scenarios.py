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
SECONDS = ("--window-ms", "1000")
PAIRS = tuple(
    pair for before, after in ((1, 2), (2, 3), (2, 5), (3, 5), (5, 6)) for pair in ((before, after), (after, before))
)
# Each pair is in exactly one of them.
PATHS: tuple[tuple[int, ...], ...] = ((1, 2, 3, 5, 6), (6, 5, 3, 2, 1), (2, 5, 2))


@dataclass(frozen=True)
class Target:
    """Operators to rescale, one after the other, and the query they are in.

    `features` of the support matrix; `also`: further rows that the query writes; `flags` of a Scenario that fit it;
    `halved`: vertices with half of the parallelism, rounded up. `like`: one that has operators of the same kind and is
    in the short set in its place. Records at a vertex `before` the first and `between` two rescales: in the midst of
    the stream on any machine. `hot_key`: the key that most of the bids between 0.8 and 1.6 s (auctions) or 0 and 2.5 s
    (bidders) are for.
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
    like: str = ""
    before: int = 1_000
    between: int = 1_500
    hot_key: int = 1100

    def parallelism(self, vertex: str, wanted: int) -> int:
        """The parallelism of a vertex where the path is at `wanted`."""
        return (wanted + 1) // 2 if vertex in self.halved else wanted


OWN = {
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
        WINDOWS, {"size_ms": 2000, "slide_ms": 500}, flags=("chained", "idle", "union"), before=300,
    ),
    "q11": Target(
        "q11", ["q11"], ["time: session windows, which merge"], ("--session-gap-ms", "500"), {"gap_ms": 500},
        hot_key=1001,
    ),
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

# Nexmark's queries, and those that DRRS was measured with; those over few events need few of them before a rescale.
NEXMARK = {
    "q3": Target(
        "q3", ["q3"], ["job shapes: Nexmark 3, a join of persons and auctions without windows"], flags=(),
        like="q9", before=40, between=60,
    ),
    "q4": Target(
        "q4", ["q4", "q4avg"], ["job shapes: Nexmark 4, few keys behind the ends of auctions"], flags=("union",),
        like="q9", before=40, between=60,
    ),
    "q7": Target(
        "q7", ["q7", "q7max"], ["time: Nexmark 7, windows that keep all their records"], SECONDS, {"window_ms": 1000},
        flags=("idle",), like="q5", before=100, between=150, hot_key=1001,
    ),
    "q8": Target(
        "q8", ["q8"], ["time: Nexmark 8, a co-group of two inputs in windows"], SECONDS, {"window_ms": 1000},
        flags=("idle", "union"), before=100, between=150,
    ),
    "q9": Target("q9", ["q9"], ["time: Nexmark 9, a join with timers at the ends of auctions"]),
    "q12": Target(
        "q12", ["q12"], ["time: Nexmark 12, windows of processing time"], SECONDS, flags=("idle",), hot_key=1001
    ),
    "q13": Target(
        "q13", ["q13"], ["job shapes: Nexmark 13, a bounded side input that is keyed"], flags=("chained",),
        before=11_000,
    ),
    "q15": Target(
        "q15", ["q15"], ["state: Nexmark 15, one key with all of the state"], row_a_bid=True, flags=(), like="q17"
    ),
    "q16": Target("q16", ["q16"], ["state: Nexmark 16, distinct counts"], row_a_bid=True, flags=(), like="q17"),
    "q18": Target("q18", ["q18"], ["state: Nexmark 18, many small keys"], row_a_bid=True, flags=(), like="q17"),
    "q19": Target("q19", ["q19"], ["state: Nexmark 19, ranked lists"], row_a_bid=True, flags=(), like="q17"),
    "q20": Target(
        "q20", ["q20"], ["job shapes: Nexmark 20, a join of bids and auctions without windows"], flags=("chained",),
        like="q9",
    ),
    "q23": Target(
        "q23", ["q23"], ["job shapes: Nexmark 23, three streams of one source joined"], flags=("union",), like="q17"
    ),
    "synthetic": Target(
        "synthetic", ["synthetic"], ["state: state of many sizes with skewed keys, in the synthetic job of DRRS"],
        ("--zipf-percent", "150", "--ballast-bytes", "2000", "--ballast-spread", "true"), {"zipf_percent": 150},
        row_a_bid=True, flags=(), like="count",
    ),
    "drrs-q7": Target(
        "drrs-q7", ["drrs-q7"], ["time: sliding windows of processing time"], WINDOWS,
        {"size_ms": 2000, "slide_ms": 500}, flags=(), like="q12", hot_key=1001,
    ),
    "drrs-q7-event": Target(
        "drrs-q7-event", ["drrs-q7"], ["time: sliding windows that keep all their records"], WINDOWS,
        {"size_ms": 2000, "slide_ms": 500}, flags=("backlog",), like="q5", hot_key=1001,
    ),
    "drrs-q8": Target(
        "drrs-q8", ["drrs-q8"], ["time: a union of two inputs in windows of processing time"], WINDOWS,
        {"size_ms": 2000, "slide_ms": 500}, flags=(), like="q12", before=100, between=150,
    ),
    "drrs-q8-event": Target(
        "drrs-q8-event", ["drrs-q8"], ["time: a union of two inputs in sliding windows"], WINDOWS,
        {"size_ms": 2000, "slide_ms": 500}, flags=("union",), like="q5", before=100, between=150,
    ),
}  # fmt: skip

TARGETS = OWN | NEXMARK

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

    `backlog`: the old owner of the hot key needs much longer for it than its events take to arrive, until the job is
    opened. `chained`: the sink is in the elastic chain (only possible for the last keyed operator). `idle`: one of two
    splits falls silent. `union`: a second source is seconds ahead. `drift_limit`: so is it, and is held until the first
    has come nearer.
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
                "--service-us", "100", "--service-hot-key", str(target.hot_key), "--service-hot-us", "20000",
                "--serve-until-open", "true",
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

# What follows has each target, flag and pair at least once, and each target and flag in both directions; targets like
# others not.
IN_PROCESSES = [
    Scenario("count", THERE_AND_BACK, backlog=True),
    Scenario("q5", OUT, unaligned=True, union=True),
    Scenario("q11", THERE_AND_BACK, unaligned=True, drift_limit=True),
    Scenario("states", (1, 2, 4, 3, 5, 1, 4)),
    Scenario("fan", OUT, unaligned=True),
    Scenario("rules", OUT),
    Scenario("q8", THERE_AND_BACK, idle=True),
]
"""With JVMs, networks and class loaders of their own: each kind of state and of movement once."""

IN_ONE_JVM = [
    Scenario("count", OUT, drift_limit=True),
    Scenario("q5max", IN, chained=True),
    Scenario("q17", THERE_AND_BACK, idle=True, unaligned=True),
    Scenario("states", IN, union=True),
    Scenario("many", IN, unaligned=True),
    Scenario("count", IN, unaligned=True),
    Scenario("q5", IN, idle=True),
    Scenario("q5", THERE_AND_BACK, unaligned=True, backlog=True),
    Scenario("q5max", THERE_AND_BACK, unaligned=True),
    Scenario("q11", OUT, chained=True),
    Scenario("states", OUT, unaligned=True, chained=True),
    Scenario("states", (4, 2), backlog=True),
    Scenario("fan", THERE_AND_BACK),
    Scenario("many", OUT, idle=True),
    Scenario("many", THERE_AND_BACK, chained=True),
    Scenario("rules", IN, unaligned=True),
    Scenario("rules", THERE_AND_BACK, chained=True),
    Scenario("q9", THERE_AND_BACK, union=True, unaligned=True),
    Scenario("q12", THERE_AND_BACK),
    Scenario("q13", THERE_AND_BACK, chained=True),
]
"""Further operators, and the same by other ways and in other company, at a third of the price."""

SHORT = [*IN_PROCESSES, *IN_ONE_JVM]


def matrix() -> Iterator[Scenario]:
    """All that is not in the short set: each target with each path, each flag that fits it, aligned and unaligned."""
    for (name, target), path, unaligned in product(TARGETS.items(), PATHS, (False, True)):
        cases = [Scenario(name, path, unaligned, **{flag: True}) for flag in target.flags]
        yield from (case for case in (Scenario(name, path, unaligned), *cases) if case not in SHORT)
