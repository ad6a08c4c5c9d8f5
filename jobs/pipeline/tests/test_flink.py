"""The calls of Flink's REST against canned answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import responses

from drrs_jobs.flink import Checkpoints, Flink, JobEndedError
from drrs_jobs.waiting import await_until

URL = "http://127.0.0.1:1"


@pytest.fixture
def rest() -> Any:
    with responses.RequestsMock() as mock:
        yield mock


def checkpoint(trigger: int, end: int, status: str = "COMPLETED", savepoint: bool = False) -> dict[str, Any]:
    return {
        "trigger_timestamp": trigger,
        "latest_ack_timestamp": end,
        "status": status,
        "is_savepoint": savepoint,
        "state_size": trigger * 10,
    }


def test_checkpoints_that_touch_the_period_and_the_first_after_it_count(rest: responses.RequestsMock) -> None:
    history = [
        checkpoint(60, 65),
        checkpoint(50, 55),
        checkpoint(40, 42, savepoint=True),
        checkpoint(20, 20, "FAILED"),
        checkpoint(10, 22),
        checkpoint(1, 5),
        checkpoint(70, -1, "IN_PROGRESS"),
    ]
    rest.get(f"{URL}/jobs/j/checkpoints", json={"history": history})
    assert Flink(URL).checkpoints("j", 15, 30) == Checkpoints(2, 1, 500)


def test_stop_returns_the_savepoint_once_the_job_has_ended(rest: responses.RequestsMock) -> None:
    rest.post(f"{URL}/jobs/j/stop", json={"request-id": "t"})
    rest.get(f"{URL}/jobs/j/savepoints/t", json={"status": {"id": "IN_PROGRESS"}})
    rest.get(f"{URL}/jobs/j/savepoints/t", json={"status": {"id": "COMPLETED"}, "operation": {"location": "file:/s/1"}})
    rest.get(f"{URL}/jobs/j", json={"state": "RUNNING"})
    rest.get(f"{URL}/jobs/j", json={"state": "FINISHED"})
    assert Flink(URL).stop("j", Path("/s")) == "file:/s/1"


def test_stop_tells_why_there_is_no_savepoint(rest: responses.RequestsMock) -> None:
    rest.post(f"{URL}/jobs/j/stop", json={"request-id": "t"})
    operation = {"failure-cause": "disk full\n\tat somewhere"}
    rest.get(f"{URL}/jobs/j/savepoints/t", json={"status": {"id": "COMPLETED"}, "operation": operation})
    with pytest.raises(JobEndedError, match=r"no savepoint of job j: .*disk full"):
        Flink(URL).stop("j", Path("/s"))


def test_a_job_runs_when_its_dormant_tasks_alone_do_not(rest: responses.RequestsMock) -> None:
    def vertices(running: int) -> dict[str, Any]:
        return {
            "state": "RUNNING",
            "vertices": [
                {"name": "source", "parallelism": 1, "tasks": {"RUNNING": 1}},
                {"name": "running count -> x", "parallelism": 4, "tasks": {"RUNNING": running}},
            ],
        }

    for running in (1, 2):
        rest.get(f"{URL}/jobs/j", json=vertices(running))
    Flink(URL).await_running("j", {"running count": 2}, timeout_s=5)


def test_waiting_for_a_failed_job_ends_at_once_with_its_cause(rest: responses.RequestsMock) -> None:
    rest.get(f"{URL}/jobs/j", json={"state": "FAILED"})
    entries = [{"stacktrace": "java.lang.IllegalStateException: Key 5 has lost its ballast\n\tat x"}]
    rest.get(f"{URL}/jobs/j/exceptions", json={"exceptionHistory": {"entries": entries}})
    with pytest.raises(JobEndedError, match=r"is FAILED and not FINISHED: .*Key 5 has lost its ballast"):
        Flink(URL).await_finished("j", 5)


def test_an_error_answer_is_raised_with_its_first_line(rest: responses.RequestsMock) -> None:
    rest.get(f"{URL}/jobs/j", status=404, body="Job j not found\nstack")
    with pytest.raises(requests.HTTPError, match=r"404 Job j not found$"):
        Flink(URL).get("/jobs/j")


def test_waiting_in_vain_names_what_did_not_come() -> None:
    with pytest.raises(TimeoutError, match="waited 0 s in vain for Godot"):
        await_until(lambda: None, "Godot", 0.05, 0.01)


def test_a_refused_connection_counts_as_not_yet() -> None:
    answers: Iterator[Exception | str] = iter([requests.ConnectionError("refused"), "here"])

    def probe() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert await_until(probe, "an answer", 5, 0.01) == "here"
