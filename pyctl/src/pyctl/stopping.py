"""Stopping a job with a savepoint, under one trigger id, for as long as it takes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pyctl.client import Client
from pyctl.errors import Refused
from pyctl.flink_model import ENDED, CompletedCheckpoint, LatestCheckpoints, Savepoint
from pyctl.rest import first_line
from pyctl.whole_job import Course, known

_STOPS = "SYNC_SAVEPOINT"
"""Flink's name for a savepoint that a job stops with."""
_MADE = re.compile(r"A savepoint has been created at: (\S+), but")
"""What Flink says when the job fails while it stops, and the savepoint is there."""
_HAS_ENDED = {404, 409}
"""Flink's answers to the cancellation of a job that does not run any more."""


@dataclass(frozen=True)
class Stopped:
    """A job that has ended, and the savepoint that holds all that it has done; `warning` if the stop had failed."""

    savepoint: str
    warning: str | None = None


def stop(
    client: Client, job_id: str, trigger_id: str, course: Course, *, folder: str | None = None, native: bool = True
) -> Stopped:
    """Stop the job without a drain: no window fires early, no timer, and it may go on from the savepoint.

    `trigger_id` is the caller's own: however often it is asked for (by another call, too), one savepoint is taken. A
    request that is not answered, or a savepoint that takes long, is no failure: Flink is asked again. If the job fails
    while it stops, when the savepoint is there, that is used all the same; the job, which Flink then starts again, is
    cancelled. Raises RescaleFailed if there is no savepoint (the job then runs on) or one that is not the newest state.
    """
    before: int | None = None
    while True:
        found = course.ask(lambda: _savepoint(client, job_id, trigger_id))
        if found is not None and found.completed:
            break
        if found is None:
            # Not asked for yet; or the JobManager that was asked is gone, or has forgotten the answer.
            state = _state(client, job_id, course)
            if state is None or state in ENDED:
                break
            if before is None:
                before = _id(course.ask(lambda: _latest(client, job_id)).savepoint)
            course.ask(
                lambda: client.trigger_savepoint(job_id, stop=True, folder=folder, native=native, trigger_id=trigger_id)
            )
            course.touched = True
        course.pause()
    if found is not None and found.location is not None:
        _await_end(client, job_id, course)
        return Stopped(found.location)
    return _used_all_the_same(client, job_id, before or 0, found, course)


def _used_all_the_same(client: Client, job_id: str, before: int, failed: Savepoint | None, course: Course) -> Stopped:
    """The savepoint of a stop that failed, or (None) whose answer is lost, if nothing of the job came after it."""
    text = "" if failed is None else failed.failure or ""
    why = "Flink no longer knows how it went" if failed is None else first_line(text).rstrip(".")
    told = _MADE.search(text)
    path = told[1] if told is not None else _shown(client, job_id, before, course)
    state = _state(client, job_id, course)
    if path is None:
        if failed is None:
            raise course.failed(
                f"Whether the job {job_id} stopped with a savepoint is not known: it is {state or 'not known any more'}"
                f", and {why}; look into the folder for savepoints before it is started again."
            )
        what = f"it is {state or 'not known any more'}" if state is None or state in ENDED else "it runs on as before"
        raise course.failed(f"The job {job_id} was not stopped, and there is no savepoint; {what}: {why}.")
    course.about["savepoint"] = path
    went_on = f"The stop of the job {job_id} failed ({why}) and it went on past its savepoint {path}"
    twice = "it is not started again from there, as results would come twice"
    cancelled = False
    if state is not None and state not in ENDED:
        # Flink has started it again, from its last checkpoint: a savepoint is none for that. Cancelled past the
        # savepoint it may lose its checkpoints: so nothing is believed that is older than the savepoint.
        shown = course.ask(lambda: _latest(client, job_id))
        if shown.savepoint is None or shown.savepoint.path != path:
            _await_news(client, course)
            shown = course.ask(lambda: _latest(client, job_id))
        if _is_past(shown, path):
            raise course.failed(f"{went_on}; {twice}: look at the job and its checkpoints.")
        _cancel(client, job_id, course)
        cancelled = True
    ended = _await_end(client, job_id, course)
    _await_news(client, course)
    latest = course.ask(lambda: _latest(client, job_id))
    made = latest.savepoint
    newest = made is not None and made.path == path and not _is_past(latest, path)
    if not newest or (failed is not None and ended == "FINISHED"):
        last = latest.completed.path if latest.completed is not None else None
        now = f" before it was cancelled; its newest checkpoint, if Flink keeps it, is {last}" if cancelled else ""
        raise course.failed(f"{went_on}{now}; {twice}: look at the job and its checkpoints.")
    return Stopped(
        path, None if failed is None else f"The savepoint was there when the stop failed, and was used: {why}."
    )


def _shown(client: Client, job_id: str, before: int, course: Course) -> str | None:
    """Where the savepoint is that the job was to stop with, if Flink shows one."""
    _await_news(client, course)
    made = course.ask(lambda: _latest(client, job_id)).savepoint
    return made.path if made is not None and made.type == _STOPS and made.id > before else None


def _is_past(latest: LatestCheckpoints, savepoint: str) -> bool:
    """Whether a checkpoint is shown that completed after this savepoint."""
    made = latest.savepoint
    return made is not None and made.path == savepoint and _id(latest.completed) > made.id


def _await_news(client: Client, course: Course) -> None:
    """Flink shows checkpoints as they were up to `web.refresh-interval` ago: wait until all is shown that there is."""
    shown = course.ask(lambda: client.get("/config"))
    course.wait(float(shown.get("refresh-interval", 3000)) / 1000)


def _await_end(client: Client, job_id: str, course: Course) -> str | None:
    """Wait until the job has ended, and return how; None if Flink does not know it any more."""
    while (state := _state(client, job_id, course)) is not None and state not in ENDED:
        course.pause()
    return state


def _cancel(client: Client, job_id: str, course: Course) -> None:
    try:
        course.ask(lambda: client.cancel(job_id))
    except Refused as error:
        if error.status not in _HAS_ENDED:
            raise


def _state(client: Client, job_id: str, course: Course) -> str | None:
    """The job's state, of this moment; None if Flink does not know the job."""
    if course.ask(lambda: known(client, job_id)) is None:
        return None
    return course.ask(lambda: client.state(job_id))


def _savepoint(client: Client, job_id: str, trigger_id: str) -> Savepoint | None:
    """How the savepoint stands; None if Flink does not know that it was asked for."""
    try:
        return client.savepoint(job_id, trigger_id)
    except Refused as error:
        if error.status != 404:
            raise
        return None


def _latest(client: Client, job_id: str) -> LatestCheckpoints:
    """The newest checkpoint and savepoint; of a job without checkpoints there are none."""
    try:
        return client.checkpoint_times(job_id).latest
    except Refused as error:
        if error.status != 404:
            raise
        return LatestCheckpoints()


def _id(checkpoint: CompletedCheckpoint | None) -> int:
    return 0 if checkpoint is None else checkpoint.id
