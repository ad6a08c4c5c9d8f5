"""The strategy `adaptive`: what the scheduler is told, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import responses

from fake_clock import FakeClock
from fake_flink import COUNT, SINK, SOURCE, URL, FakeFlink
from fake_jobmanager import JOB
from pyctl.adapting import adapt, prepare
from pyctl.client import Client
from pyctl.errors import PyctlError, Refused, RescaleFailed, WaitTimeout
from pyctl.job_graph import Operators
from pyctl.whole_job import Course, Ended

PATH = f"/jobs/{JOB}/resource-requirements"
ONE: Operators = [("running count", 4)]


@pytest.fixture
def flink() -> Iterator[FakeFlink]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        fake = FakeFlink(FakeClock(), scheduler="Adaptive")
        fake.serve(mock)
        yield fake


def carried_out(flink: FakeFlink, operators: Operators = ONE, timeout_s: float | None = None) -> Ended:
    with Client(URL, clock=flink.clock) as client:
        return adapt(client, prepare(client, JOB, operators), Course(timeout_s, clock=flink.clock))


def upper(flink: FakeFlink) -> dict[str, int]:
    (body,) = flink.bodies(PATH)
    assert all(each["parallelism"]["lowerBound"] == 1 for each in body.values())
    return {vertex: each["parallelism"]["upperBound"] for vertex, each in body.items()}


def test_the_scheduler_is_told_and_the_job_waited_for(flink: FakeFlink) -> None:
    ended = carried_out(flink)
    assert upper(flink) == {SOURCE: 2, COUNT: 4, SINK: 2}
    assert flink.clock.now() >= 10
    document = ended.document()
    assert (document["job_id"], document["strategy"], document["to_parallelism"]) == (JOB, "adaptive", 4)
    assert [one["phase"] for one in document["phases"]] == ["ADAPTING"]


def test_what_is_tied_by_a_forward_edge_goes_along(flink: FakeFlink) -> None:
    flink.ship = "FORWARD"
    carried_out(flink)
    assert upper(flink) == {SOURCE: 2, COUNT: 4, SINK: 4}


def test_the_least_parallelism_is_never_above_the_one_that_is_wanted(flink: FakeFlink) -> None:
    flink.lower = 2
    carried_out(flink, [("running count", 1)])
    (body,) = flink.bodies(PATH)
    assert body[COUNT]["parallelism"] == {"lowerBound": 1, "upperBound": 1}
    assert body[SOURCE]["parallelism"] == {"lowerBound": 2, "upperBound": 2}


def test_a_time_out_says_that_it_goes_on(flink: FakeFlink) -> None:
    with pytest.raises(WaitTimeout, match=r"Still ADAPTING after 3 s\. It goes on"):
        carried_out(flink, timeout_s=3)


def test_a_job_that_ends_meanwhile_is_a_failure(flink: FakeFlink) -> None:
    with Client(URL, clock=flink.clock) as client:
        request = prepare(client, JOB, ONE)
        flink.cancelled = True
        with pytest.raises(RescaleFailed, match="is CANCELED"):
            adapt(client, request, Course(clock=flink.clock))


@pytest.mark.parametrize(
    ("operators", "code"),
    [
        ([("running count", 2)], "PARALLELISM_UNCHANGED"),
        ([("running count", 0)], "PARALLELISM_BELOW_ONE"),
        ([("running count", 129)], "ABOVE_MAX_PARALLELISM"),
        ([("running count", 7)], "NOT_ENOUGH_SLOTS"),
        ([("nosuch", 4)], "UNKNOWN_VERTEX"),
        ([("running count", 4), ("sink: Writer", 3)], "PLAN_INVALID"),
    ],
)
def test_what_cannot_be_is_refused_before_the_scheduler_is_told(
    flink: FakeFlink, operators: Operators, code: str
) -> None:
    flink.ship = "FORWARD"
    with pytest.raises(PyctlError) as caught:
        carried_out(flink, operators)
    assert {fault.code for fault in caught.value.faults} == {code}
    assert flink.sent == []


def test_another_scheduler_is_refused_by_name(flink: FakeFlink) -> None:
    flink.scheduler = "Default"
    with pytest.raises(Refused, match=r"under the scheduler Default, .* or take the strategy restart\.$"):
        carried_out(flink)
    assert flink.sent == []


def test_it_has_no_options(flink: FakeFlink) -> None:
    with Client(URL, clock=flink.clock) as client, pytest.raises(Refused, match=r"no option drrs\.x; it has none"):
        prepare(client, JOB, ONE, options={"drrs.x": "1"})
