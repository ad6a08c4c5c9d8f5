"""Planning of a rescale: which key groups move where, in what portions and order, at what expected cost.

Pure functions of plain values: no network, no clock, no randomness, so the same input always gives the same plan.
"""

from pyctl.planner.cost import CostModel
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

__all__ = [
    "Balance",
    "Bounds",
    "CostModel",
    "Occupied",
    "Plan",
    "PlannerOptions",
    "Subscale",
    "Surroundings",
    "by_count",
    "by_load",
    "choose_active",
    "divide",
    "hand_over_vertex",
    "handed_over",
    "hosts_of",
    "least_moves",
    "moved",
    "order",
    "plan_placement",
    "plan_rescale",
    "plan_vertex",
    "rebalance_vertex",
    "rebalanced",
    "warmed_up",
]
