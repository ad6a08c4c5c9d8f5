"""Which job is rescaled how: the short set and the whole matrix of the oracle tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Any

import pytest

from harness.job import JobSpec
from harness.workload import Idle, Workload

WINDOWS = ("--hop-size-ms", "2000", "--hop-slide-ms", "500")
PATHS: tuple[tuple[int, ...], ...] = ((2, 3), (2, 4), (3, 5), (2, 3, 5), (4, 2), (5, 3), (3, 1, 4))


@dataclass(frozen=True)
class Target:
    """An operator to rescale and the query it is in; `features` of the support matrix."""

    query: str
    vertex: str
    features: Sequence[str]
    arguments: Sequence[str] = ()
    reference: Mapping[str, Any] = field(default_factory=dict)
    row_a_bid: bool = False


TARGETS = {
    "count": Target(
        "count", "count", ["state: value state", "time: event-time timers"], ("--timers", "true"), row_a_bid=True
    ),
    "q5": Target(
        "q5", "q5", ["time: sliding windows", "job shapes: the first of two keyed operators one behind the other"],
        WINDOWS, {"size_ms": 2000, "slide_ms": 500},
    ),
    "q5max": Target(
        "q5", "q5max", ["time: tumbling windows", "job shapes: the second of two keyed operators one behind the other"],
        WINDOWS, {"size_ms": 2000, "slide_ms": 500},
    ),
    "q11": Target("q11", "q11", ["time: session windows, which merge"], ("--session-gap-ms", "500"), {"gap_ms": 500}),
    "q17": Target("q17", "q17", ["state: a key of several fields"], row_a_bid=True),
    "states": Target(
        "states", "states", ["state: all kinds of keyed state, with TTL too", "time: timers of both kinds"],
        row_a_bid=True,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Scenario:
    """A path of parallelisms, and what makes it hard.

    `backlog`: the old owner of the hot key needs longer for it than its events take to arrive. `chained`: the sink is
    in the elastic chain (only possible for the last keyed operator). `idle`: one of two splits falls silent.
    """

    target: str
    path: tuple[int, ...]
    unaligned: bool = False
    backlog: bool = False
    chained: bool = False
    idle: bool = False

    def __str__(self) -> str:
        flags = [name for name in ("unaligned", "backlog", "chained", "idle") if getattr(self, name)]
        return "-".join([self.target, *map(str, self.path), *flags])

    @property
    def vertex(self) -> str:
        return TARGETS[self.target].vertex

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        """What it proves, as in the support matrix."""
        flags = {
            "checkpoints: unaligned": self.unaligned,
            "time: an old owner with a backlog": self.backlog,
            "sinks: a sink chained behind the keyed operator": self.chained,
            "time: an input that is idle for a while": self.idle,
            "directions: one after the other on a running job": len(self.path) > 2,
        }
        features = [*TARGETS[self.target].features, *(feature for feature, is_set in flags.items() if is_set)]
        steps = list(pairwise(self.path))
        directions = {
            "directions: scale out": [(before, after) for before, after in steps if before < after],
            "directions: scale in": [(before, after) for before, after in steps if before > after],
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
        workload = Workload()
        arguments = [*target.arguments]
        if self.idle:
            workload = replace(workload, idle=Idle(split=1, from_ms=1000, to_ms=6000))
        if self.backlog:
            arguments += [
                "--service-us", "100", "--service-hot-key", str(self.hot_key), "--service-hot-us", "8000"
            ]  # fmt: skip
        if self.chained:
            arguments += ["--sink-parallelism", str(self.path[0])]
        return JobSpec(
            target.query, self.path[0], workload, arguments, reference=target.reference, unaligned=self.unaligned
        )


SHORT = [
    Scenario("count", (2, 3, 5)),
    Scenario("count", (3, 1, 4), unaligned=True),
    Scenario("states", (4, 2), backlog=True),
    Scenario("q5", (4, 3)),
    Scenario("count", (2, 4), backlog=True),
    Scenario("q5", (2, 4), unaligned=True, backlog=True),
    Scenario("q5", (2, 4), backlog=True),
    Scenario("q5", (2, 3), idle=True),
    Scenario("q5max", (3, 5)),
    Scenario("q11", (2, 4), chained=True),
    Scenario("q17", (3, 5), unaligned=True),
    Scenario("states", (2, 4), backlog=True),
    Scenario("states", (2, 3), unaligned=True, chained=True),
]


def matrix() -> Iterator[Scenario]:
    """All that is not in the short set."""
    for target, path, unaligned in product(TARGETS, PATHS, (False, True)):
        plain = Scenario(target, path, unaligned)
        cases = [plain, replace(plain, idle=True)]
        if target != "q5max":
            cases.append(replace(plain, backlog=True))
        if target != "q5":
            cases.append(replace(plain, chained=True))
        yield from (case for case in cases if case not in SHORT)
