"""The strategy `restart` against Flink's REST with faults: one savepoint, one job, whatever goes wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import responses
from hypothesis import given, settings
from hypothesis import strategies as st

from fake_clock import FakeClock
from fake_flink import COUNT, SAVEPOINT, SOURCE, URL, FakeFlink
from fake_jobmanager import JOB
from pyctl.client import Client
from pyctl.errors import Interrupted, NotReachable, Refused, RescaleFailed, UsageError, WaitTimeout
from pyctl.job_graph import Operators
from pyctl.restarting import prepared, restart
from pyctl.submission import Submission
from pyctl.whole_job import Course, Ended

STOP, RUN = f"/jobs/{JOB}/stop", "/jars/job.jar/run"
SUBMISSION = Submission(
    jar_id="job.jar",
    arguments=["--count", "{parallelism:running count}", "--source", "{parallelism:parse}", "--x", "{y}"],
    options={"drrs.enabled": "false"},
)
ONE: Operators = [("running count", 4)]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def flink(clock: FakeClock) -> Iterator[FakeFlink]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        fake = FakeFlink(clock)
        fake.serve(mock)
        yield fake


def carried_out(flink: FakeFlink, submission: Submission = SUBMISSION, operators: Operators = ONE, *,
                course: Course | None = None, **how: Any) -> Ended:  # fmt: skip
    with (
        Client(URL, clock=flink.clock) as client,
        prepared(client, JOB, operators, submission, **how) as request,
    ):
        return restart(client, request, course or Course(clock=flink.clock))


def test_the_job_stops_with_a_savepoint_and_starts_from_it_with_the_new_number(flink: FakeFlink) -> None:
    ended = carried_out(flink, cause="more load")
    assert flink.changing() == [("POST", STOP), ("POST", RUN)]
    (asked,), (run,) = flink.bodies(STOP), flink.bodies(RUN)
    assert asked == {"formatType": "NATIVE", "drain": False, "triggerId": ended.request_id}
    assert run == {
        "programArgsList": ["--count", "4", "--source", "2", "--x", "{y}"],
        "flinkConfiguration": {"drrs.enabled": "false"},
        "savepointPath": SAVEPOINT,
        "jobId": ended.request_id,
    }
    document = ended.document()
    assert (document["phase"], document["cause"], document["savepoint"]) == ("COMPLETED", "more load", SAVEPOINT)
    assert (document["job_id"], document["job_id_before"]) == (ended.request_id, JOB)
    assert (document["vertex_name"], document["from_parallelism"], document["to_parallelism"]) == (
        "running count", 2, 4
    )  # fmt: skip
    assert [one["phase"] for one in document["phases"]] == ["STOPPING", "SUBMITTING", "RESTORING"]
    assert sum(one["duration_ms"] for one in document["phases"]) == document["duration_ms"] >= 1000
    assert document["warnings"] == []


def test_a_savepoint_of_90_seconds_is_waited_for_under_one_trigger_id(flink: FakeFlink, clock: FakeClock) -> None:
    flink.savepoint_takes_s = 90
    ended = carried_out(flink)
    assert len(flink.bodies(STOP)) == 1
    assert flink.bodies(RUN)[0]["savepointPath"] == SAVEPOINT
    assert 90 <= clock.now() < 92
    assert ended.marks[1].at - ended.marks[0].at >= 90_000


@pytest.mark.parametrize("after", ["FAILED", "RUNNING"], ids=["and the job ends", "and Flink starts the job again"])
def test_a_savepoint_is_used_although_the_stop_failed_afterwards(flink: FakeFlink, after: str) -> None:
    flink.stop_fails, flink.after_failed_stop = True, after
    ended = carried_out(flink)
    # It must not run beside the new one, nor past the savepoint.
    cancelled = [("PATCH", f"/jobs/{JOB}")] if after == "RUNNING" else []
    assert flink.changing() == [("POST", STOP), *cancelled, ("POST", RUN)]
    assert flink.bodies(RUN)[0]["savepointPath"] == SAVEPOINT
    (warning,) = ended.warnings
    assert "was there when the stop failed" in warning


def test_no_window_fires_early(flink: FakeFlink) -> None:
    """A drain would send the end of event time."""
    carried_out(flink)
    assert [body["drain"] for body in flink.bodies(STOP)] == [False]


def test_a_job_that_went_on_past_its_savepoint_is_not_started_from_there(flink: FakeFlink) -> None:
    flink.stop_fails = flink.checkpoint_after = True
    with pytest.raises(RescaleFailed, match=f"went on past its savepoint {SAVEPOINT}") as caught:
        carried_out(flink)
    assert flink.started == {}
    assert caught.value.about["savepoint"] == SAVEPOINT


def test_a_job_that_went_on_long_ago_is_left_alone(flink: FakeFlink) -> None:
    """As when a restart goes on that was interrupted."""
    flink.stop_fails = flink.checkpoint_after = True
    flink.trigger = ("a1" * 16, 0)
    flink.clock.sleep(60)
    with pytest.raises(RescaleFailed, match="went on past"):
        carried_out(flink, request_id="a1" * 16)
    assert flink.sent == []


def test_a_job_that_finished_by_itself_after_a_failed_stop_is_not_run_again(flink: FakeFlink) -> None:
    flink.stop_fails, flink.after_failed_stop = True, "FINISHED"
    with pytest.raises(RescaleFailed, match="not started again from there, as results would come twice"):
        carried_out(flink)
    assert flink.started == {}


def test_without_a_savepoint_the_job_runs_on(flink: FakeFlink) -> None:
    flink.no_savepoint = True
    with pytest.raises(RescaleFailed, match=r"it runs on as before: Checkpoint expired before completing\.$"):
        carried_out(flink)
    assert flink.changing() == [("POST", STOP)]


def test_a_stop_whose_answer_is_lost_is_asked_for_again_under_the_same_id(flink: FakeFlink) -> None:
    flink.lose = [f"POST {STOP}"] * 3
    carried_out(flink)
    assert len(flink.bodies(STOP)) == 4
    assert len({body["triggerId"] for body in flink.bodies(STOP)}) == 1
    assert len(flink.started) == 1


def test_a_job_that_ends_instead_of_running_again_names_its_savepoint(flink: FakeFlink) -> None:
    flink.new_state = "FAILED"
    with pytest.raises(RescaleFailed, match=rf"is FAILED: no state for x\. Its savepoint {SAVEPOINT} is still there"):
        carried_out(flink)


def test_an_elastic_job_that_keeps_its_parallelism_is_told_of(flink: FakeFlink) -> None:
    flink.new_count = 3
    with pytest.raises(RescaleFailed, match="running count has parallelism 3, not 4: an elastic job keeps"):
        carried_out(flink)


def test_a_start_whose_answer_is_lost_starts_one_job(flink: FakeFlink) -> None:
    flink.lose = [f"POST {RUN}"]
    ended = carried_out(flink)
    assert list(flink.started) == [ended.job_id]
    assert len(flink.bodies(RUN)) == 1


def test_a_savepoint_is_found_when_nobody_remembers_how_the_stop_went(flink: FakeFlink) -> None:
    flink.forgetful = True
    ended = carried_out(flink)
    assert ended.savepoint == SAVEPOINT
    assert len({body["triggerId"] for body in flink.bodies(STOP)}) == 1


def test_a_start_that_is_refused_names_the_savepoint_and_how_to_go_on(flink: FakeFlink) -> None:
    flink.refuse_run = "no such bucket"
    with pytest.raises(RescaleFailed, match=f"{SAVEPOINT}, but was not started again: .*no such bucket") as caught:
        carried_out(flink)
    request_id = caught.value.about["request_id"]
    assert caught.value.about["savepoint"] == SAVEPOINT
    assert f"--id {request_id} goes on" in str(caught.value)
    flink.refuse_run = None
    ended = carried_out(flink, request_id=request_id)
    assert (ended.job_id, ended.savepoint) == (request_id, SAVEPOINT)
    assert len(flink.bodies(STOP)) == 1


@settings(max_examples=40)
@given(after=st.floats(min_value=0, max_value=1.5), loss=st.sets(st.sampled_from([f"POST {STOP}", f"POST {RUN}"])))
def test_an_interrupted_restart_goes_on_under_its_id(after: float, loss: set[str]) -> None:
    """Whenever Ctrl-C comes and whatever answers are lost: one savepoint, one job."""
    interrupted = False

    def interrupt(now: float) -> None:
        nonlocal interrupted
        if now >= after and not interrupted:
            interrupted = True
            raise KeyboardInterrupt

    clock = FakeClock(interrupt)
    flink = FakeFlink(clock, savepoint_takes_s=0.5, lose=sorted(loss))
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        flink.serve(mock)
        try:
            ended = carried_out(flink)
        except Interrupted as error:
            ended = carried_out(flink, request_id=error.about["request_id"])
    assert list(flink.started) == [ended.request_id]
    assert flink.started[ended.job_id]["savepointPath"] == SAVEPOINT
    assert {body["triggerId"] for body in flink.bodies(STOP)} == {ended.request_id}


def test_a_time_out_names_the_id_and_the_job_is_started_when_it_goes_on(flink: FakeFlink, clock: FakeClock) -> None:
    flink.savepoint_takes_s = 20
    with pytest.raises(WaitTimeout, match="Still STOPPING after 5 s") as caught:
        carried_out(flink, course=Course(5, clock=clock))
    assert clock.now() == pytest.approx(5)
    assert flink.started == {}
    assert carried_out(flink, request_id=caught.value.about["request_id"]).savepoint == SAVEPOINT


def test_a_jobmanager_that_is_silent_for_minutes_is_given_up(flink: FakeFlink, clock: FakeClock) -> None:
    flink.lose = [f"POST {STOP}"] * 10_000
    with pytest.raises(NotReachable) as caught:
        carried_out(flink, course=Course(clock=clock, silence_s=60))
    assert 60 <= clock.now() < 75
    assert caught.value.about["job_id"] == JOB


@pytest.mark.parametrize(
    ("operators", "codes"),
    [
        ([("running count", 2)], ["PARALLELISM_UNCHANGED"]),
        ([("running count", 0)], ["PARALLELISM_BELOW_ONE"]),
        ([("running count", 129)], ["ABOVE_MAX_PARALLELISM"]),
        ([("running count", 7)], ["NOT_ENOUGH_SLOTS"]),
        ([("nosuch", 4)], ["UNKNOWN_VERTEX"]),
        # The submission has no place for it.
        ([("sink: Writer", 4)], ["SUBMISSION"]),
    ],
)
def test_what_cannot_be_is_refused_before_the_job_is_touched(
    flink: FakeFlink, operators: Operators, codes: list[str]
) -> None:
    with pytest.raises(Exception, match=r"\.$") as caught:
        carried_out(flink, operators=operators)
    assert [fault.code for fault in getattr(caught.value, "faults", ())] == codes
    assert flink.sent == []


def test_slots_of_drained_task_managers_do_not_count(flink: FakeFlink) -> None:
    drained = {"id": "tm-1", "address": "a:1", "armed": True, "drained": True, "slots": 4, "free_slots": 3}
    flink.overview = {"version": "1", "flink_version": "2.3.0", "armed": True, "task_managers": [drained]}
    flink.drained_slots = 1
    with pytest.raises(Refused, match=r"would need 4 slots: it has 1, 1 are free, 2 are missing \(those of drained"):
        carried_out(flink, operators=[("running count", 4)])
    assert flink.sent == []


def test_a_job_that_does_not_run_is_not_restarted(flink: FakeFlink) -> None:
    flink.cancelled = True
    with pytest.raises(Refused) as caught:
        carried_out(flink)
    assert "JOB_NOT_RUNNING" in [fault.code for fault in caught.value.faults]


def test_the_only_keyed_operator_needs_no_name(flink: FakeFlink) -> None:
    alone = SUBMISSION.model_copy(update={"arguments": ["--count", "{parallelism}"]})
    carried_out(flink, alone, [(None, 3)])
    assert flink.bodies(RUN)[0]["programArgsList"] == ["--count", "3"]
    flink.trigger, flink.started = None, {}
    with pytest.raises(UsageError, match="does not say of which operator"):
        carried_out(flink, alone, [(COUNT, 4), (SOURCE[:8], 2)])


@pytest.mark.parametrize(
    ("options", "wrong"),
    [({"drrs.x": "1"}, Refused), ({"restart.savepoint-format": "zip"}, UsageError)],
)
def test_options_are_those_of_the_strategy(flink: FakeFlink, options: dict[str, str], wrong: type[Exception]) -> None:
    with pytest.raises(wrong, match=r"restart\.savepoint-format"):
        carried_out(flink, options=options)
    carried_out(flink, options={"restart.savepoint-dir": "s3://b", "restart.savepoint-format": "canonical"})
    (body,) = flink.bodies(STOP)
    assert (body["targetDirectory"], body["formatType"]) == ("s3://b", "CANONICAL")
