"""A whole plan for one vertex, with what it costs and what it brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pyctl.model import RescaleRequest, SubscalePlan, Vertex
from pyctl.planner import placement as placing
from pyctl.planner.cheaper import HotKeyGroup, cheaper, hot_key_groups
from pyctl.planner.placement import Surroundings
from pyctl.planner.subscales import Bounds, Subscale, divide, order, warmed_up
from pyctl.planner.warn import warnings_for
from pyctl.planner.work import DEFAULT_CONCURRENCY, Work, work_of_plan

BalanceBy = Literal["count", "load", "ranges"]


@dataclass(frozen=True)
class PlannerOptions:
    """What to balance, how large a subscale may be, and how many of them a subtask takes part in at a time."""

    balance: BalanceBy = "count"
    """`count` moves the least number of key groups that evens out their number (and uses loads to choose which);
    `load` evens out the measured load with few moves; `ranges` are those of a restart, whatever has to move."""
    tolerance: float = 0.1
    """With `load`: how far above the mean the busiest subtask may stay."""
    bounds: Bounds = field(default_factory=Bounds)
    concurrency: int = DEFAULT_CONCURRENCY


@dataclass(frozen=True)
class Balance:
    """How even a placement is: fewest and most key groups per subtask, and what the busiest subtask takes."""

    min_key_groups: int
    max_key_groups: int
    peak_share: float
    """The busiest subtask's part of the whole load, 0 to 1; without measured load, of the key groups."""
    peak_ratio: float
    """The busiest subtask's load as a multiple of the mean: 1.0 is even."""


@dataclass(frozen=True)
class Plan:
    """What moves where, in what order, and how much there is to do for it."""

    placement: list[int]
    active: list[int]
    subscales: list[Subscale]
    moves: int
    least_moves: int
    """The fewest moves that balance the number of key groups."""
    bytes: int
    work: Work
    before: Balance
    after: Balance
    warnings: list[str]
    hot: list[HotKeyGroup]
    """The hottest key groups, and why they move or stay."""

    def warned(self, more: Sequence[str]) -> Plan:
        """The same plan with what else the user should know, first."""
        return replace(self, warnings=[*more, *self.warnings])

    def request(
        self, vertex: str, parallelism: int, strategy: str, cause: str | None, options: Mapping[str, str]
    ) -> RescaleRequest:
        """The body that asks the JobManager to carry this plan out."""
        return RescaleRequest(
            vertex=vertex,
            parallelism=parallelism,
            strategy=strategy,
            cause=cause,
            placement=self.placement,
            subscales=[
                SubscalePlan(old_owner=s.old_owner, new_owner=s.new_owner, key_groups=list(s.key_groups))
                for s in self.subscales
            ],
            options=dict(options),
        )


def plan_rescale(
    placement: Sequence[int],
    active: Sequence[int],
    parallelism: int,
    ceiling: int,
    *,
    loads: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    entries: Sequence[int] | None = None,
    around: Surroundings | None = None,
    options: PlannerOptions | None = None,
) -> Plan:
    """Plan from plain values; `loads` (any unit), `sizes` (bytes) and `entries` have one value per key group.

    Raises ValueError if the parallelism cannot be planned for: below 1, above the ceiling or the number of key groups.
    """
    options = options or PlannerOptions()
    count = len(placement)
    if parallelism > count:
        raise ValueError(f"parallelism {parallelism} is above the {count} key groups")
    target = placing.choose_active(placement, active, parallelism, ceiling, around)
    if options.balance == "ranges":
        after = placing.by_ranges(count, target)
    elif options.balance == "load" and loads is not None and any(loads):
        after = placing.by_load(placement, target, loads, options.tolerance)
    else:
        after = placing.by_count(placement, target, loads)
    if options.balance != "ranges":
        after = _cheaper(placement, after, target, loads, sizes, options)
    return plan_placement(placement, active, after, target=target, loads=loads, sizes=sizes, entries=entries,
                          options=options)  # fmt: skip


def plan_placement(
    placement: Sequence[int],
    active: Sequence[int],
    after: Sequence[int],
    *,
    target: Sequence[int] | None = None,
    loads: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    entries: Sequence[int] | None = None,
    options: PlannerOptions | None = None,
) -> Plan:
    """Plan the way to a placement that is given; `target` are its subtasks (None: those that own something)."""
    options = options or PlannerOptions()
    count = len(placement)
    sizes = sizes or [0] * count
    entries = entries or [0] * count
    target = sorted(set(after)) if target is None else target
    weights = loads if loads is not None and any(loads) else [1.0] * count
    owned: dict[int, float] = dict.fromkeys(target, 0.0)
    for group, owner in enumerate(placement):
        if after[group] == owner:
            owned[owner] += weights[group]
    divided = divide(placement, after, weights, sizes, entries, options.bounds)
    subscales = warmed_up(order(divided, weights, owned))
    going = placing.moved(placement, after)
    return Plan(
        placement=list(after),
        active=list(target),
        subscales=subscales,
        moves=len(going),
        least_moves=placing.least_moves(placement, target),
        bytes=sum(sizes[g] for g in going),
        work=work_of_plan(
            subscales, sizes, len(set(target) - set(active)), len(set(active) - set(target)), options.concurrency
        ),
        before=_balance(placement, active, weights),
        after=_balance(after, target, weights),
        warnings=warnings_for(after, target, loads, entries),
        hot=hot_key_groups(placement, after, loads or [], target),
    )


def _cheaper(
    before: Sequence[int],
    after: Sequence[int],
    target: Sequence[int],
    loads: Sequence[float] | None,
    sizes: Sequence[int] | None,
    options: PlannerOptions,
) -> list[int]:
    """As many moves to as even a placement, of key groups that are cheaper to move."""
    known = loads is not None and any(loads)
    weights = loads if loads is not None and known else [1.0] * len(before)
    by_load = known and options.balance == "load"
    limit = placing.load_limit(weights, len(target), options.tolerance) if by_load else 0.0
    return cheaper(before, after, weights, sizes or [0] * len(before), limit)


def plan_vertex(
    vertex: Vertex,
    parallelism: int,
    options: PlannerOptions | None = None,
    loads: Sequence[float] | None = None,
    around: Surroundings | None = None,
) -> Plan:
    """Plan from the JobManager's picture of a vertex; `loads` (records per second) replace its counters if given.

    `around`: what the vertex itself does not tell of the TaskManagers it is on.

    Raises ValueError like `plan_rescale`, also if the picture itself is not usable.
    """
    picture = _Picture(vertex)
    plan = plan_rescale(
        vertex.placement,
        vertex.active,
        parallelism,
        vertex.ceiling,
        loads=picture.records if loads is None else loads,
        sizes=picture.sizes,
        entries=picture.entries,
        around=around or Surroundings(hosts=hosts_of(vertex)),
        options=options,
    )
    if vertex.uid is None:
        plan.warnings.append(
            f"The operator '{vertex.name}' has no uid: after a change of the job its state cannot be matched again."
        )
    return plan.warned(vertex.warnings)


def rebalance_vertex(
    vertex: Vertex,
    options: PlannerOptions | None = None,
    loads: Sequence[float] | None = None,
    target: Sequence[int] | None = None,
) -> Plan:
    """Plan a move among the subtasks that are active: to `target`, or to where the load (or the number) is even.

    `loads` as in `plan_vertex`. The plan moves nothing if nothing gets better by it. Raises ValueError if the picture
    of the vertex is not usable.
    """
    options = options or PlannerOptions(balance="load")
    picture = _Picture(vertex)
    weights = picture.records if loads is None else loads
    by_load = options.balance == "load" and any(weights)
    if target is not None:
        after = list(target)
    elif by_load:
        after = placing.rebalanced(vertex.placement, vertex.active, weights, options.tolerance)
    else:
        after = placing.by_count(vertex.placement, vertex.active, weights)
    if target is None:
        cheap = _cheaper(vertex.placement, after, vertex.active, weights, picture.sizes, options)
        # Its slack may be more than what the rebalance gains, which is all that it is for.
        before = placing.peak(vertex.placement, vertex.active, weights)
        if not by_load or placing.peak(cheap, vertex.active, weights) < before:
            after = cheap
    return plan_placement(
        vertex.placement,
        vertex.active,
        after,
        loads=weights,
        sizes=picture.sizes,
        entries=picture.entries,
        options=options,
    ).warned(vertex.warnings)


def hand_over_vertex(
    vertex: Vertex, retiring: Sequence[int], activated: Sequence[int], options: PlannerOptions | None = None
) -> Plan:
    """Plan that `retiring` end: each hands all its key groups to one of `activated`, which are dormant so far.

    If there are fewer of these, the key groups of the others are spread over all that are active then.
    Raises ValueError if the picture of the vertex is not usable or nobody is left.
    """
    picture = _Picture(vertex)
    after = placing.handed_over(vertex.placement, vertex.active, retiring, activated, picture.records)
    return plan_placement(
        vertex.placement,
        vertex.active,
        after,
        target=sorted({*vertex.active, *activated} - set(retiring)),
        loads=picture.records,
        sizes=picture.sizes,
        entries=picture.entries,
        options=options,
    ).warned(vertex.warnings)


def hosts_of(vertex: Vertex) -> dict[int, str]:
    """Active subtask -> TaskManager, as far as they are known."""
    return {s.index: s.task_manager for s in vertex.subtasks if s.task_manager is not None}


class _Picture:
    """What a vertex reports per key group, as lists. Raises ValueError if it does not fit together."""

    def __init__(self, vertex: Vertex) -> None:
        size = vertex.max_parallelism
        if len(vertex.placement) != size or not vertex.active or not set(vertex.placement) <= set(vertex.active):
            raise ValueError(f"the placement of {vertex.label} is not complete")
        self.records = [0.0] * size
        self.sizes = [0] * size
        self.entries = [0] * size
        for group in vertex.key_groups:
            if not 0 <= group.id < size:
                raise ValueError(f"{vertex.label} reports key group {group.id}, beyond its {size}")
            self.records[group.id] = float(group.records)
            self.sizes[group.id] = group.bytes
            self.entries[group.id] = group.entries


def _balance(placement: Sequence[int], active: Sequence[int], weights: Sequence[float]) -> Balance:
    counts = dict.fromkeys(active, 0)
    for owner in placement:
        counts[owner] += 1
    share = placing.peak(placement, active, weights) / sum(weights)
    return Balance(
        min_key_groups=min(counts.values()),
        max_key_groups=max(counts.values()),
        peak_share=share,
        peak_ratio=share * len(active),
    )
