"""Planning of a rescale: which key groups move where, in what portions and order, at what expected cost.

Pure functions of plain values: no network, no clock, no randomness, so the same input always gives the same plan.
"""

from pyctl.planner.cost import CostModel
from pyctl.planner.placement import by_count, by_load, choose_active, least_moves, moved, rebalanced
from pyctl.planner.plan import (
    Balance,
    Plan,
    PlannerOptions,
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
    "Plan",
    "PlannerOptions",
    "Subscale",
    "by_count",
    "by_load",
    "choose_active",
    "divide",
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
