"""Driving a job, against canned answers of Flink's REST."""

from collections.abc import Iterator
from typing import Any

import pytest
import responses
from pyctl.client import Client
from pyctl.errors import NotReachable

from drrs_jobs.checkpoints import Checkpoints, checkpoints
from drrs_jobs.job_run import (
    JobEndedError,
    TaskTime,
    await_finished,
    await_running,
    await_savepoint,
    only_job,
    task_times,
)
from drrs_jobs.waiting import await_until

URL = "http://127.0.0.1:1"
JOB = {"jid": "j", "name": "count"}


@pytest.fixture
def rest() -> Any:
    with responses.RequestsMock() as mock:
        yield mock


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(URL) as made:
        yield made


def checkpoint(trigger: int, end: int, status: str = "COMPLETED", savepoint: bool = False) -> dict[str, Any]:
    return {
        "trigger_timestamp": trigger,
        "latest_ack_timestamp": end,
        "status": status,
        "is_savepoint": savepoint,
        "state_size": trigger * 10,
    }


def test_checkpoints_that_touch_the_period_and_the_first_after_it_count(
    rest: responses.RequestsMock, client: Client
) -> None:
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
    assert checkpoints(client, "j", 15, 30) == Checkpoints(2, 1, 500)


def test_a_savepoint_is_waited_for(rest: responses.RequestsMock, client: Client) -> None:
    rest.get(f"{URL}/jobs/j/savepoints/t", json={"status": {"id": "IN_PROGRESS"}})
    rest.get(f"{URL}/jobs/j/savepoints/t", json={"status": {"id": "COMPLETED"}, "operation": {"location": "file:/s/1"}})
    assert await_savepoint(client, "j", "t") == "file:/s/1"


def test_a_savepoint_that_fails_tells_why(rest: responses.RequestsMock, client: Client) -> None:
    operation = {"failure-cause": "disk full\n\tat somewhere"}
    rest.get(f"{URL}/jobs/j/savepoints/t", json={"status": {"id": "COMPLETED"}, "operation": operation})
    with pytest.raises(JobEndedError, match=r"no savepoint of job j: .*disk full"):
        await_savepoint(client, "j", "t")


def test_a_job_runs_when_its_dormant_tasks_alone_do_not(rest: responses.RequestsMock, client: Client) -> None:
    def vertices(running: int) -> dict[str, Any]:
        return {
            **JOB,
            "state": "RUNNING",
            "vertices": [
                {"id": "s", "name": "source", "parallelism": 1, "tasks": {"RUNNING": 1}},
                {"id": "c", "name": "running count -> x", "parallelism": 4, "tasks": {"RUNNING": running}},
            ],
        }

    for running in (1, 2):
        rest.get(f"{URL}/jobs/j", json=vertices(running))
    await_running(client, "j", {"running count": 2}, timeout_s=5)


def test_waiting_for_a_failed_job_ends_at_once_with_its_cause(rest: responses.RequestsMock, client: Client) -> None:
    rest.get(f"{URL}/jobs/j", json={**JOB, "state": "FAILED"})
    entries = [{"stacktrace": "java.lang.IllegalStateException: Key 5 has lost its ballast\n\tat x"}]
    rest.get(f"{URL}/jobs/j/exceptions", json={"exceptionHistory": {"entries": entries}})
    with pytest.raises(JobEndedError, match=r"is FAILED and not FINISHED: .*Key 5 has lost its ballast"):
        await_finished(client, "j", 5)


def test_the_only_job_is_the_one_that_has_not_ended(rest: responses.RequestsMock, client: Client) -> None:
    jobs = [{"jid": "a", "name": "x", "state": "FINISHED"}, {"jid": "b", "name": "x", "state": "RUNNING"}]
    rest.get(f"{URL}/jobs/overview", json={"jobs": jobs})
    assert only_job(client) == "b"
    rest.replace(responses.GET, f"{URL}/jobs/overview", json={"jobs": jobs[:1]})
    with pytest.raises(JobEndedError, match="found 0"):
        only_job(client)


def test_time_is_of_the_subtasks_that_run_and_of_which_it_is_known(
    rest: responses.RequestsMock, client: Client
) -> None:
    vertices = [{"id": "v", "name": "running count -> x", "parallelism": 4}]
    rest.get(f"{URL}/jobs/j", json={**JOB, "state": "RUNNING", "vertices": vertices})
    told: list[tuple[str, float | str]] = [("RUNNING", 5.5), ("CREATED", 5.5), ("RUNNING", 0), ("RUNNING", "NaN")]
    subtasks = [
        {
            "subtask": index,
            "status": status,
            "attempt": 1,
            "metrics": {f"accumulated-{how}-time": time for how in ("busy", "idle", "backpressured")},
        }
        for index, (status, time) in enumerate(told)
    ]
    rest.get(f"{URL}/jobs/j/vertices/v", json={"subtasks": subtasks})
    assert task_times(client, "j", "running count") == {0: TaskTime(1, 5.5, 16.5)}


@pytest.mark.parametrize(
    ("earlier", "later", "share"),
    [
        (TaskTime(0, 18_000, 20_000), TaskTime(0, 22_000, 28_000), 0.5),
        (TaskTime(0, 18_000, 20_000), TaskTime(1, 2_000, 4_000), 0.5),
        (None, TaskTime(0, 2_000, 4_000), 0.5),
        (TaskTime(0, 18_000, 20_000), TaskTime(0, 17_300, 20_300), None),
        (TaskTime(0, 5_000, 20_000), TaskTime(0, 4_500, 28_000), 0.0),
    ],
    ids=["steady", "restarted", "new", "less than asked for", "waited when it was first asked"],
)
def test_a_busy_share_is_by_the_time_of_the_task(
    earlier: TaskTime | None, later: TaskTime, share: float | None
) -> None:
    assert later.share_since(earlier, 4_000) == share


def test_waiting_in_vain_names_what_did_not_come() -> None:
    with pytest.raises(TimeoutError, match="waited 0 s in vain for Godot"):
        await_until(lambda: None, "Godot", 0.05, 0.01)


def test_a_jobmanager_that_does_not_answer_counts_as_not_yet() -> None:
    answers: Iterator[Exception | str] = iter([NotReachable("No JobManager answers."), "here"])

    def probe() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert await_until(probe, "an answer", 5, 0.01) == "here"
