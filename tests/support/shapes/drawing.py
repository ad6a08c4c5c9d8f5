"""Shapes as hypothesis draws them: whatever the catalogue (docs/operators.md) allows, and sometimes what it refuses."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from shapes.shape import Branch, Checkpoints, Keys, Origin, Shape, Step, Time

ONE_INPUT = (
    "value", "value-ttl", "value-lazy", "list", "map", "map-ttl", "map-lazy", "reducing", "aggregating", "cached",
    "timers", "timers-past", "timers-processing", "tumbling", "lateness", "sliding", "session", "reduce-window",
    "trigger", "window-state", "evictor", "count-window", "count-sliding", "processing-window", "reduce", "sum", "min",
    "max-by", "rich-map", "rich-flat-map", "rich-filter", "pattern",
)  # fmt: skip
TWO_INPUTS = ("connect", "connect-old", "connect-flat-map", "broadcast", "interval-join", "co-group")
HEADS = (*ONE_INPUT, *TWO_INPUTS)

NEED_ORDER = frozenset({"count-window", "count-sliding", "sum", "min", "max-by", "rich-filter"})
"""What they put out of a key depends on the order of all its events."""
BY_CLOCK = frozenset({"timers-processing", "processing-window"})
NUMBERING = frozenset(
    {"value", "value-ttl", "value-lazy", "list", "map", "map-ttl", "map-lazy", "reducing", "aggregating", "cached",
     "timers", "rich-map", "rich-flat-map"}
)  # fmt: skip
"""They see each event when it comes, so that a test knows when all are through: it has to with an idle input."""
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

PHASES = ("PLANNED", "PROVISIONING", "MIGRATING", "RETIRING")
CEILING = 6

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "drrs.strategy.subscale-concurrency": st.sampled_from(["1", "2", "4"]),
        "drrs.strategy.pull-window": st.sampled_from(["1", "2", "4", "16"]),
        "drrs.strategy.set-aside.records": st.sampled_from(["0", "1", "10", "10000"]),
        "drrs.strategy.set-aside.bytes": st.sampled_from(["1", "1000", "33554432"]),
        "drrs.exchange.signal-memory": st.sampled_from(["1kb", "32kb", "8mb"]),
        "drrs.exchange.state-memory": st.sampled_from(["1kb", "64kb", "4mb"]),
        "drrs.exchange.state-chunk": st.sampled_from(["128b", "1kb", "32kb"]),
        "drrs.checkpoint.patience": st.sampled_from(["1 s", "30 s"]),
    },
)


def often(draw: st.DrawFn, tenths: int) -> bool:
    """True so many times of ten."""
    return draw(st.integers(0, 9)) >= 10 - tenths


@st.composite
def origins(draw: st.DrawFn, count: int, idle: bool) -> tuple[Origin, ...]:
    """So many sources; the first one lives as long as the job."""
    result = []
    for index in range(count):
        splits = draw(st.integers(1, 3))
        result.append(
            Origin(
                splits=splits,
                readers=draw(st.integers(1, splits)),
                events=draw(st.sampled_from([600, 1_200, 2_400])),
                rate=draw(st.sampled_from([100, 300, 800])),
                lag=draw(st.sampled_from([0, 0, 400, 3_000])) if index else 0,
                brief=index > 0 and often(draw, 1),
                idle=idle and index == 0,
            )
        )
    return tuple(result)


@st.composite
def branches(draw: st.DrawFn, head: str, *, fails: bool, committing: bool, late: bool, idle: bool) -> Branch:
    """What is behind a head."""
    clock = head in BY_CLOCK
    second = "none"
    if not clock and not idle and often(draw, 3):
        second = draw(st.sampled_from(["same-key", "other-key", "window"]))
        if second == "window" and (head in NO_EVENT_TIME or late):
            second = "same-key"
    chained = st.sampled_from(["map", "flat-map", "filter", "process", "async", "async-unordered", "buffer"])
    behind = tuple(draw(st.lists(chained, max_size=2, unique=True))) if often(draw, 5) else ()
    if clock:
        behind = tuple(name for name in behind if name not in {"filter", "buffer"})
    followers = [
        "forward",
        "forward-slots",
        "forward-twice",
        "by-key",
        "rebalance",
        "shuffle",
        "global",
        "custom",
        "broadcast",
    ]
    follower = draw(st.sampled_from(followers)) if not clock and often(draw, 4) else "none"
    sinks = ["kept", "buffered", "function"] + (["committed", "committed", "files"] if committing else [])
    sink = draw(st.sampled_from(["kept", "function"] if clock else sinks))
    if fails:
        sink = "committed"
    writers = draw(st.sampled_from([0, 0, 1, 2]))
    return Branch(head=head, second=second, chained=behind, follower=follower, sink=sink, writers=writers)


@st.composite
def walks(draw: st.DrawFn, heads: int, parallelism: int, highest: int, *, fails: bool) -> tuple[Step, ...]:
    """One to four steps."""
    steps = []
    now = [parallelism] * heads
    for _ in range(draw(st.integers(1, 4))):
        kinds = ["rescale"] * 5 + ["abort", "savepoint"] + (["together", "together", "at once"] if heads > 1 else [])
        kind = draw(st.sampled_from(kinds + (["fail"] * 3 if fails else [])))
        several = kind in {"together", "at once"} or (kind in {"rescale", "savepoint"} and often(draw, 3))
        of = tuple(range(heads)) if several else (draw(st.integers(0, heads - 1)),)
        plan = draw(st.sampled_from([0, 1])) * draw(st.integers(1, 999)) if kind != "savepoint" else 0
        to = []
        for head in of:
            # A placement that is drawn may be one for as many subtasks as there are.
            others = [p for p in range(1, highest + 1) if plan or p != now[head]]
            to.append(draw(st.sampled_from(others)))
            if kind not in {"abort", "fail"}:
                now[head] = to[-1]
        steps.append(
            Step(
                kind=kind,
                of=of,
                to=tuple(to),
                plan=plan,
                phase=draw(st.sampled_from(PHASES)),
                checkpoint=often(draw, 2),
            )
        )
    return tuple(steps)


@st.composite
def shapes(draw: st.DrawFn, heads: Sequence[str] = HEADS) -> Shape:
    """A shape that is rescaled; its first head is one of these."""
    names = [draw(st.sampled_from(list(heads)))]
    if names[0] not in BY_CLOCK and often(draw, 3):
        names.append(draw(st.sampled_from([one for one in HEADS if one not in BY_CLOCK])))
    two = any(name in TWO_INPUTS for name in names)
    count = draw(st.integers(2, 3)) if two else draw(st.sampled_from([1, 1, 2, 3]))
    marks = draw(st.sampled_from(["none", "periodic", "periodic", "punctuated", "punctuated"]))
    idle = count > 1 and not two and marks != "none" and set(names) <= NUMBERING and often(draw, 4)
    sources = draw(origins(count, idle))
    late = not two and marks == "punctuated" and often(draw, 5)
    if late:
        sources = (sources[0].model_copy(update={"splits": 1, "readers": 1, "idle": False}),)
        idle = False
    if idle:
        sources = tuple(one.model_copy(update={"brief": False}) for one in sources)
    ordered = any(name in NEED_ORDER for name in names)
    keys = Keys(
        type=draw(st.sampled_from(["long", "integer", "string", "tuple", "pojo", "record"])),
        count=draw(st.sampled_from([3, 12, 40, 150])),
        hot=draw(st.sampled_from([0, 0, 50, 90])),
        together=often(draw, 1),
        shared=not ordered and often(draw, 2),
        apart=not two and (ordered or idle or draw(st.booleans())),
    )
    interval = draw(st.sampled_from([0, 50, 200, 1_000]))
    checkpoints = Checkpoints(
        interval=interval,
        once=often(draw, 8),
        unaligned=draw(st.booleans()),
        concurrent=draw(st.integers(1, 3)),
    )
    if checkpoints.unaligned:
        # Flink takes one unaligned checkpoint at a time, and exactly-once ones only.
        checkpoints = checkpoints.model_copy(update={"concurrent": 1, "once": True})
    clock = bool(set(names) & BY_CLOCK)
    fails = interval > 0 and checkpoints.once and not clock and often(draw, 2)
    parallelism = draw(st.integers(1, 4))
    maximum = draw(st.sampled_from([8, 32, 128, 1_024]))
    made = tuple(
        draw(branches(name, fails=fails, committing=interval > 0, late=late, idle=idle)) for name in names
    )  # fmt: skip
    uids = sum(1 + (one.second != "none") for one in made)
    return Shape(
        seed=draw(st.integers(1, 999)),
        sources=sources,
        time=Time(marks=marks, bound=draw(st.sampled_from([0, 30, 200])), late=late),
        keys=keys,
        maximum=maximum,
        parallelism=parallelism,
        reuse=draw(st.booleans()),
        timeout=draw(st.sampled_from([0, 1, 5, 100])),
        checkpoints=checkpoints,
        branches=made,
        slow=draw(st.sampled_from([0, 0, 300, 2_000])),
        options=draw(OPTIONS),
        walk=draw(walks(uids, parallelism, min(CEILING, maximum), fails=fails)),
    )


@st.composite
def refused(draw: st.DrawFn) -> Shape:
    """A shape whose first head is not rescaled."""
    shape = draw(shapes(["value", "reduce", "map"]))
    first = shape.branches[0].model_copy(update={"second": "none", "chained": (), "follower": "none"})
    keys, reason = shape.keys, ""
    what = draw(st.sampled_from([*REFUSED, *REFUSED_BEHIND, "rescale", "enum"]))
    if what in REFUSED:
        first, reason = first.model_copy(update={"head": what}), REFUSED[what]
    elif what in REFUSED_BEHIND:
        first, reason = first.model_copy(update={"chained": (what,)}), REFUSED_BEHIND[what]
    elif what == "rescale":
        first, reason = first.model_copy(update={"follower": "rescale"}), "RESCALE"
    else:
        keys, reason = keys.model_copy(update={"type": "enum"}), "Parity"
    return shape.model_copy(update={"branches": (first,), "keys": keys, "refusal": reason or "head0", "walk": ()})
