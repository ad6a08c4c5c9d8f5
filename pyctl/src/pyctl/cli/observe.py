"""`status`, `history` and `abort`."""

from __future__ import annotations

from typing import Annotated

import typer

from pyctl.cli import _progress
from pyctl.cli._options import DEFAULT_MASTER, AsJson, JobArgument, Master, VertexArgument, connect
from pyctl.cli._output import Output
from pyctl.errors import ExitCode, RescaleFailed, UsageError
from pyctl.follow import failure, follow
from pyctl.model import Phase, Rescale
from pyctl.report import status_line, status_lines
from pyctl.resolve import resolve_job, resolve_rescale

RequestId = Annotated[
    str | None, typer.Option("--id", metavar="ID", help="Id of the rescale, or its beginning; the newest if left out.")
]
Timeout = Annotated[float | None, typer.Option("--timeout", metavar="SECONDS", help="Give up waiting after this time.")]


def status(
    job: JobArgument = None,
    vertex: VertexArgument = None,
    request_id: RequestId = None,
    watch: bool = typer.Option(False, "--watch", "-w", help="Follow it until it has ended."),
    timeout: Timeout = None,
    master: Master = DEFAULT_MASTER,
    as_json: AsJson = False,
) -> None:
    """Show a rescale: phase, key groups and bytes moved, time left, what each phase took.

    With --watch and --json each change is one JSON document on a line of its own.
    """
    check_timeout(timeout, watch)
    output = Output(as_json)
    with connect(master) as client:
        job_id = resolve_job(client, job)
        current = resolve_rescale(client, job_id, request_id, vertex)
        if not watch:
            # The list is as good as the single status, but only the latter is sure to be of this moment.
            current = client.status(job_id, current.request_id)
            output.data(current, status_lines(current))
            return
        statuses = follow(client, job_id, current.request_id, timeout_s=timeout)
        if as_json:
            seen = None
            for current in statuses:
                if current != seen:
                    output.document(current, compact=True)
                seen = current
            if failure(current) is not None:
                raise typer.Exit(ExitCode.FAILED)
            return
        last = _progress.show(statuses)
    finish(output, last)


def history(
    job: JobArgument = None,
    vertex: VertexArgument = None,
    master: Master = DEFAULT_MASTER,
    as_json: AsJson = False,
) -> None:
    """List the rescales of a job, newest first."""
    with connect(master) as client:
        job_id = resolve_job(client, job)
        rescales = client.history(job_id)
        if vertex is not None:
            rescales = [r for r in rescales if r.concerns({vertex})]
    lines = [status_line(r) + (f" | {r.reason}" if r.reason else "") for r in rescales]
    Output(as_json).data(
        {"rescales": [r.model_dump(mode="json", by_alias=True) for r in rescales]}, lines or ["no rescales so far"]
    )


def abort(
    job: JobArgument = None,
    request_id: RequestId = None,
    wait: bool = typer.Option(False, "--wait", help="Wait until it is rolled back."),
    timeout: Timeout = None,
    master: Master = DEFAULT_MASTER,
    as_json: AsJson = False,
) -> None:
    """Abort a rescale: what has moved goes back to its old owner."""
    check_timeout(timeout, wait)
    output = Output(as_json)
    with connect(master) as client:
        job_id = resolve_job(client, job)
        target = resolve_rescale(client, job_id, request_id, None).request_id
        client.abort(job_id, target)
        if not wait:
            output.data({"job_id": job_id, "request_id": target}, [f"abort of {target} accepted"])
            return
        last = _progress.show(follow(client, job_id, target, timeout_s=timeout))
    if last.phase is Phase.ABORTED:
        output.data(last, status_lines(last))
        return
    finish(output, last, RescaleFailed(f"The rescale {target} was not rolled back: it ended as {last.phase}."))


def finish(output: Output, last: Rescale, error: RescaleFailed | None = None) -> None:
    """Print how a rescale ended; exit code 4 if that is a failure (or `error` says so)."""
    error = error or failure(last)
    if error is None:
        output.data(last, status_lines(last))
        return
    faults = [{"code": fault.code, "message": fault.message} for fault in error.faults]
    output.data({**last.model_dump(mode="json", by_alias=True), "errors": faults}, status_lines(last))
    if not output.as_json:
        output.say(f"error: {error}")
    raise typer.Exit(ExitCode.FAILED)


def check_timeout(timeout: float | None, waits: bool) -> None:
    """Raise UsageError for a time-out that cannot be meant."""
    if timeout is not None and timeout <= 0:
        raise UsageError("--timeout must be above 0 seconds.")
    if timeout is not None and not waits:
        raise UsageError("--timeout has no meaning without waiting: add --wait (or --watch).")
