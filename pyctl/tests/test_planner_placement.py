"""Placement: balanced, minimal, complete - for any valid start."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyctl.planner import (
    Occupied,
    Surroundings,
    by_count,
    by_load,
    choose_active,
    handed_over,
    least_moves,
    moved,
)
from pyctl.planner.placement import peak


def ranges(key_groups: int, parallelism: int) -> list[int]:
    """Flink's own start placement: contiguous ranges."""
    return [group * parallelism // key_groups for group in range(key_groups)]


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[int], list[int], int, int]:
    """Any placement over any active set (gaps, empty subtasks), with a parallelism to go to and a ceiling."""
    key_groups = draw(st.integers(1, 96))
    ceiling = draw(st.integers(1, min(24, key_groups)))
    active = sorted(draw(st.sets(st.integers(0, ceiling - 1), min_size=1)))
    placement = draw(st.lists(st.sampled_from(active), min_size=key_groups, max_size=key_groups))
    return placement, active, draw(st.integers(1, ceiling)), ceiling


loads_of_any_shape = st.lists(st.one_of(st.just(0.0), st.floats(0, 100), st.floats(0, 1e6)), min_size=96, max_size=96)


@pytest.mark.parametrize(
    ("key_groups", "old", "new", "least"),
    [
        (128, 1, 2, 64),
        (128, 2, 3, 42),
        (128, 3, 2, 42),
        (128, 2, 4, 64),
        (128, 4, 2, 64),
        (128, 4, 6, 42),
        (128, 8, 12, 40),
        (128, 12, 8, 40),
        (128, 8, 16, 64),
        (256, 25, 30, 40),
        (720, 8, 12, 240),
        (128, 64, 96, 32),
        (128, 3, 5, 50),
    ],
)
def test_the_known_minimum_of_moves_is_reached(key_groups: int, old: int, new: int, least: int) -> None:
    before = ranges(key_groups, old)
    active = choose_active(before, range(old), new, max(old, new))
    after = by_count(before, active)
    assert len(moved(before, after)) == least == least_moves(before, active)


@given(situations(), st.one_of(st.none(), loads_of_any_shape))
def test_by_count_is_balanced_and_moves_exactly_the_minimum(
    situation: tuple[list[int], list[int], int, int], loads: list[float] | None
) -> None:
    placement, active, parallelism, ceiling = situation
    target = choose_active(placement, active, parallelism, ceiling)
    after = by_count(placement, target, loads and loads[: len(placement)])
    counts = [after.count(index) for index in target]
    assert sum(counts) == len(placement)
    assert max(counts) - min(counts) <= 1
    assert len(moved(placement, after)) == least_moves(placement, target)


@settings(max_examples=40)
@given(st.integers(1, 7), st.integers(1, 4), st.data())
def test_no_balanced_placement_moves_less(key_groups: int, ceiling: int, data: st.DataObject) -> None:
    """`least_moves` against trying out everything."""
    ceiling = min(ceiling, key_groups)
    placement = data.draw(st.lists(st.integers(0, ceiling - 1), min_size=key_groups, max_size=key_groups))
    parallelism = data.draw(st.integers(1, ceiling))
    target = choose_active(placement, range(ceiling), parallelism, ceiling)
    fewest = key_groups + 1
    for number in range(parallelism**key_groups):
        other = [target[number // parallelism**g % parallelism] for g in range(key_groups)]
        counts = [other.count(index) for index in target]
        if max(counts) - min(counts) <= 1:
            fewest = min(fewest, len(moved(placement, other)))
    assert least_moves(placement, target) == fewest


@given(situations(), loads_of_any_shape)
def test_by_load_leaves_nobody_empty_and_is_never_worse_than_by_count(
    situation: tuple[list[int], list[int], int, int], loads: list[float]
) -> None:
    placement, active, parallelism, ceiling = situation
    loads = loads[: len(placement)]
    target = choose_active(placement, active, parallelism, ceiling)
    after = by_load(placement, target, loads, tolerance=0.1)
    assert set(after) == set(target)
    if any(loads):
        limit = 1.1 * sum(loads) / len(target)
        assert peak(after, target, loads) <= max(limit, peak(by_count(placement, target, loads), target, loads)) * 1.001


@given(situations(), loads_of_any_shape)
def test_by_load_reaches_the_bound_that_any_heaviest_key_group_allows(
    situation: tuple[list[int], list[int], int, int], loads: list[float]
) -> None:
    """Peak at most mean + heaviest key group: what no placement can promise to beat."""
    placement, active, parallelism, ceiling = situation
    loads = loads[: len(placement)]
    target = choose_active(placement, active, parallelism, ceiling)
    after = by_load(placement, target, loads, tolerance=0.1)
    if any(loads):
        mean = sum(loads) / len(target)
        assert peak(after, target, loads) <= max(1.1 * mean, mean + max(loads)) * 1.001


def test_by_load_moves_few_when_one_subtask_is_hot() -> None:
    before = ranges(128, 4)
    loads = [1.0] * 128
    loads[0:8] = [13.0] * 8
    after = by_load(before, range(4), loads)
    assert peak(after, range(4), loads) <= 1.1 * sum(loads) / 4
    assert len(moved(before, after)) <= 8


def test_by_load_moves_nothing_when_the_load_is_even() -> None:
    before = ranges(128, 4)
    assert by_load(before, range(4), [1.0] * 128) == before


def test_by_count_uses_loads_to_choose_what_goes() -> None:
    before = ranges(128, 2)
    loads = [float(1 + g % 8) for g in range(128)]
    after = by_count(before, range(4), loads)
    assert len(moved(before, after)) == 64
    assert peak(after, range(4), loads) <= 1.05 * sum(loads) / 4


def test_scale_out_takes_the_lowest_dormant_indices() -> None:
    assert choose_active([0, 2], [0, 2], 4, 8) == [0, 1, 2, 3]


def test_scale_out_takes_what_is_to_be_avoided_only_if_nothing_else_is_left() -> None:
    around = Surroundings(avoid=frozenset({1, 3}))
    assert choose_active([0, 2], [0, 2], 4, 6, around) == [0, 2, 4, 5]
    assert choose_active([0, 2], [0, 2], 5, 6, around) == [0, 1, 2, 4, 5]


FIVE = {0: "a", 1: "a", 2: "b", 3: "b", 4: "c"}


def test_scale_in_empties_a_whole_task_manager_first() -> None:
    around = Surroundings(FIVE)
    assert choose_active(ranges(10, 5), range(5), 4, 8, around) == [0, 1, 2, 3]
    assert choose_active(ranges(10, 5), range(5), 2, 8, around) == [0, 1]


def test_a_free_task_manager_is_worth_more_moves() -> None:
    placement = [0, 1, 2, 3, *[4] * 96]
    assert choose_active(placement, range(5), 4, 8, Surroundings(FIVE)) == [0, 1, 2, 3]
    # Among task managers that are as good the one with the fewest key groups goes.
    hosts = {0: "a", 1: "b", 2: "c"}
    assert choose_active([0, 0, 1, 2, 2, 2], range(3), 2, 8, Surroundings(hosts)) == [0, 2]


def test_a_task_manager_that_others_keep_busy_is_no_target() -> None:
    busy = Surroundings(FIVE, {"c": Occupied.OTHERS})
    assert choose_active(ranges(10, 5), range(5), 3, 8, busy) == [0, 1, 4]
    all_busy = Surroundings(FIVE, dict.fromkeys("abc", Occupied.OTHERS))
    # Nothing can be made free: fewest moves.
    assert choose_active([0] * 8 + [1] + [2] * 8 + [3] * 8 + [4] * 8, range(5), 4, 8, all_busy) == [0, 2, 3, 4]


def test_of_two_elastic_vertices_both_leave_the_same_task_managers() -> None:
    around = Surroundings({0: "a", 1: "b", 2: "c", 3: "b"}, {"a": Occupied.ELASTIC, "b": Occupied.ELASTIC})
    assert choose_active(ranges(16, 4), range(4), 3, 8, around) == [0, 1, 3]
    both = Surroundings({0: "a", 1: "b", 2: "a", 3: "b"}, dict.fromkeys("ab", Occupied.ELASTIC))
    assert choose_active(ranges(16, 4), range(4), 2, 8, both) == [0, 2]


def test_one_after_the_other_retires_from_the_same_task_manager() -> None:
    """Counts that differ by one, as after every balancing, do not scatter what retires."""
    hosts = {0: "a", 1: "a", 2: "b", 3: "b"}
    placement = [0] * 32 + [1] * 31 + [2] * 32 + [3] * 33
    first = choose_active(placement, range(4), 3, 8, Surroundings(hosts))
    second = choose_active(by_count(placement, first), first, 2, 8, Surroundings(hosts))
    assert len({hosts[index] for index in second}) == 1


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[int], list[int], int, Surroundings]:
    """A placement over a few subtasks on a few task managers, some of which are occupied."""
    active = sorted(draw(st.sets(st.integers(0, 11), min_size=2, max_size=8)))
    hosts = {index: draw(st.sampled_from("abcde")) for index in active}
    occupied = {host: draw(st.sampled_from(list(Occupied))) for host in set(hosts.values())}
    placement = draw(st.lists(st.sampled_from(active), min_size=12, max_size=40))
    return placement, active, draw(st.integers(1, len(active) - 1)), Surroundings(hosts, occupied)


def freed(target: Collection[int], around: Surroundings) -> set[str]:
    """The task managers that nothing runs on any more."""
    left = {around.hosts[index] for index in target}
    return {h for h in around.hosts.values() if h not in left and around.occupied[h] is Occupied.NOTHING}


@given(clusters())
def test_no_other_choice_makes_more_task_managers_free(
    cluster: tuple[list[int], list[int], int, Surroundings],
) -> None:
    placement, active, parallelism, around = cluster
    target = choose_active(placement, active, parallelism, 12, around)
    assert len(target) == parallelism
    assert set(target) <= set(active)
    most = max(len(freed(other, around)) for other in combinations(active, parallelism))
    assert len(freed(target, around)) == most


@given(situations(), st.data(), st.one_of(st.none(), loads_of_any_shape))
def test_a_handover_moves_what_the_retiring_own_and_nothing_else(
    situation: tuple[list[int], list[int], int, int], data: st.DataObject, loads: list[float] | None
) -> None:
    placement, active, _, ceiling = situation
    retiring = sorted(data.draw(st.sets(st.sampled_from(active), min_size=1)))
    dormant = [index for index in range(ceiling) if index not in active]
    activated = dormant[: data.draw(st.integers(0, min(len(dormant), len(retiring))))]
    if not activated and len(retiring) == len(active):
        with pytest.raises(ValueError, match="no subtask is left"):
            handed_over(placement, active, retiring, activated)
        return
    after = handed_over(placement, active, retiring, activated, loads and loads[: len(placement)])
    assert moved(placement, after) == [g for g, owner in enumerate(placement) if owner in retiring]
    assert not set(after) & set(retiring)
    heirs = {old: {new for before, new in zip(placement, after, strict=True) if before == old} for old in retiring}
    if len(activated) == len(retiring):
        owning = [heir for heir in heirs.values() if heir]
        assert all(len(heir) == 1 for heir in owning)
        assert len(set.union(set(), *owning)) == len(owning)
        assert set.union(set(), *owning) <= set(activated)


@pytest.mark.parametrize("parallelism", [0, -1, 9])
def test_a_parallelism_outside_the_ceiling_is_an_error(parallelism: int) -> None:
    with pytest.raises(ValueError, match="ceiling"):
        choose_active([0, 1], [0, 1], parallelism, 8)


@given(situations())
def test_going_out_and_back_in_keeps_the_balance(situation: tuple[list[int], list[int], int, int]) -> None:
    placement, active, parallelism, ceiling = situation
    out = choose_active(placement, active, ceiling, ceiling)
    wide = by_count(placement, out)
    back = choose_active(wide, out, parallelism, ceiling)
    counts = [by_count(wide, back).count(index) for index in back]
    assert max(counts) - min(counts) <= 1


def test_by_load_spreads_the_rest_although_one_key_group_cannot_be_spread() -> None:
    """The peak is out of reach, which is no reason to leave the other subtasks uneven."""
    before = ranges(128, 4)
    loads = [1.0] * 128
    loads[0] = 200.0
    after = by_load(before, choose_active(before, range(4), 6, 8), loads)
    totals = [sum(loads[g] for g in range(128) if after[g] == index) for index in range(6)]
    hot = totals.pop(after[0])
    assert hot <= 200 + 1
    assert max(totals) <= 1.1 * 127 / 5


def test_the_greatest_job_that_flink_allows_is_planned_at_once() -> None:
    """32 768 key groups; a quadratic step would take minutes."""
    key_groups = 32_768
    random = Random(7)
    before = ranges(key_groups, 300)
    loads = [random.paretovariate(1.5) for _ in range(key_groups)]
    target = choose_active(before, range(300), 200, 1000)
    assert len(moved(before, by_count(before, target, loads))) == least_moves(before, target)
    assert set(by_load(before, target, loads)) == set(target)
