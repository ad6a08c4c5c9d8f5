"""A job from its start to its end, as whoever drives it waits for it; with and without the plug-in."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path

from pyctl import stopping
from pyctl.client import Client
from pyctl.flink_model import ENDED, JobVertex
from pyctl.rest import first_line
from pyctl.whole_job import Course

from drrs_jobs.waiting import await_until


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


def busy_ms(client: Client, job: str, vertex_name: str) -> dict[int, float]:
    """Return how long each running subtask of the vertex has been busy since it started, in milliseconds."""
    for vertex in client.job(job).vertices:
        if vertex_name in vertex.name:
            subtasks = client.get(f"/jobs/{job}/vertices/{vertex.id}")["subtasks"]
            return {
                int(subtask["subtask"]): float(subtask["metrics"]["accumulated-busy-time"])
                for subtask in subtasks
                if subtask["status"] == "RUNNING"
            }
    raise ValueError(f"job {job} has no vertex named like {vertex_name!r}")


def _check_alive(client: Client, job: str, state: str, wanted: str) -> None:
    if state in ENDED and state != wanted:
        cause = client.cause_of_failure(job) or "no cause is known"
        raise JobEndedError(f"job {job} is {state} and not {wanted}: {cause[:400]}")
