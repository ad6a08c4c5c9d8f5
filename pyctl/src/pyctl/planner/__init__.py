"""Planning of a rescale: which key groups move where, in what portions and order, and how long that may take.

Pure functions of plain values: no network, no clock, no randomness, so the same input always gives the same plan.
"""

from pyctl.planner.cheaper import HotKeyGroup, cheaper, hot_key_groups
from pyctl.planner.estimate import Checkpoints, Estimate, History, Range, Warmth, estimate, history_of
from pyctl.planner.placement import (
    Occupied,
    Surroundings,
    by_count,
    by_load,
    choose_active,
    handed_over,
    least_moves,
    moved,
    rebalanced,
)
from pyctl.planner.plan import (
    Balance,
    Plan,
    PlannerOptions,
    hand_over_vertex,
    hosts_of,
    plan_placement,
    plan_rescale,
    plan_vertex,
    rebalance_vertex,
)
from pyctl.planner.subscales import Bounds, Subscale, divide, order, warmed_up
from pyctl.planner.work import Work, work_of_past, work_of_plan

__all__ = [
    "Balance",
    "Bounds",
    "Checkpoints",
    "Estimate",
    "History",
    "HotKeyGroup",
    "Occupied",
    "Plan",
    "PlannerOptions",
    "Range",
    "Subscale",
    "Surroundings",
    "Warmth",
    "Work",
    "by_count",
    "by_load",
    "cheaper",
    "choose_active",
    "divide",
    "estimate",
    "hand_over_vertex",
    "handed_over",
    "history_of",
    "hosts_of",
    "hot_key_groups",
    "least_moves",
    "moved",
    "order",
    "plan_placement",
    "plan_rescale",
    "plan_vertex",
    "rebalance_vertex",
    "rebalanced",
    "warmed_up",
    "work_of_past",
    "work_of_plan",
]
