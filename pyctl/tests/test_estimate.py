"""How long a rescale is expected to take, against what was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyctl.model import Rescale
from pyctl.planner import Checkpoints, Estimate, History, Warmth, Work, estimate, history_of, work_of_past, work_of_plan
from pyctl.planner.subscales import Subscale

MEASURED = Path(__file__).parent / "data" / "measured_rescales.json"
"""Two jobs on one busy machine of two cores: a small one, the first of its cluster, then one that moves 42 MB."""
DAY = 86_400_000


def measured() -> dict[str, list[Rescale]]:
    """Newest first."""
    loaded = json.loads(MEASURED.read_text())
    return {name: [Rescale.model_validate(one) for one in rescales] for name, rescales in loaded.items()}


def past(
    number: int, provisioning: int = 400, migrating: int = 500, retiring: int = 100, way: tuple[int, int] = (2, 4),
    **changes: Any,
) -> Rescale:  # fmt: skip
    at = number * DAY
    times = {"PLANNED": 1, "PROVISIONING": provisioning, "MIGRATING": migrating, "RETIRING": retiring, "COMPLETED": 0}
    base = {
        "request_id": f"r{number}", "vertex_id": "v", "phase": "COMPLETED", "accepted_at": at, "ended_at": at + 9_000,
        "from_parallelism": way[0], "to_parallelism": way[1],
        "bytes": {"moved": 1_000_000, "total": 1_000_000}, "subscales": {"done": 4, "total": 4},
        "phases": [{"phase": phase, "at": at, "duration_ms": took} for phase, took in times.items()],
    }  # fmt: skip
    return Rescale.model_validate({**base, **changes})


def expected(work: Work, *of_job: Rescale, others: tuple[Rescale, ...] = ()) -> Estimate:
    """`of_job` and `others` (each of a job of its own) oldest first."""
    history = history_of("v", of_job[::-1], lambda: [[one] for one in others])
    return estimate(work, history, None)


OUT = work_of_past(past(0))


# -- against measurements ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("job", list(measured()))
def test_each_measured_rescale_took_what_was_expected_from_those_before_it(job: str) -> None:
    rescales = measured()[job]
    others = [rescales for name, rescales in measured().items() if name != job] if job.startswith("42 MB") else []
    for index in range(len(rescales) - 1, -1, -1):
        one = rescales[index]
        history = history_of(one.vertex_id or "", rescales[index + 1 :], lambda: others)
        total = estimate(work_of_past(one), history, Checkpoints(0.4, 1.2) if others else None).total
        took = (one.duration_ms or 0) / 1000
        assert total.low <= took <= total.high, f"{one.request_id}: {took} s, expected {total} from {history.basis}"


def test_a_first_rescale_of_a_small_job_is_expected_to_take_some_seconds() -> None:
    found = expected(Work(bytes=7_000, subscales=2, new_subtasks=1))
    assert found.basis == "defaults, as there is no history yet"
    assert found.rescales == 0
    assert 1.5 < found.total.low < 5.4 < found.total.high < 20


def test_a_scale_in_without_history_may_take_more_than_a_second() -> None:
    assert expected(Work(bytes=20_000, subscales=2, retiring=1)).total.high > 1.4


# -- what it rests on --------------------------------------------------------------------------------------------------


def test_the_first_rescale_of_a_job_is_told_from_later_ones() -> None:
    cold, warm = past(1, provisioning=6_000, migrating=3_000), past(2)
    after_one = expected(OUT, cold)
    assert after_one.basis == "the first rescale of this job, and later ones tend to be faster"
    assert after_one.total.low < 0.6
    assert after_one.total.high > 9
    after_two = expected(OUT, cold, warm)
    assert after_two.basis == "1 rescale of this operator"
    assert after_two.total.high < 4
    assert after_two.total.low <= 1.0 <= after_two.total.high


def test_more_rescales_narrow_the_range() -> None:
    cold, warm = past(1, provisioning=6_000), [past(number) for number in range(2, 9)]
    widths = [
        (found.total.high / found.total.low) for found in (expected(OUT, cold, *warm[:count]) for count in (1, 2, 3, 7))
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 2.7


def test_the_range_covers_the_best_and_the_worst_of_them() -> None:
    found = expected(OUT, past(1), past(2, migrating=300), past(3, migrating=3_000), past(4, migrating=500))
    assert found.phases["MIGRATING"].low < 0.3
    assert found.phases["MIGRATING"].high > 3.0
    assert (found.rescales, found.basis) == (3, "3 rescales of this operator")


def test_rescales_of_other_operators_of_the_job_count_if_there_are_none_of_this_one() -> None:
    found = expected(OUT, past(1), past(2, vertex_id="w"), past(3, vertex_id="w"))
    assert found.basis == "2 rescales of this job"


def test_a_job_without_rescales_goes_by_the_first_ones_of_other_jobs() -> None:
    others = (past(1, provisioning=9_000), past(2, provisioning=5_000), past(3, phase="FAILED", provisioning=90_000))
    found = expected(OUT, others=others)
    assert found.basis == "the first rescales of 2 other jobs of this cluster"
    # The JVMs may be warm by now, and this job may be the first to use them.
    assert found.phases["PROVISIONING"].low < 1 < 9 < found.phases["PROVISIONING"].high < 20


def test_parts_of_a_request_for_several_operators_count_each_for_its_operator() -> None:
    together = past(2, vertex_id=None, parts=[past(2).model_dump(), past(2, vertex_id="w").model_dump()])
    assert expected(OUT, past(1), together).basis == "1 rescale of this operator"


def test_what_did_not_complete_says_nothing() -> None:
    assert "no rescale of this job has completed yet" in expected(OUT, past(1, phase="FAILED")).basis
    assert expected(OUT, past(1), past(2, phase="ABORTED", migrating=60_000)).total.high < 30


def test_a_phase_that_was_never_measured_is_a_default_and_marked() -> None:
    way_in = past(2, provisioning=100, retiring=5_000, way=(4, 2))
    found = expected(OUT, past(1), way_in)
    assert found.defaults == ("PROVISIONING", "RETIRING")
    assert found.phases["RETIRING"].high < 1
    back = expected(work_of_past(way_in), past(1), way_in)
    assert back.defaults == ()
    assert back.phases["RETIRING"].high >= 5


def test_checkpoints_are_waited_for_where_something_retires_and_may_be_in_the_way_elsewhere() -> None:
    slow = Checkpoints(average=10.0, longest=30.0)
    retiring = estimate(Work(0, 1, retiring=1), History(warmth=Warmth.WARM), slow)
    assert retiring.phases["RETIRING"].low >= 5
    assert retiring.phases["RETIRING"].high >= 30
    out = estimate(OUT, History(warmth=Warmth.WARM), slow)
    assert out.phases["RETIRING"].high < 1
    assert (out.phases["CHECKPOINTS"].low, out.phases["CHECKPOINTS"].high) == (0, 30)
    assert "CHECKPOINTS" not in estimate(OUT, History(), None).phases


# -- properties --------------------------------------------------------------------------------------------------------

WORKS = st.builds(
    Work,
    bytes=st.floats(0, 1e11),
    subscales=st.integers(1, 10_000),
    concurrency=st.integers(1, 8),
    new_subtasks=st.integers(0, 100),
    retiring=st.integers(0, 100),
)
PASTS = st.lists(
    st.builds(
        past, st.integers(0, 1_000), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6),
        st.tuples(st.integers(1, 50), st.integers(1, 50)),
    ),
    max_size=12,
)  # fmt: skip


@given(WORKS, PASTS, PASTS, st.none() | st.builds(Checkpoints, st.floats(0, 1), st.floats(1, 600)))
def test_a_range_is_one_and_the_same_input_gives_the_same(
    work: Work, of_job: list[Rescale], others: list[Rescale], checkpoints: Checkpoints | None
) -> None:
    history = history_of("v", of_job, lambda: [others])
    found = estimate(work, history, checkpoints)
    assert all(0 <= each.low <= each.high < 1e9 for each in found.phases.values())
    assert found.total.high > 0
    assert found == estimate(work, history_of("v", of_job, lambda: [others]), checkpoints)


@given(WORKS, PASTS)
def test_more_bytes_never_take_less(work: Work, of_job: list[Rescale]) -> None:
    history = history_of("v", of_job, list)
    more = Work(work.bytes * 2 + 1e9, work.subscales, work.concurrency, work.new_subtasks, work.retiring)
    less, most = estimate(work, history, None).total, estimate(more, history, None).total
    assert less.low <= most.low
    assert less.high <= most.high


def test_the_busiest_subtask_sets_the_pace() -> None:
    sizes = [100, 100, 100, 300]
    alone = [Subscale(0, 2, (0, 1)), Subscale(1, 3, (2,))]
    crowded = [Subscale(0, 2, (0, 1)), Subscale(1, 2, (2,))]
    assert work_of_plan(alone, sizes, 2, 0, 2) == Work(200, 1, 2, 2, 0)
    assert work_of_plan(crowded, sizes, 1, 0, 4) == Work(300, 2, 4, 1, 0)
    assert work_of_plan(crowded, sizes, 1, 0, 4).rounds == 0.5
    assert work_of_plan([], sizes, 0, 0, 2) == Work(0, 0)
