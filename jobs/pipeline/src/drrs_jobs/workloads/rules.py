"""What must hold between the fields of a workload: each fault as its place and a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from drrs_jobs.reference import QUERIES
from drrs_jobs.trace import TraceError, read_visits
from drrs_jobs.workloads.model import PARTS, Workload

Place = tuple[str | int, ...]
Fault = tuple[Place, str]

STEADY_WAIT_S = 12
"""How long a rescale that is due is put off at most until latency is steady."""

SPARE_S = STEADY_WAIT_S + 3

_ROOM_S = 10
"""What a rescale that was put off has of the schedule at least, to be over before the job is."""

_WITH_STATE = ("count", "q17", "states", "synthetic")
_WINDOWED = ("q5", "drrs-q7", "drrs-q7-event", "drrs-q8", "drrs-q8-event")
# What they put out does not depend on event time: the reference knows that of a constant rate only.
_WITHOUT_EVENT_TIME = ("count", "synthetic", "q12", "drrs-q7", "drrs-q8")
_SWINGS = ("square", "sine")
_NOT_RESCALED = ("event-timers", "processing-timers", "fan-side", "fan-placed", "fan-audit", "fan-attributes")


def steady_wait_s(workload: Workload, number: int) -> int:
    """Return how long the rescale of that number is put off at most; in a short schedule less than elsewhere."""
    return min(STEADY_WAIT_S, workload.seconds - workload.rescales[number].after_s - _ROOM_S)


def faults(workload: Workload) -> Iterator[Fault]:
    """Yield what does not fit together."""
    known = [name for name in QUERIES if name not in _NOT_RESCALED]
    if workload.query not in known:
        yield ("query",), f"there is no query {workload.query!r}; there are {', '.join(known)}"
        return
    yield from _of_query(workload)
    yield from _of_trace(workload)
    yield from _of_kafka(workload)
    yield from _of_rate(workload)
    yield from _of_rescales(workload)


def _of_query(workload: Workload) -> Iterator[Fault]:
    query = workload.query
    if workload.state.target_bytes and query not in _WITH_STATE:
        yield ("state",), f"state made beforehand is for {', '.join(_WITH_STATE)}, not for {query}"
    if workload.state.value_bytes and not workload.state.keys:
        yield ("state", "keys"), "0 keys have no state: say how many keys there are"
    if workload.keys is not None and query != "synthetic":
        yield ("keys",), f"the skew of keys is for the query synthetic, not for {query}"
    if workload.window is None:
        return
    if query not in _WINDOWED:
        yield ("window",), f"a sliding window is for {', '.join(_WINDOWED)}, not for {query}"
    if workload.window.size_ms % workload.window.slide_ms:
        yield (
            ("window", "size_ms"),
            f"{workload.window.size_ms} ms must be a multiple of slide_ms, {workload.window.slide_ms} ms",
        )


def _of_trace(workload: Workload) -> Iterator[Fault]:
    if workload.events != "trace":
        if workload.trace is not None:
            yield ("trace",), f"has no effect with events: {workload.events}"
        return
    if workload.query != "count":
        yield ("query",), f"a trace is for the query count, not for {workload.query}"
    if workload.rate.shape != "constant":
        yield ("rate", "shape"), "a trace has a load of its own: say events_per_second, its mean, and no shape"
    if workload.trace is None:
        yield ("trace",), "events: trace needs the path of one"
    elif workload.query == "count" and workload.rate.shape == "constant":
        try:
            read_visits(Path(workload.trace), workload.total_events)
        except TraceError as error:
            for sentence in error.sentences:
                yield ("trace",), sentence


def _of_kafka(workload: Workload) -> Iterator[Fault]:
    if workload.events != "kafka":
        return
    if workload.query not in _WITHOUT_EVENT_TIME:
        yield (
            ("query",),
            f"a job that reads from Kafka stays after its events, so that event time stops at the last one and not all "
            f"results of {workload.query} come; events: kafka is for {', '.join(_WITHOUT_EVENT_TIME)}",
        )
    if workload.source_parallelism > PARTS:
        yield (
            ("source_parallelism",),
            f"{workload.source_parallelism} subtasks are more than the {PARTS} partitions of the topic",
        )


def _of_rate(workload: Workload) -> Iterator[Fault]:
    rate = workload.rate
    if rate.steps and rate.shape != "steps":
        yield ("rate", "steps"), f"a rate of shape {rate.shape} has none: say shape: steps"
    for name in ("other", "period_s"):
        given, swings = getattr(rate, name) is not None, rate.shape in _SWINGS
        if given and not swings:
            yield ("rate", name), f"a rate of shape {rate.shape} has none: say shape: {' or shape: '.join(_SWINGS)}"
        elif swings and not given:
            yield ("rate", name), f"a rate of shape {rate.shape} needs it"
    if rate.shape == "constant":
        return
    if rate.shape == "steps":
        if not rate.steps:
            yield ("rate", "steps"), "a rate of shape steps needs them: a list of events_per_second and seconds"
        if "events_per_second" in rate.model_fields_set:
            yield ("rate", "events_per_second"), "the steps of a rate say what it is"
    if workload.query not in _WITHOUT_EVENT_TIME:
        yield (
            ("rate", "shape"),
            f"the reference of {workload.query} knows event time at a constant rate only; a rate may change with "
            f"{', '.join(_WITHOUT_EVENT_TIME)}",
        )
    if workload.events in ("replay", "kafka"):
        yield ("events",), "a replay has a constant rate: say events: generated"


def _of_rescales(workload: Workload) -> Iterator[Fault]:
    operator, cluster = workload.operator, workload.cluster
    if operator.parallelism > operator.key_groups:
        yield (
            ("operator", "parallelism"),
            f"{operator.parallelism} subtasks are more than the {operator.key_groups} key groups",
        )
    slots = cluster.task_managers * cluster.slots
    if workload.most_subtasks > slots:
        yield (
            ("cluster",),
            f"{cluster.task_managers} TaskManagers of {cluster.slots} slots have {slots} slots, and "
            f"{workload.most_subtasks} subtasks need as many",
        )
    before, earliest = operator.parallelism, 0
    for number, step in enumerate(workload.rescales):
        if step.to == before:
            yield ("rescales", number, "to"), f"the operator has {before} subtasks by then, so nothing would change"
        if step.to > operator.key_groups:
            yield ("rescales", number, "to"), f"{step.to} subtasks are more than the {operator.key_groups} key groups"
        if step.after_s <= earliest:
            yield ("rescales", number, "after_s"), f"{step.after_s} s is not after the rescale before, at {earliest} s"
        before, earliest = step.to, step.after_s
    last = workload.rescales[-1].after_s
    if last + SPARE_S > workload.seconds:
        yield (
            ("seconds",),
            f"the schedule of {workload.seconds} s must go on for {SPARE_S} s after the last rescale is due, at "
            f"{last} s",
        )
    if workload.rescales[0].after_s < workload.measure.steady_s:
        yield (
            ("measure", "steady_s"),
            f"{workload.measure.steady_s} s do not fit before the first rescale, at {workload.rescales[0].after_s} s",
        )
