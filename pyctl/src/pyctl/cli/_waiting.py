"""Waiting for a rescale in a command: progress, Ctrl-C, and how it ended."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from pyctl.cli import _progress
from pyctl.cli._output import Output
from pyctl.client import Client
from pyctl.errors import ExitCode, Interrupted, RescaleFailed, UsageError, WaitTimeout
from pyctl.follow import Outcome, Target, follow, outcome
from pyctl.model import CombinedRequest, RescaleRequest
from pyctl.report import status_lines


def send(client: Client, job_id: str, request: RescaleRequest | CombinedRequest) -> str:
    """Ask for a rescale and return its id. Raises Interrupted on Ctrl-C: it may have been accepted."""
    request_id = request.request_id or uuid.uuid4().hex
    try:
        return client.rescale(job_id, request.model_copy(update={"request_id": request_id}))
    except KeyboardInterrupt:
        interrupted = Interrupted(
            f"Interrupted. The rescale {request_id} may have been accepted: `pyctl status {job_id} --id {request_id}` "
            f"tells, `pyctl abort {job_id} --id {request_id}` turns it back."
        )
        interrupted.about = {"job_id": job_id, "request_id": request_id}
        raise interrupted from None


def await_end(
    client: Client, job_id: str, request_id: str, timeout_s: float | None, targets: Sequence[Target] | None = None
) -> Outcome:
    """Follow a rescale, with a progress bar on a terminal, until it and what goes on with it has ended.

    Raises Interrupted on Ctrl-C and WaitTimeout; it goes on then.
    """
    with going_on(job_id, request_id):
        seen = _progress.show(follow(client, job_id, request_id, timeout_s=timeout_s))
        return outcome(client, job_id, seen, targets)


@contextmanager
def going_on(job_id: str, request_id: str) -> Iterator[None]:
    """Tell of a rescale that goes on when the waiting for it is broken off."""
    about = {"job_id": job_id, "request_id": request_id}
    try:
        yield
    except KeyboardInterrupt:
        interrupted = Interrupted(
            f"Interrupted. The rescale {request_id} goes on: `pyctl status {job_id} --id {request_id}` shows it, "
            f"`pyctl abort {job_id} --id {request_id}` turns it back."
        )
        interrupted.about = about
        raise interrupted from None
    except WaitTimeout as error:
        error.about = about
        raise


def finish(output: Output, ended: Outcome, error: RescaleFailed | None = None) -> None:
    """Print how a rescale ended; exit code 4 if what was wanted is not there (or `error` says so)."""
    error = error or ended.failure()
    chain = [ended.asked, *ended.continued] if ended.continued or ended.story() else [ended.last]
    lines = [line for status in chain for line in status_lines(status)]
    document = {**ended.last.model_dump(mode="json", by_alias=True), "outcome": ended.document()}
    if error is None:
        story = ended.story()
        output.data(document, [*lines, *([story] if story else [])])
        return
    faults = [{"code": fault.code, "message": fault.message} for fault in error.faults]
    output.data({**document, "errors": faults}, lines)
    if not output.as_json:
        output.say(f"error: {error}")
    raise typer.Exit(ExitCode.FAILED)


def check_timeout(timeout: float | None, waits: bool) -> None:
    """Raise UsageError for a time-out that cannot be meant."""
    if timeout is not None and timeout <= 0:
        raise UsageError("--timeout must be above 0 seconds.")
    if timeout is not None and not waits:
        raise UsageError("--timeout has no meaning without waiting: add --wait (or --watch).")
