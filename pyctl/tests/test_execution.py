"""Rescale, rebalance and drain as a program carries them out: no terminal, no real time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from fake_clock import FakeClock
from fake_jobmanager import JOB, FakeJobManager, refusal, status, vertex, vertices
from pyctl.client import Client
from pyctl.drain_survey import Wish, survey
from pyctl.draining import drain
from pyctl.errors import ExitCode, Interrupted, Refused, WaitTimeout
from pyctl.execution import Execution, not_rolled_back
from pyctl.model import Phase, Rescale
from pyctl.planner import PlannerOptions
from pyctl.planning import Manner
from pyctl.rebalancing import RebalanceWish, rebalance
from pyctl.rescaling import rescale
from test_cli_drain import job, overview, placed
from test_rebalance import hot

RESCALES = f"/jobs/{JOB}/drrs/rescales"
ACCEPTED = (202, {"request_id": "r1"})


@dataclass
class Heard:
    """Keeps what it hears."""

    requests: list[tuple[str, str]] = field(default_factory=list)
    statuses: list[Rescale] = field(default_factory=list)

    def accepted(self, job_id: str, request_id: str) -> None:
        self.requests.append((job_id, request_id))

    def progressed(self, status: Rescale) -> None:
        self.statuses.append(status)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def execution(jobmanager: FakeJobManager, clock: FakeClock, heard: Heard) -> Iterator[Execution]:
    with Client(jobmanager.address) as client:
        yield Execution(client, heard, clock, interval_s=2.0)


def test_a_rescale_returns_how_it_ended_and_tells_each_step(
    execution: Execution, jobmanager: FakeJobManager, clock: FakeClock, heard: Heard
) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", status("PROVISIONING"), status("MIGRATING", 2), status("COMPLETED", 4))
    ended = rescale(execution, JOB, [("count", 4)], Manner(cause="more load"))
    assert (ended.last.phase, ended.failure()) == (Phase.COMPLETED, None)
    assert heard.requests == [(JOB, "r1")]
    assert [one.phase for one in heard.statuses] == [Phase.PROVISIONING, Phase.MIGRATING, Phase.COMPLETED]
    assert clock.slept == [2.0, 2.0]
    assert jobmanager.posted()[0]["cause"] == "more load"


def test_a_rescale_that_is_rolled_back_is_an_outcome_and_not_an_exception(
    execution: Execution, jobmanager: FakeJobManager
) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", status("ABORTED", reason="a slot did not come"))
    ended = rescale(execution, JOB, [("count", 4)])
    assert "was rolled back: a slot did not come" in str(ended.failure())


def test_a_refusal_has_all_faults_and_nobody_hears_of_a_request(
    execution: Execution, jobmanager: FakeJobManager, heard: Heard
) -> None:
    jobmanager.on_rescale(refusal("ABOVE_CEILING", "NOT_ENOUGH_SLOTS"))
    with pytest.raises(Refused) as caught:
        rescale(execution, JOB, [("count", 4)])
    assert [fault.code for fault in caught.value.faults] == ["ABOVE_CEILING", "NOT_ENOUGH_SLOTS"]
    assert heard.requests == []


def test_waiting_ends_to_the_second_and_names_the_rescale_that_goes_on(
    execution: Execution, jobmanager: FakeJobManager, clock: FakeClock
) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", status("MIGRATING"))
    with pytest.raises(WaitTimeout, match="still in phase MIGRATING after 5 s") as caught:
        rescale(execution, JOB, [("count", 4)], timeout_s=5)
    assert clock.slept == [2.0, 2.0, 1.0]
    assert caught.value.about == {"job_id": JOB, "request_id": "r1"}


def test_ctrl_c_names_the_rescale_that_goes_on(execution: Execution, jobmanager: FakeJobManager) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", status("MIGRATING"))
    with pytest.raises(Interrupted, match=f"`pyctl abort {JOB} --id r1` turns it back") as caught:
        rescale(replace(execution, clock=FakeClock(interrupt)), JOB, [("count", 4)])
    assert caught.value.about == {"job_id": JOB, "request_id": "r1"}


def test_several_operators_are_one_request(execution: Execution, jobmanager: FakeJobManager) -> None:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(), vertex(vertex_id="e" * 32, uid="other")))
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", status("COMPLETED", 4))
    rescale(execution, JOB, [("count", 4), ("other", 3)])
    (body,) = jobmanager.posted()
    assert [one["parallelism"] for one in body["operators"]] == [4, 3]
    with pytest.raises(ValueError, match="each needs a name"):
        rescale(execution, JOB, [("count", 4), (None, 3)])


def test_a_request_is_followed_over_a_failover(execution: Execution, jobmanager: FakeJobManager, heard: Heard) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", status("MIGRATING"), status("FAILED", reason="lost", continued_by=["r1-1"]))
    jobmanager.on(f"GET {RESCALES}/r1-1", refusal("UNKNOWN_RESCALE"), status("COMPLETED", 4, request_id="r1-1"))
    wanted = [0, 0, 2, 2, 1, 1, 3, 3]
    before, after = vertices(vertex()), vertices(vertex(parallelism=4, placement=wanted, active=[0, 1, 2, 3]))
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", before, after)
    ended = rescale(execution, JOB, [("count", 4)])
    assert [one.request_id for one in heard.statuses] == ["r1", "r1", "r1-1"]
    assert [one.request_id for one in ended.continued] == ["r1-1"]
    assert ended.present == {"count": 4}


def test_a_rescale_is_aborted_once_when_that_is_wished_while_it_is_waited_for(
    execution: Execution, jobmanager: FakeJobManager, clock: FakeClock
) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"POST {RESCALES}/r1/abort", ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", *[status("MIGRATING")] * 3, status("ABORTING"), status("ABORTED"))
    ended = rescale(replace(execution, withdraw=lambda: clock.now() >= 2), JOB, [("count", 4)])
    assert ended.last.phase is Phase.ABORTED
    assert [path for _, path, _ in jobmanager.requests].count(f"{RESCALES}/r1/abort") == 1


def test_what_goes_on_after_a_failover_is_aborted_too(execution: Execution, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(ACCEPTED)
    for request in ("r1", "r1-1"):
        jobmanager.on(f"POST {RESCALES}/{request}/abort", (202, {"request_id": request}))
    jobmanager.on(f"GET {RESCALES}/r1", status("ABORTING"), status("FAILED", reason="lost", continued_by=["r1-1"]))
    again = [status(phase, request_id="r1-1") for phase in ("MIGRATING", "ABORTING", "ABORTED")]
    jobmanager.on(f"GET {RESCALES}/r1-1", *again)
    ended = rescale(replace(execution, withdraw=lambda: True), JOB, [("count", 4)])
    assert ended.last.phase is Phase.ABORTED
    aborted = [path for method, path, _ in jobmanager.requests if method == "POST" and path.endswith("/abort")]
    assert aborted == [f"{RESCALES}/r1/abort", f"{RESCALES}/r1-1/abort"]


def test_a_wish_to_abort_that_comes_too_late_leaves_the_rescale_to_its_end(
    execution: Execution, jobmanager: FakeJobManager
) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"POST {RESCALES}/r1/abort", refusal("NOT_ABORTABLE"))
    jobmanager.on(f"GET {RESCALES}/r1", status("RETIRING"), status("COMPLETED", 4))
    assert rescale(replace(execution, withdraw=lambda: True), JOB, [("count", 4)]).failure() is None


@pytest.mark.parametrize(("phase", "fails"), [("ABORTED", False), ("COMPLETED", True)])
def test_an_abort_waits_for_the_end_and_judges_it(
    execution: Execution, jobmanager: FakeJobManager, phase: str, fails: bool
) -> None:
    jobmanager.on(f"POST {RESCALES}/r1/abort", ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", status("ABORTING"), status(phase))
    assert (not_rolled_back(execution.abort(JOB, "r1")) is not None) is fails


def test_a_rebalance_measures_first_and_sends_what_evens_out(
    execution: Execution, jobmanager: FakeJobManager, clock: FakeClock
) -> None:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex()), vertices(hot()))
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET {RESCALES}/r1", status("COMPLETED", 1))
    result = rebalance(execution, JOB, None, RebalanceWish(), PlannerOptions(balance="load"), sample_s=30)
    assert clock.slept == [30]
    assert result.ended is not None
    assert result.ended.failure() is None
    assert {jobmanager.posted()[0]["placement"][group] for group in (0, 1)} == {0, 1}


def test_a_rebalance_of_what_is_even_sends_nothing(execution: Execution, jobmanager: FakeJobManager) -> None:
    result = rebalance(execution, JOB, None, RebalanceWish(), PlannerOptions(balance="load"))
    assert result.ended is None
    assert jobmanager.posted() == []


@pytest.fixture
def occupied(jobmanager: FakeJobManager) -> FakeJobManager:
    """tm-1 has a subtask each of two operators."""
    jobmanager.on("GET /drrs/overview", overview())
    jobmanager.on("POST /drrs/drains", {"task_manager": "tm-1", "drained": True, "before": False})
    before, after = (
        job(placed(None, None, on=on), placed(None, None, on=on, vertex_id="e" * 32, uid="other"))
        for on in (("tm-0", "tm-1"), ("tm-0", "tm-2"))
    )
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", before, after)
    jobmanager.on_rescale((200, {"valid": True}), (200, {"valid": True}), ACCEPTED, (202, {"request_id": "r2"}))
    jobmanager.on(f"GET {RESCALES}/r1", status("MIGRATING"), status("COMPLETED", 4))
    jobmanager.on(f"GET {RESCALES}/r2", status("MIGRATING", request_id="r2"), status("COMPLETED", 4, request_id="r2"))
    return jobmanager


def test_a_drain_hands_over_one_operator_after_the_other(
    execution: Execution, occupied: FakeJobManager, heard: Heard
) -> None:
    found = survey(execution.client, "tm-1", Wish(), PlannerOptions())
    result = drain(execution, found)
    assert (result.faults, result.code) == ((), ExitCode.DONE)
    assert heard.requests == [(JOB, "r1"), (JOB, "r2")]
    assert [last.request_id for _, last in result.done] == ["r1", "r2"]
    first = occupied.requests.index(("POST", "/drrs/drains", {"task_manager": "tm-1"}))
    assert not any(body.get("dry_run") for _, path, body in occupied.requests[first:] if path == RESCALES)


def test_the_time_of_a_drain_is_for_all_of_it_and_what_was_done_stays_known(
    execution: Execution, occupied: FakeJobManager
) -> None:
    found = survey(execution.client, "tm-1", Wish(), PlannerOptions())
    result = drain(execution, found, timeout_s=2)
    assert result.code is ExitCode.TIMEOUT
    assert [fault.code for fault in result.faults] == ["TIMEOUT", "DRAIN_INCOMPLETE"]
    assert [last.request_id for _, last in result.done] == ["r1"]
    assert len([body for body in occupied.posted() if not body.get("dry_run")]) == 1


@pytest.mark.usefixtures("occupied")
def test_a_drain_with_faults_touches_nothing(execution: Execution, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(refusal("RESCALE_IN_PROGRESS"))
    found = survey(execution.client, "tm-1", Wish(), PlannerOptions())
    with pytest.raises(Refused):
        drain(execution, found)
    assert not any(path == "/drrs/drains" for _, path, _ in jobmanager.requests)
