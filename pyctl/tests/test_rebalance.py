"""`rebalance`: the planner's part for any load, and the command against a fake JobManager."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import Cli
from fake_jobmanager import JOB, VERTEX, FakeJobManager, refusal, status, vertex, vertices
from pyctl.placement_file import read_placement
from pyctl.planner import moved, rebalanced
from pyctl.planner.placement import peak

ACCEPTED = (202, {"request_id": "r1"})
VALID = (200, {"valid": True})
KEY_GROUPS = 60

loads_of_any_shape = st.lists(
    st.one_of(st.just(0.0), st.floats(0, 100), st.floats(0, 1e6)), min_size=KEY_GROUPS, max_size=KEY_GROUPS
)


@st.composite
def placements(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Any placement over any set of subtasks, each of which owns something, as a running job has it."""
    active = sorted(draw(st.sets(st.integers(0, 15), min_size=1, max_size=8)))
    rest = KEY_GROUPS - len(active)
    owners = active + draw(st.lists(st.sampled_from(active), min_size=rest, max_size=rest))
    return draw(st.permutations(owners)), active


def hot(count: int = 2, records: int = 400) -> dict[str, object]:
    """The vertex of the fake JobManager with `count` hot key groups, all at subtask 0."""
    return vertex(key_groups=[{"id": g, "records": records if g < count else 10, "bytes": 100} for g in range(8)])


# -- planner ---------------------------------------------------------------------------------------------------------


@given(placements(), loads_of_any_shape, st.floats(0, 1))
def test_the_same_subtasks_own_something_and_the_peak_never_rises(
    situation: tuple[list[int], list[int]], loads: list[float], tolerance: float
) -> None:
    before, active = situation
    after = rebalanced(before, active, loads, tolerance)
    assert set(after) == set(active)
    weights = loads if any(loads) else [1.0] * KEY_GROUPS  # without load the number counts
    if after != before:
        assert peak(after, active, weights) < peak(before, active, weights)


@given(placements(), loads_of_any_shape, st.floats(0, 1))
def test_what_is_balanced_within_the_tolerance_stays(
    situation: tuple[list[int], list[int]], loads: list[float], tolerance: float
) -> None:
    before, active = situation
    if any(loads) and peak(before, active, loads) <= (1 + tolerance) * sum(loads) / len(active):
        assert rebalanced(before, active, loads, tolerance) == before


@given(placements(), loads_of_any_shape)
def test_the_peak_ends_within_the_heaviest_key_group_of_the_mean(
    situation: tuple[list[int], list[int]], loads: list[float]
) -> None:
    before, active = situation
    after = rebalanced(before, active, loads, 0.1)
    mean = sum(loads) / len(active)
    assert peak(after, active, loads) <= max(1.1 * mean, mean + max(loads)) * 1.001


@given(placements(), loads_of_any_shape)
def test_a_second_rebalance_finds_little_or_nothing_to_do(
    situation: tuple[list[int], list[int]], loads: list[float]
) -> None:
    before, active = situation
    once = rebalanced(before, active, loads, 0.1)
    twice = rebalanced(once, active, loads, 0.1)
    assert peak(twice, active, loads) <= peak(once, active, loads)
    if any(loads) and peak(once, active, loads) <= 1.1 * sum(loads) / len(active):
        assert moved(once, twice) == []


# -- placement file --------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-5, 99), min_size=1, max_size=20))
def test_a_list_is_read_as_it_is(owners: list[int]) -> None:
    assert read_placement(json.dumps(owners), [0] * 8) == (owners, [])


@given(st.dictionaries(st.integers(0, 7), st.integers(-5, 99)))
def test_an_object_moves_what_it_names_and_leaves_the_rest(moves: dict[int, int]) -> None:
    present = [0, 0, 0, 0, 1, 1, 1, 1]
    wanted, faults = read_placement(json.dumps(moves), present)
    assert faults == []
    assert wanted == [moves.get(group, owner) for group, owner in enumerate(present)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["not valid JSON"]),
        ("{", ["not valid JSON"]),
        ("7", ["list of subtasks or an object"]),
        ('{"1": 0, "1": 1}', ["key group 1 stands in it twice"]),
        ("[0, true, 1.5, null]", ["key groups 1, 2, 3 something that is no whole number"]),
        (
            '{"8": 0, "x": 1, "3": "1"}',
            ["key group 3 something", "key groups 8, x; the operator has key groups 0 to 7"],
        ),
    ],
)
def test_all_that_is_wrong_with_the_form_is_said(text: str, parts: list[str]) -> None:
    _, faults = read_placement(text, [0] * 8)
    assert len(faults) == len(parts)
    for fault, part in zip(faults, parts, strict=True):
        assert part in fault.message
        assert fault.code == "PLAN_INVALID"


# -- command ---------------------------------------------------------------------------------------------------------


def test_a_skewed_load_is_spread_at_the_same_parallelism(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(hot()))
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales/r1", status("COMPLETED", 1, to_parallelism=2))
    result = pyctl("rebalance", "--sample", "0", "--wait")
    assert result.code == 0
    assert "parallelism 2 -> 2" in result.err
    (body,) = jobmanager.posted()
    assert (body["vertex"], body["parallelism"]) == (VERTEX, 2)
    assert {body["placement"][0], body["placement"][1]} == {0, 1}


def test_the_load_is_what_came_in_during_the_sample(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    later = vertex(key_groups=[{"id": g, "records": 10 + (900 if g in {4, 5} else 1)} for g in range(8)])
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex()), vertices(later))
    jobmanager.on_rescale(VALID)
    result = pyctl("rebalance", "--sample", "0.01", "--dry-run", "--json")
    assert result.code == 0
    placement = result.json["plans"][0]["placement"]
    assert {placement[4], placement[5]} == {0, 1}
    assert result.json["plans"][0]["balance"]["before"]["peak_ratio"] > 1.9


def test_a_dry_run_says_in_which_units_the_strategy_moves_it(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(hot()))
    units = {"vertex_id": VERTEX, "key_groups": 2, "subscales": 7}
    jobmanager.on_rescale((200, {"valid": True, "operators": [units]}))
    dry = ("rebalance", "--strategy", "megaphone", "--sample", "0", "--dry-run")
    assert "the strategy megaphone makes 7 subscales of them" in pyctl(*dry).out
    assert pyctl(*dry, "--json").json["plans"][0]["strategy_subscales"] == 7


def test_a_balanced_placement_is_left_alone_with_exit_code_0(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    result = pyctl("rebalance", "--sample", "0", "--wait")
    assert result.code == 0
    assert result.out == ("the placement is balanced already (busiest subtask at 1.00 times the mean); nothing to do\n")
    as_json = pyctl("rebalance", "--sample", "0", "--json")
    assert (as_json.json["request_id"], as_json.json["plans"][0]["moves"]) == (None, 0)
    assert jobmanager.posted() == []


def test_one_hot_key_group_cannot_be_spread_and_that_is_said(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    alone = vertex(
        placement=[0, 1, 1, 1, 1, 1, 1, 1], key_groups=[{"id": g, "records": 9 if g else 900} for g in range(8)]
    )
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(alone))
    result = pyctl("rebalance", "--sample", "0")
    assert result.code == 0
    assert "no move would make the busiest subtask less busy" in result.out
    assert "warning: Key group 0 takes" in result.out
    assert jobmanager.posted() == []


def test_without_a_record_the_number_of_key_groups_is_balanced(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(placement=[0, 0, 0, 0, 0, 0, 1, 1])))
    jobmanager.on_rescale(ACCEPTED)
    result = pyctl("rebalance", "--sample", "0.01")
    assert "No record came in 0.01 s" in result.err
    assert sorted(jobmanager.posted()[0]["placement"]) == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("text", ["[0, 1, 0, 1, 0, 1, 0, 1]", '{"1": 1, "3": 1, "4": 0, "6": 0}'])
def test_an_explicit_placement_is_sent_exactly(
    pyctl: Cli, jobmanager: FakeJobManager, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "placement.json"
    file.write_text(text)
    jobmanager.on_rescale(ACCEPTED)
    assert pyctl("rebalance", "--placement", str(file)).out == "r1\n"
    (body,) = jobmanager.posted()
    assert (body["parallelism"], body["placement"]) == (2, [0, 1, 0, 1, 0, 1, 0, 1])
    assert sorted(g for s in body["subscales"] for g in s["key_groups"]) == [1, 3, 4, 6]


def test_an_explicit_placement_that_is_there_already_sends_nothing(
    pyctl: Cli, jobmanager: FakeJobManager, tmp_path: Path
) -> None:
    file = tmp_path / "placement.json"
    file.write_text('{"0": 0}')
    result = pyctl("rebalance", "--placement", str(file), "--wait")
    assert (result.code, result.out) == (0, "the placement is already the wanted one; nothing to do\n")
    assert jobmanager.posted() == []


def test_faults_of_form_and_of_content_come_in_one_answer(
    pyctl: Cli, jobmanager: FakeJobManager, tmp_path: Path
) -> None:
    file = tmp_path / "placement.json"
    file.write_text('[0, 1, "two", 9]')
    jobmanager.on_rescale(refusal("PLAN_INCOMPLETE", "PLAN_INVALID"))
    result = pyctl("rebalance", "--placement", str(file), "--json")
    assert (result.code, result.error_codes) == (3, ["PLAN_INVALID", "PLAN_INCOMPLETE", "PLAN_INVALID"])
    (body,) = jobmanager.posted()
    assert body["dry_run"] is True
    assert body["placement"] == [0, 1, 0, 9]


def test_what_cannot_be_rebalanced_is_for_the_jobmanager_to_say(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(refusal("UNKNOWN_VERTEX"), refusal("NOT_SUPPORTED", "PARALLELISM_UNCHANGED"))
    assert pyctl("rebalance", "nexmark", "nosuch", "--json").error_codes == ["UNKNOWN_VERTEX"]
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(supported=False, reason="it is RocksDB")))
    assert pyctl("rebalance", "nexmark", "count", "--json").error_codes == ["NOT_SUPPORTED"]
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(), vertex(vertex_id="e" * 32, uid="other")))
    assert pyctl("rebalance", "--json").error_codes == ["AMBIGUOUS_VERTEX"]


@pytest.mark.parametrize(
    "arguments",
    [("--placement", "/no/such/file"), ("--wait", "--dry-run"), ("--timeout", "5"), ("--tolerance", "-1")],
)
def test_a_command_line_that_cannot_be_meant_sends_nothing(
    pyctl: Cli, jobmanager: FakeJobManager, arguments: tuple[str, ...]
) -> None:
    assert pyctl("rebalance", *arguments).code == 2
    assert jobmanager.requests == []
