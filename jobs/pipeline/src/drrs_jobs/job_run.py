"""A job from its start to its end, as whoever drives it waits for it; with and without the plug-in."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyctl import stopping
from pyctl.client import Client
from pyctl.flink_model import ENDED, JobVertex
from pyctl.rest import first_line
from pyctl.whole_job import Course

from drrs_jobs.waiting import await_until

_TIMES = ("busy", "idle", "backpressured")


class JobEndedError(Exception):
    """The job is in a final state that it was not meant to reach; the message holds Flink's cause."""


def only_job(client: Client) -> str:
    """Return the id of the one job that has not ended."""
    running = [job.jid for job in client.jobs() if not job.ended]
    if len(running) != 1:
        raise JobEndedError(f"expected one job that runs, found {len(running)}")
    return running[0]


def await_running(client: Client, job: str, at_least: Mapping[str, int], timeout_s: float = 120.0) -> None:
    """Wait until all tasks of the job run.

    ``at_least`` says how many that are for vertices whose name holds the given text: those of an elastic vertex that
    are dormant never run, so its parallelism does not tell.
    """

    def wanted(vertex: JobVertex) -> int:
        return next((number for text, number in at_least.items() if text in vertex.name), vertex.parallelism)

    def all_run() -> bool:
        details = client.job(job)
        _check_alive(client, job, details.state, "RUNNING")
        return all(vertex.tasks.running >= wanted(vertex) for vertex in details.vertices)

    await_until(all_run, f"all tasks of job {job} to run", timeout_s, 0.05)


def await_finished(client: Client, job: str, timeout_s: float) -> None:
    """Wait until a bounded job has finished; raises ``JobEndedError`` if it fails."""
    await_until(lambda: has_finished(client, job), f"the end of job {job}", timeout_s, 0.5)


def has_finished(client: Client, job: str) -> bool:
    """Whether the job has finished; raises ``JobEndedError`` if it has failed or was cancelled."""
    state = client.job(job).state
    _check_alive(client, job, state, "FINISHED")
    return state == "FINISHED"


def stop(client: Client, job: str, folder: Path, timeout_s: float = 120.0) -> str:
    """Stop a job with a savepoint, as ``pyctl`` does, and return the savepoint once the job has ended."""
    return stopping.stop(client, job, uuid.uuid4().hex, Course(timeout_s), folder=folder.resolve().as_uri()).savepoint


def await_savepoint(client: Client, job: str, trigger: str, timeout_s: float = 120.0) -> str:
    """Wait for a savepoint that was triggered; raises ``JobEndedError`` with the cause if there is none."""
    done = await_until(
        lambda: found if (found := client.savepoint(job, trigger)).completed else None,
        f"the savepoint of job {job}",
        timeout_s,
        0.02,
    )
    if done.location is None:
        raise JobEndedError(f"no savepoint of job {job}: {first_line(done.failure or '')[:400]}")
    return done.location


@dataclass(frozen=True, slots=True)
class TaskTime:
    """How a task has spent its time since it started, in milliseconds, when it was last asked: some time ago.

    A wait counts as ``busy`` until it ends, or until Flink looks, each 5 s.
    """

    attempt: int
    busy: float
    in_all: float

    def share_since(self, earlier: TaskTime | None, least_ms: float) -> float | None:
        """Return the busy share since then, or since the start of a task that did not run then.

        By the task's own time, as both are older than the moments in which they were told. ``None`` if that is less
        than ``least_ms``: what was waiting then would weigh too much.
        """
        if earlier is None or earlier.attempt != self.attempt:
            earlier = TaskTime(self.attempt, 0.0, 0.0)
        time = self.in_all - earlier.in_all
        # What turned out to be waiting was not busy at that time either.
        busy = self.busy - min(earlier.busy, self.busy)
        return busy / time if time >= least_ms else None


def task_times(client: Client, job: str, vertex_name: str) -> dict[int, TaskTime]:
    """Return the time of each subtask of the vertex that runs and of which Flink knows it."""
    for vertex in client.job(job).vertices:
        if vertex_name in vertex.name:
            subtasks = client.get(f"/jobs/{job}/vertices/{vertex.id}")["subtasks"]
            times = {
                int(subtask["subtask"]): _task_time(subtask) for subtask in subtasks if subtask["status"] == "RUNNING"
            }
            return {number: time for number, time in times.items() if time.in_all > 0}
    raise ValueError(f"job {job} has no vertex named like {vertex_name!r}")


def _task_time(subtask: Mapping[str, Any]) -> TaskTime:
    """Return all zero if the metrics have not come yet, not a number if the task has just started."""
    busy, idle, pressed = (float(subtask["metrics"][f"accumulated-{how}-time"]) for how in _TIMES)
    return TaskTime(int(subtask["attempt"]), busy, busy + idle + pressed)


def _check_alive(client: Client, job: str, state: str, wanted: str) -> None:
    if state in ENDED and state != wanted:
        cause = client.cause_of_failure(job) or "no cause is known"
        raise JobEndedError(f"job {job} is {state} and not {wanted}: {cause[:400]}")
