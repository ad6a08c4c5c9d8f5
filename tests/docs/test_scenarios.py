"""The scenarios of the oracle tests cover what they are to cover."""

from __future__ import annotations

from itertools import chain

from harness.scenarios import FLAGS, PAIRS, PATHS, SHORT, TARGETS, Scenario, matrix

WHOLE = [*SHORT, *matrix()]


def directions(scenario: Scenario) -> set[bool]:
    return {before < after for before, after in scenario.pairs}


def test_the_short_set_has_each_pair_of_parallelisms() -> None:
    assert set(chain.from_iterable(scenario.pairs for scenario in SHORT)) >= set(PAIRS)


def test_the_short_set_has_each_target_or_one_that_it_is_like_and_each_flag_in_both_directions() -> None:
    found = {(name, way) for one in SHORT for name in (one.target, *one.flags) for way in directions(one)}
    shown = {target.like or name for name, target in TARGETS.items()}
    assert found >= {(name, way) for name in (*shown, *FLAGS) for way in (False, True)}


def test_the_whole_matrix_has_each_pair_for_each_target_and_each_flag_that_fits_it() -> None:
    found = {(one.target, flag, pair) for one in WHOLE for flag in (*one.flags, "") for pair in one.pairs}
    wanted = {
        (name, flag, pair)
        for name, target in TARGETS.items()
        for flag in ("", "unaligned", *target.flags)
        for pair in PAIRS
    }
    assert wanted <= found


def test_each_pair_is_in_one_path() -> None:
    steps = [step for path in PATHS for step in Scenario("count", path).pairs]
    assert sorted(steps) == sorted(PAIRS)
