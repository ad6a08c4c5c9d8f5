"""Of placements that are as even the one whose moves disturb less: never worse than before in anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyctl.planner import PlannerOptions, by_count, by_load, cheaper, choose_active, hot_key_groups, moved, plan_rescale
from pyctl.planner.placement import load_limit, peak

TOLERANCE = 0.1
EXACT = 1 + 1e-6
SLACK = 1.02


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[float], list[int]]:
    """Placement, active subtasks, those wanted, loads, sizes."""
    key_groups = draw(st.integers(2, 64))
    ceiling = draw(st.integers(1, min(12, key_groups)))
    active = sorted(draw(st.sets(st.integers(0, ceiling - 1), min_size=1)))
    placement = draw(st.lists(st.sampled_from(active), min_size=key_groups, max_size=key_groups))
    target = choose_active(placement, active, draw(st.integers(1, ceiling)), ceiling)
    amounts = st.one_of(st.just(0), st.integers(0, 100), st.integers(0, 10**9))
    loads = draw(st.lists(amounts, min_size=key_groups, max_size=key_groups))
    sizes = draw(st.lists(amounts, min_size=key_groups, max_size=key_groups))
    return placement, active, target, [float(load) for load in loads], sizes


def cost(before: Sequence[int], after: Sequence[int], loads: Sequence[float], sizes: Sequence[int]) -> float:
    return sum(loads[g] * max(sizes[g], 1) for g in moved(before, after))


@given(situations(), st.sampled_from(["count", "load"]))
def test_no_plan_costs_more_is_less_even_or_moves_more_than_the_one_it_improves(
    situation: tuple[list[int], list[int], list[int], list[float], list[int]], balance: str
) -> None:
    before, _, target, loads, sizes = situation
    by_the_load = balance == "load" and any(loads)
    old = by_load(before, target, loads, TOLERANCE) if by_the_load else by_count(before, target, loads)
    weights = loads if any(loads) else [1.0] * len(before)
    limit = load_limit(weights, len(target), TOLERANCE) if by_the_load else 0.0
    new = cheaper(before, old, weights, sizes, limit)
    assert Counter(new) == Counter(old)
    assert len(moved(before, new)) == len(moved(before, old))
    assert peak(new, target, weights) <= max(limit, SLACK * peak(old, target, weights)) * EXACT
    assert cost(before, new, weights, sizes) <= cost(before, old, weights, sizes) * EXACT
    assert Counter((before[g], new[g]) for g in moved(before, new)) == Counter(
        (before[g], old[g]) for g in moved(before, old)
    )


@given(situations(), st.sampled_from(["count", "load"]))
def test_a_plan_has_each_key_group_that_moves_exactly_once(
    situation: tuple[list[int], list[int], list[int], list[float], list[int]], balance: str
) -> None:
    before, active, target, loads, sizes = situation
    options = PlannerOptions(balance="load" if balance == "load" else "count")
    plan = plan_rescale(before, active, len(target), 12, loads=loads, sizes=sizes, options=options)
    assert sorted(g for s in plan.subscales for g in s.key_groups) == moved(before, plan.placement)
    for part in plan.subscales:
        for group in part.key_groups:
            assert (before[group], plan.placement[group]) == (part.old_owner, part.new_owner)
    assert [hot.share for hot in plan.hot] == sorted((hot.share for hot in plan.hot), reverse=True)
    for hot in plan.hot:
        assert hot.owner == before[hot.key_group]
        assert plan.placement[hot.key_group] == (hot.owner if hot.new_owner is None else hot.new_owner)


def test_a_hot_key_group_stays_where_the_balance_is_the_same() -> None:
    before = [0] * 8
    loads = [1000.0] + [1.0] * 7
    after = [1, 1, 1, 1, 0, 0, 0, 0]
    new = cheaper(before, after, loads, [1] * 8)
    assert new[0] == 0
    assert Counter(new) == Counter(after)


def test_a_small_one_moves_instead_of_a_large_one_that_is_as_hot() -> None:
    sizes = [100, 100, 1, 1]
    assert cheaper([0] * 4, [1, 1, 0, 0], [1.0] * 4, sizes) == [0, 0, 1, 1]


def test_a_hot_key_group_moves_where_the_balance_needs_it() -> None:
    before, loads = [0] * 4, [10.0, 10.0, 1.0, 1.0]
    after = [0, 1, 0, 1]
    assert cheaper(before, after, loads, [1] * 4) == after


def test_of_a_subtask_that_retires_all_goes() -> None:
    before, after = [0, 0, 1, 1], [0, 0, 0, 0]
    assert cheaper(before, after, [1.0, 2.0, 3.0, 4.0], [1] * 4) == after


def test_equal_ones_are_left_as_they_are() -> None:
    before, after = [0] * 8, [0, 0, 0, 0, 1, 1, 1, 1]
    assert cheaper(before, after, [1.0] * 8, [0] * 8) == after


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ([2, 0, 0, 0, 1, 1, 1, 1], "moves 0 -> 2: with it subtask 0 would take 2.88 times the mean load, and now no"),
        ([0, 2, 0, 0, 1, 1, 1, 1], "stays at 0: 1 other leaves instead"),
        ([0, 0, 0, 0, 1, 1, 1, 2], "stays at 0: nothing leaves subtask 0"),
    ],
)
def test_what_becomes_of_a_hot_key_group_is_said_with_the_reason(after: list[int], words: str) -> None:
    loads = [90.0] + [1.0] * 7
    (hot,) = hot_key_groups([0] * 4 + [1] * 4, after, loads, [0, 1, 2])
    assert f"hot key group 0 (93% of the load) {words}" in hot.sentence()


def test_a_hot_key_group_of_a_subtask_that_retires_says_so() -> None:
    (hot,) = hot_key_groups([1] + [0] * 7, [0] * 8, [90.0] + [1.0] * 7, [0])
    assert hot.sentence().endswith("moves 1 -> 0: subtask 1 is to own nothing")


def test_nothing_is_hot_without_load_or_with_an_even_one() -> None:
    assert hot_key_groups([0, 1], [0, 1], [0.0, 0.0], [0, 1]) == []
    assert hot_key_groups([0, 1], [0, 1], [5.0, 5.0], [0, 1]) == []
