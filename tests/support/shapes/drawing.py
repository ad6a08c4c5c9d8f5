"""Shapes drawn from a seed and a number: what the catalogue (docs/operators.md) allows, sometimes what it refuses.

Not by hypothesis: that goes from example to example in small steps, and each of these takes seconds.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from shapes.shape import Branch, Checkpoints, Keys, Origin, Shape, Step, Time

ONE_INPUT = (
    "value", "value-ttl", "value-lazy", "list", "map", "map-ttl", "map-lazy", "reducing", "aggregating", "cached",
    "timers", "timers-past", "timers-processing", "tumbling", "lateness", "sliding", "session", "reduce-window",
    "trigger", "window-state", "evictor", "count-window", "count-sliding", "processing-window", "reduce", "sum", "min",
    "max-by", "rich-map", "rich-flat-map", "rich-filter", "pattern",
)  # fmt: skip
TWO_INPUTS = frozenset({"connect", "connect-old", "connect-flat-map", "broadcast", "interval-join", "co-group"})
HEADS = (*ONE_INPUT, *sorted(TWO_INPUTS))

NEED_ORDER = frozenset({"count-window", "count-sliding", "sum", "min", "max-by", "rich-filter", "pattern"})
"""What they put out of a key depends on the order of all its events; a pattern's on those with one timestamp."""
BY_CLOCK = frozenset({"timers-processing", "processing-window"})
NUMBERING = frozenset(
    {"value", "value-ttl", "value-lazy", "list", "map", "map-ttl", "map-lazy", "reducing", "aggregating", "cached",
     "timers", "rich-map", "rich-flat-map"}
)  # fmt: skip
"""They see each event when it comes, so that a test knows when all are through: it has to with an idle input."""
MANY = frozenset({"broadcast", "interval-join"})
"""They put out many results for one event: behind a slow sink a record takes them minutes."""
NO_EVENT_TIME = frozenset({"timers-past", "broadcast", "count-window", "count-sliding", "lateness", *BY_CLOCK})
"""Their results have no event time, or one that is late behind them."""

REFUSED = {
    "process-function": "KeyedProcessFunction",
    "async-head": "AsyncWaitOperator",
    "async-state": "enableAsyncState",
    "own-operator": "OwnOperator",
    "checkpointed-head": "Checkpointed",
    "two-in-a-chain": "",
}
"""Heads, and what the reason for refusing them names."""
REFUSED_BEHIND = {"assigner": "watermark", "checkpointed": "InCheckpoints"}

REASONS = (*REFUSED, *REFUSED_BEHIND, "rescale", "enum")

PHASES = ("PLANNED", "PROVISIONING", "MIGRATING", "RETIRING")
CEILING = 6

STRATEGIES = ("drrs", "drrs", "reference", "meces", "lazy", "remote", "megaphone", "otfs")

OPTIONS: Mapping[str, Sequence[str]] = {
    "drrs.strategy.subscale-concurrency": ["1", "2", "4"],
    "drrs.strategy.node-concurrency": ["1", "2", "16"],
    "drrs.strategy.subscale-key-groups": ["1", "4", "32"],
    "drrs.strategy.warm-up": ["0", "1", "4"],
    "drrs.strategy.pull-window": ["1", "2", "4", "16"],
    "drrs.strategy.set-aside.records": ["0", "1", "10", "10000"],
    "drrs.strategy.set-aside.bytes": ["1", "1000", "33554432"],
    "drrs.strategy.decoupling": ["true", "false"],
    "drrs.strategy.record-scheduling": ["true", "false"],
    "drrs.strategy.subscale-division": ["true", "false"],
    "drrs.strategy.bins.from": ["0", "1024"],
    "drrs.strategy.bins.size": ["0", "200"],
    "drrs.reference.round": ["50", "200"],
    "drrs.reference.subscale-concurrency": ["1", "4"],
    "drrs.reference.subscale-key-groups": ["1", "8"],
    "drrs.reference.pull-window": ["1", "4"],
    "drrs.reference.set-aside.records": ["1", "200"],
    "drrs.reference.reroute.bytes": ["0", "1000", "32768"],
    "drrs.reference.reroute.timeout": ["20", "1000"],
    "drrs.meces.batch": ["1", "5", "40"],
    "drrs.meces.bins": ["1", "3", "16"],
    "drrs.lazy.background": ["true", "false"],
    "drrs.lazy.batch": ["1", "4"],
    "drrs.lazy.bins": ["1", "3", "16"],
    "drrs.lazy.set-aside.records": ["0", "10", "10000"],
    "drrs.lazy.set-aside.bytes": ["1000", "33554432"],
    "drrs.remote.key-groups": ["1", "4"],
    "drrs.remote.batch": ["1", "4"],
    "drrs.remote.bins": ["1", "3", "16"],
    "drrs.remote.set-aside.records": ["0", "10", "10000"],
    "drrs.remote.set-aside.bytes": ["1000", "33554432"],
    "drrs.megaphone.batch": ["1", "3", "16"],
    "drrs.copy-ahead": ["true", "true", "false"],
    "drrs.copy-ahead.window": ["1", "20000", "268435456"],
    "drrs.exchange.signal-memory": ["1kb", "32kb", "8mb"],
    "drrs.exchange.state-memory": ["1kb", "64kb", "4mb"],
    "drrs.exchange.state-chunk": ["128b", "1kb", "32kb"],
    "drrs.checkpoint.patience": ["1 s", "30 s"],
    "drrs.checkpoint.hold": ["0 s", "1 s", "10 s"],
}


def often(dice: random.Random, tenths: int) -> bool:
    """True so many times of ten."""
    return dice.randrange(10) < tenths


def origins(dice: random.Random, count: int, idle: bool) -> tuple[Origin, ...]:
    """So many sources; the first one lives as long as the job."""
    result = []
    for index in range(count):
        splits = dice.randint(1, 3)
        result.append(
            Origin(
                splits=splits,
                readers=dice.randint(1, splits),
                events=dice.choice([600, 1_200, 2_400]),
                rate=dice.choice([100, 300, 800]),
                lag=dice.choice([0, 0, 400, 3_000]) if index else 0,
                brief=index > 0 and often(dice, 1),
                idle=idle and index == 0,
            )
        )
    return tuple(result)


def branches(dice: random.Random, head: str, *, fails: bool, committing: bool, late: bool, idle: bool) -> Branch:
    """What is behind a head."""
    clock = head in BY_CLOCK
    second = "none"
    if not clock and not idle and often(dice, 3):
        second = dice.choice(["same-key", "other-key", "window"])
        if second == "window" and (head in NO_EVENT_TIME or late):
            second = "same-key"
    chained = ["map", "flat-map", "filter", "process", "async", "async-unordered", "buffer"]
    behind = tuple(dice.sample(chained, dice.randint(1, 2))) if often(dice, 6) else ()
    if clock:
        behind = tuple(name for name in behind if name not in {"filter", "buffer"})
    followers = [
        "forward",
        "forward-slots",
        "forward-twice",
        "by-key",
        "assigner-by-key",
        "rebalance",
        "shuffle",
        "global",
        "custom",
        "broadcast",
    ]
    follower = dice.choice(followers) if not clock and often(dice, 4) else "none"
    sinks = ["kept", "buffered", "function"] + (["committed", "committed", "files"] if committing else [])
    sink = dice.choice(["kept", "function"] if clock else sinks)
    if fails:
        sink = "committed"
    writers = dice.choice([0, 0, 1, 2])
    return Branch(head=head, second=second, chained=behind, follower=follower, sink=sink, writers=writers)


def walks(dice: random.Random, heads: int, parallelism: int, highest: int, *, fails: bool) -> tuple[Step, ...]:
    """One to four steps."""
    steps = []
    now = [parallelism] * heads
    for _ in range(dice.randint(1, 4)):
        kinds = ["rescale"] * 5 + ["abort", "savepoint"] + (["together", "together", "at once"] if heads > 1 else [])
        kind = dice.choice(kinds + (["fail", "fail", "crash"] if fails else []))
        several = kind in {"together", "at once"} or (kind in {"rescale", "savepoint"} and often(dice, 3))
        of = tuple(range(heads)) if several else (dice.randint(0, heads - 1),)
        plan = dice.choice([0, 1]) * dice.randint(1, 999) if kind != "savepoint" else 0
        to = []
        for head in of:
            # A placement that is drawn may be one for as many subtasks as there are.
            others = [p for p in range(1, highest + 1) if plan or p != now[head]]
            to.append(dice.choice(others))
            if kind not in {"abort", "fail", "crash"}:
                now[head] = to[-1]
        steps.append(
            Step(
                kind=kind,
                of=of,
                to=tuple(to),
                plan=plan,
                phase=dice.choice(PHASES),
                checkpoint=often(dice, 2),
            )
        )
    return tuple(steps)


def rescaled(dice: random.Random, head: str) -> Shape:
    """A shape with this head, which is rescaled, and perhaps another one."""
    names = [head]
    if names[0] not in BY_CLOCK and often(dice, 3):
        # With two inputs sources have keys in common, so there is no order of all events of a key.
        unfit = BY_CLOCK | (TWO_INPUTS if head in NEED_ORDER else NEED_ORDER if head in TWO_INPUTS else frozenset())
        names.append(dice.choice([one for one in HEADS if one not in unfit]))
    two = any(name in TWO_INPUTS for name in names)
    count = dice.randint(2, 3) if two else dice.choice([1, 1, 2, 3])
    marks = dice.choice(["none", "periodic", "periodic", "punctuated", "punctuated"])
    idle = count > 1 and not two and marks != "none" and set(names) <= NUMBERING and often(dice, 4)
    sources = origins(dice, count, idle)
    late = not two and marks == "punctuated" and often(dice, 5)
    if late:
        sources = (sources[0].model_copy(update={"splits": 1, "readers": 1, "idle": False}),)
        idle = False
    if idle:
        sources = tuple(one.model_copy(update={"brief": False}) for one in sources)
    ordered = any(name in NEED_ORDER for name in names)
    keys = Keys(
        type=dice.choice(["long", "integer", "string", "tuple", "pojo", "record"]),
        count=dice.choice([3, 12, 40, 150]),
        hot=dice.choice([0, 0, 50, 90]),
        together=often(dice, 1),
        shared=not ordered and often(dice, 2),
        apart=not two and (ordered or idle or often(dice, 5)),
    )
    interval = dice.choice([0, 50, 200, 1_000])
    checkpoints = Checkpoints(
        interval=interval,
        once=often(dice, 8),
        unaligned=often(dice, 5),
        concurrent=dice.randint(1, 3),
    )
    if checkpoints.unaligned:
        # Flink takes one unaligned checkpoint at a time, and exactly-once ones only; with a custom partitioner none.
        checkpoints = checkpoints.model_copy(update={"concurrent": 1, "once": True})
    clock = bool(set(names) & BY_CLOCK)
    fails = interval > 0 and checkpoints.once and not clock and often(dice, 2)
    parallelism = dice.randint(1, 4)
    maximum = dice.choice([8, 32, 128, 1_024])
    made = tuple(
        branches(dice, name, fails=fails, committing=interval > 0, late=late, idle=idle) for name in names
    )  # fmt: skip
    uids = sum(1 + (one.second != "none") for one in made)
    if interval > 0 and checkpoints.unaligned:
        made = tuple(one.model_copy(update={"follower": "global"}) if one.follower == "custom" else one for one in made)
    walk = walks(dice, uids, parallelism, min(CEILING, maximum), fails=fails)
    if any(step.kind == "savepoint" for step in walk):
        made = once(made, interval > 0)
    # Watermarks are not restored: on stock Flink too a late event is in time if it comes first after a start.
    late = late and not any(step.kind in {"savepoint", "fail", "crash"} for step in walk)
    return Shape(
        seed=dice.randint(1, 999),
        sources=sources,
        time=Time(marks=marks, bound=dice.choice([0, 30, 200]), late=late),
        keys=keys,
        maximum=maximum,
        parallelism=parallelism,
        reuse=often(dice, 5),
        timeout=dice.choice([0, 1, 5, 100]),
        checkpoints=checkpoints,
        branches=made,
        meeting=len(made) > 1 and often(dice, 3),
        slow=dice.choice([0, 0, 300, 2_000]) if not MANY & set(names) else 0,
        options=options(dice, ends=interval > 0 and "broadcast" not in names),
        strategy=dice.choice(STRATEGIES),
        walk=walk,
    )


def options(dice: random.Random, *, ends: bool) -> dict[str, str]:
    """Of the job. `ends`: a rescale that waits for a checkpoint may; then one that is due is not held back for long."""
    drawn = {name: dice.choice(values) for name, values in OPTIONS.items() if often(dice, 4)}
    if drawn.get("drrs.lazy.background") == "false":
        drawn |= {"drrs.checkpoint.hold": "1 s"} if ends else {"drrs.lazy.background": "true"}
    return drawn


def once(made: tuple[Branch, ...], committing: bool) -> tuple[Branch, ...]:
    """Calls under way at a savepoint are made again: on stock Flink too a sink that keeps all gets both results."""
    if not any(name.startswith("async") for one in made for name in one.chained):
        return made
    if committing:
        return tuple(one.model_copy(update={"sink": "committed"}) for one in made)
    without = [tuple(name for name in one.chained if not name.startswith("async")) for one in made]
    return tuple(one.model_copy(update={"chained": left}) for one, left in zip(made, without, strict=True))


def refused(dice: random.Random, what: str) -> Shape:
    """A shape whose only head is not rescaled, because of this."""
    shape = rescaled(dice, dice.choice(["value", "reduce", "map"]))
    first = shape.branches[0].model_copy(update={"second": "none", "chained": (), "follower": "none"})
    keys, reason = shape.keys, ""
    if what in REFUSED:
        first, reason = first.model_copy(update={"head": what}), REFUSED[what]
        # The order of all events of a key counts, which only one source has.
        keys = keys.model_copy(update={"apart": True, "shared": False})
    elif what in REFUSED_BEHIND:
        first, reason = first.model_copy(update={"chained": (what,)}), REFUSED_BEHIND[what]
    elif what == "rescale":
        first, reason = first.model_copy(update={"follower": "rescale"}), "RESCALE"
        # One key's results come by several followers then: in which order they meet others is open on stock Flink too.
        shape = shape.model_copy(update={"meeting": False})
    else:
        # Which keys have a key group in common is another matter in each JVM.
        keys, reason = keys.model_copy(update={"type": "enum", "together": False}), "Parity"
    return shape.model_copy(update={"branches": (first,), "keys": keys, "refusal": reason or "head0", "walk": ()})


def drawn(seed: int, number: int, heads: Sequence[str] = HEADS) -> Shape:
    """The shape of this number: each head in turn, and as the eighth one what is refused."""
    dice = random.Random(f"{seed}/{number}")
    turn, place = divmod(number, 8)
    if place == 7:
        return refused(dice, REASONS[turn % len(REASONS)])
    return rescaled(dice, heads[(turn * 7 + place) % len(heads)])
