"""Subscales, order, warmed_up, work and warnings of a whole plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyctl.model import KeyGroup, Subtask, Vertex
from pyctl.planner import (
    Bounds,
    PlannerOptions,
    Subscale,
    divide,
    hand_over_vertex,
    moved,
    order,
    plan_rescale,
    plan_vertex,
    rebalance_vertex,
    warmed_up,
)
from pyctl.planner.placement import peak


def ranges(key_groups: int, parallelism: int) -> list[int]:
    return [group * parallelism // key_groups for group in range(key_groups)]


placements = st.lists(st.integers(0, 5), min_size=40, max_size=40)
numbers = st.lists(st.integers(0, 5000), min_size=40, max_size=40)


@given(placements, placements, numbers, numbers, numbers, st.integers(1, 20_000), st.integers(1, 12))
def test_subscales_cover_each_move_once_and_stay_within_their_bounds(
    before: list[int],
    after: list[int],
    loads: list[int],
    sizes: list[int],
    entries: list[int],
    limit: int,
    most: int,
) -> None:
    bounds = Bounds(max_bytes=limit, max_entries=limit, max_key_groups=most)
    parts = order(divide(before, after, loads, sizes, entries, bounds), loads, {})
    assert sorted(g for part in parts for g in part.key_groups) == moved(before, after)
    for part in parts:
        assert all(before[g] == part.old_owner and after[g] == part.new_owner for g in part.key_groups)
        assert [loads[g] for g in part.key_groups] == sorted((loads[g] for g in part.key_groups), reverse=True)
        assert len(part.key_groups) <= most
        if len(part.key_groups) > 1:
            assert sum(sizes[g] for g in part.key_groups) <= limit
            assert sum(entries[g] for g in part.key_groups) <= limit


def test_where_very_many_key_groups_move_subscales_get_larger_and_not_more() -> None:
    nothing = [0] * 4_096
    after = [0 if group % 4 == 0 else 1 for group in range(4_096)]
    assert len(divide(nothing, after, nothing, nothing, nothing, Bounds(max_key_groups=4))) == 512
    assert len(divide(nothing, after, nothing, nothing, nothing, Bounds(max_key_groups=9))) == 342


def test_the_emptiest_new_owner_comes_first_and_its_hottest_subscale() -> None:
    loads = [10.0, 1.0, 5.0, 5.0]
    cold, hot = Subscale(0, 2, (1,)), Subscale(0, 2, (0,))
    other = Subscale(1, 3, (2,))
    assert order([cold, hot, other], loads, {2: 3.0, 3: 0.0}) == [other, hot, cold]


def test_the_coolest_key_groups_of_a_pair_warm_up_its_exchange_one_by_one() -> None:
    ordered = [Subscale(0, 2, (g, g + 10)) for g in range(3)] + [Subscale(0, 2, (3,))]
    few = [Subscale(1, 3, (g,)) for g in range(5, 8)]
    assert [s.key_groups for s in warmed_up(ordered + few)] == [(3,), (12,), (0, 10), (1, 11), (2,), (5,), (6,), (7,)]


def test_subscales_without_load_alternate_between_new_owners() -> None:
    parts = [Subscale(0, 2, (0,)), Subscale(0, 2, (1,)), Subscale(1, 3, (2,)), Subscale(1, 3, (3,))]
    assert [part.new_owner for part in order(parts, [0.0] * 4, {})] == [2, 3, 2, 3]


@given(st.integers(1, 12), st.integers(1, 12), numbers, numbers, st.sampled_from(["count", "load"]))
def test_a_plan_is_complete_and_says_what_it_moves(
    old: int, new: int, loads: list[int], sizes: list[int], balance: str
) -> None:
    before = ranges(40, old)
    options = PlannerOptions(balance="load" if balance == "load" else "count")
    plan = plan_rescale(before, range(old), new, 12, loads=loads, sizes=sizes, options=options)
    assert len(plan.active) == new
    assert set(plan.placement) == set(plan.active)
    going = moved(before, plan.placement)
    assert plan.moves == len(going) == sum(len(s.key_groups) for s in plan.subscales)
    assert plan.bytes == sum(sizes[g] for g in going)
    assert plan.work.bytes <= plan.bytes <= sum(sizes)
    assert (plan.work.subscales > 0) == bool(going)
    if balance == "count":
        assert plan.moves == plan.least_moves


def test_a_hot_key_group_is_named_with_the_parallelism_it_allows() -> None:
    loads = [1.0] * 128
    loads[17] = 100.0
    plan = plan_rescale(ranges(128, 2), range(2), 4, 8, loads=loads)
    assert [w for w in plan.warnings if "Key group 17 takes 44% of the records" in w and "more than 2 subtasks" in w]


def test_one_against_two_key_groups_is_warned_about_with_an_even_choice() -> None:
    plan = plan_rescale(ranges(128, 64), range(64), 96, 128)
    assert len(plan.warnings) == 1
    assert "own 2 key groups and the others 1" in plan.warnings[0]
    assert "such as 128" in plan.warnings[0]
    assert plan_rescale(ranges(128, 2), range(2), 3, 8).warnings == []


def test_few_keys_are_warned_about() -> None:
    entries = [0] * 128
    entries[5] = entries[70] = 3
    plan = plan_rescale(ranges(128, 2), range(2), 4, 8, entries=entries)
    assert any("Only 2 of 128 key groups hold state" in w for w in plan.warnings)


def test_what_many_key_groups_cost_at_the_parallelism_wanted_is_warned_about() -> None:
    plan = plan_rescale(ranges(32_768, 2), range(2), 4, 8)
    assert [w for w in plan.warnings if "4 subtasks writes all 32768 key groups" in w and "1.5 MiB, and 0.8 MiB" in w]
    assert not any("key groups into a checkpoint" in w for w in plan_rescale(ranges(128, 2), range(2), 4, 8).warnings)


def vertex(**changes: object) -> Vertex:
    base: dict[str, object] = {
        "vertex_id": "a" * 32,
        "uid": "count",
        "name": "running count",
        "supported": True,
        "parallelism": 2,
        "ceiling": 8,
        "max_parallelism": 8,
        "active": [0, 1],
        "placement": ranges(8, 2),
        "subtasks": [Subtask(index=i, task_manager=f"tm-{i}", key_groups=4) for i in range(2)],
        "key_groups": [KeyGroup(id=g, records=10, entries=2, bytes=100) for g in range(8)],
    }
    return Vertex.model_validate({**base, **changes})


def test_a_vertex_is_planned_from_what_the_job_manager_reports() -> None:
    plan = plan_vertex(vertex(), 4)
    assert (plan.moves, plan.bytes, plan.active) == (4, 400, [0, 1, 2, 3])
    request = plan.request("count", 4, "drrs", "test", {"drrs.a": "1"})
    assert request.model_dump(by_alias=True)["subscales"][0].keys() == {"from", "to", "key_groups"}


def test_a_vertex_without_uid_is_warned_about() -> None:
    assert any("no uid" in w for w in plan_vertex(vertex(uid=None), 4).warnings)


def test_what_the_job_manager_warns_of_is_in_every_plan() -> None:
    known = vertex(warnings=["Field cache of F may be out of date."])
    plans = [plan_vertex(known, 4), rebalance_vertex(known), hand_over_vertex(known, [0], [2])]
    assert all(plan.warnings[0] == "Field cache of F may be out of date." for plan in plans)


@pytest.mark.parametrize("changes", [{"placement": [0]}, {"active": []}, {"active": [0]}, {"key_groups": [{"id": 8}]}])
def test_a_picture_that_cannot_be_right_is_not_planned_from(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="count"):
        plan_vertex(vertex(**changes), 4)


def test_more_subtasks_than_key_groups_is_an_error() -> None:
    with pytest.raises(ValueError, match="above the 2 key groups"):
        plan_rescale([0, 0], [0], 3, 8)


def test_a_rebalance_that_leaves_hot_key_groups_alone_still_makes_the_busiest_less_busy() -> None:
    loads, sizes = [100, 3, 2, 200, 3, 1, 2], [1_000_000, 10, 10, 10, 1, 10, 1_000]
    before = [0, 0, 3, 1, 2, 3, 1]
    known = vertex(
        parallelism=4,
        max_parallelism=7,
        active=[0, 1, 2, 3],
        placement=before,
        subtasks=[Subtask(index=i, task_manager=f"tm-{i}", key_groups=before.count(i)) for i in range(4)],
        key_groups=[
            KeyGroup(id=g, records=load, entries=2, bytes=size)
            for g, (load, size) in enumerate(zip(loads, sizes, strict=True))
        ],
    )
    plan = rebalance_vertex(known)
    assert plan.moves > 0
    assert peak(plan.placement, known.active, loads) < peak(before, known.active, loads)


def test_by_ranges_key_groups_go_where_a_restart_would_put_them() -> None:
    plan = plan_rescale(ranges(128, 8), range(8), 12, 12, options=PlannerOptions(balance="ranges"))
    assert (plan.placement, plan.moves, plan.least_moves) == (ranges(128, 12), 111, 40)
    gap = plan_rescale([0, 0, 0, 3, 3, 3], [0, 3], 3, 4, options=PlannerOptions(balance="ranges"))
    assert gap.placement == [0, 0, 1, 1, 3, 3]
