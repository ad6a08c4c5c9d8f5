"""What jobs of drawn shapes are judged by, and how shapes are drawn: no cluster needed."""

from __future__ import annotations

from itertools import islice

import pytest

from shapes.drawing import HEADS, REASONS, drawn
from shapes.judging import LIMIT, differences, miscounted
from shapes.shape import Branch, Shape

ORDERED = {"0": True}
IN_ANY_ORDER = {"0": False}


def lines(judge: str, *numbers: int) -> list[str]:
    """Results of one key in one lane: each number, with a text of its own."""
    return [f"{judge}.0.lane|7|{number}|text {number}" for number in numbers]


@pytest.mark.parametrize("judge", list("snmrug"))
def test_the_same_results_are_right(judge: str) -> None:
    reference = lines(judge, 1, 2, 3)
    for ordered in (ORDERED, IN_ANY_ORDER):
        assert not differences(reference, reference, ordered)


@pytest.mark.parametrize("judge", list("snmr"))
@pytest.mark.parametrize("ordered", [ORDERED, IN_ANY_ORDER])
def test_a_key_without_results_is_wrong(judge: str, ordered: dict[str, bool]) -> None:
    (wrong,) = differences(lines(judge, 1, 2, 3), [], ordered)
    assert wrong.startswith(f"{judge}.0.lane of key 7: ")


@pytest.mark.parametrize(
    ("judge", "seen"),
    [
        ("s", [1, 3]), ("s", [1, 2, 2, 3]), ("s", [1, 2, 4]), ("s", [2, 1, 3]),
        ("n", [1, 3]), ("n", [1, 2, 2, 3]), ("n", [1, 2, 4]), ("n", [2, 1, 3]),
        ("m", [1, 3]), ("m", [1, 2, 2, 3]), ("m", [1, 2, 4]),
        ("r", [1, 2]), ("r", [2, 1, 3]), ("r", [1, 2, 3, 4]),
        ("u", [2, 1, 3]),
        ("g", [1, 3]), ("g", [1, 2, 2, 3]), ("g", [2, 1, 3]),
    ],
)  # fmt: skip
def test_lost_doubled_altered_and_swapped_results_are_wrong(judge: str, seen: list[int]) -> None:
    assert differences(lines(judge, 1, 2, 3), lines(judge, *seen), ORDERED)


@pytest.mark.parametrize(
    ("judge", "seen"), [("m", [3, 1, 2]), ("r", [1, 3, 3]), ("r", [3]), ("u", [1, 5, 5]), ("g", [2, 3])]
)
def test_what_stock_flink_leaves_open_is_right(judge: str, seen: list[int]) -> None:
    assert not differences(lines(judge, 1, 2, 3), lines(judge, *seen), ORDERED)


def test_numbers_may_meet_other_texts_and_must_follow_each_other() -> None:
    reference = ["n.0.lane|7|1|a", "n.0.lane|7|2|b"]
    assert not differences(reference, ["n.0.lane|7|1|b", "n.0.lane|7|2|a"], ORDERED)
    assert differences(reference, ["n.0.lane|7|2|a", "n.0.lane|7|1|b"], ORDERED)
    assert differences(reference, ["n.0.lane|7|1|a", "n.0.lane|7|1|b"], IN_ANY_ORDER)


@pytest.mark.parametrize("judge", list("sn"))
def test_behind_an_exchange_that_mixes_them_results_come_in_any_order(judge: str) -> None:
    assert not differences(lines(judge, 1, 2, 3), lines(judge, 3, 1, 2), IN_ANY_ORDER)
    assert differences(lines(judge, 1, 2, 3), lines(judge, 3, 1), IN_ANY_ORDER)
    assert differences(lines(judge, 1, 2, 3), lines(judge, 3, 1, 2, 2), IN_ANY_ORDER)


def test_each_key_and_lane_is_judged_by_itself() -> None:
    reference = ["s.0.a|1|1|x", "s.0.b|1|1|y", "s.0.a|2|1|z"]
    assert not differences(reference, reversed(reference), ORDERED)
    (wrong,) = differences(reference, ["s.0.a|1|1|x", "s.0.b|1|1|y", "s.0.a|3|1|z", "s.0.a|2|1|z"], ORDERED)
    assert wrong.startswith("s.0.a of key 3: ")


def test_of_many_differences_some_are_told() -> None:
    wrong = differences([f"s.0.a|{key}|1|" for key in range(LIMIT + 5)], [], ORDERED)
    assert len(wrong) == LIMIT + 1
    assert wrong[-1] == "and 5 more"


def test_accumulators_are_those_of_all_events() -> None:
    assert not miscounted({"events-0": "5"}, ["value", "tumbling"], 5)
    assert miscounted({"events-0": "4"}, ["value"], 5)
    assert miscounted({}, ["value"], 5)


@pytest.mark.parametrize(
    "branch",
    [
        Branch(head="value", chained=("async-unordered",)),
        Branch(head="value", follower="rebalance"),
        Branch(head="value", writers=2),
        Branch(head="value", sink="files"),
    ],
)
def test_ways_to_a_sink_that_mix_results(branch: Branch) -> None:
    assert not Shape(branches=(branch,)).ordered(0)
    right = Branch(head="value", chained=("async",), follower="by-key", writers=1)
    assert Shape(branches=(right, branch)).ordered(0)
    assert Shape(branches=(right, branch), meeting=True).ordered(1) == branch.ordered


def test_a_seed_and_a_number_draw_one_shape() -> None:
    shapes = [drawn(1, number) for number in range(40)]
    assert shapes == [drawn(1, number) for number in range(40)]
    assert shapes != [drawn(2, number) for number in range(40)]


def test_a_shape_is_the_same_as_json() -> None:
    for shape in (drawn(3, number) for number in range(40)):
        assert Shape.model_validate_json(shape.model_dump_json(exclude_defaults=True)) == shape


def test_every_head_and_every_reason_to_refuse_is_drawn() -> None:
    shapes = [drawn(5, number) for number in range(8 * len(HEADS))]
    heads = {shape.branches[0].head for shape in shapes if not shape.refusal}
    assert heads == set(HEADS)
    refused = [shape for shape in shapes if shape.refusal]
    assert len({(s.branches[0], s.keys.type, s.refusal) for s in islice(refused, len(REASONS))}) == len(REASONS)
