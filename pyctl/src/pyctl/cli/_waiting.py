"""What the commands that wait have in common: their options, and how a rescale ended."""

from __future__ import annotations

from collections.abc import Callable

import typer

from pyctl.cli._output import Output
from pyctl.cli._progress import Bar
from pyctl.client import Client
from pyctl.errors import ExitCode, RescaleFailed, UsageError
from pyctl.execution import Execution, Request
from pyctl.follow import Outcome
from pyctl.report import status_lines


def submit(
    output: Output,
    client: Client,
    job_id: str,
    request: Request,
    announce: Callable[[], None],
    wait: bool,
    timeout: float | None,
) -> None:
    """Have the JobManager rescale; with `wait` until it is over, and print how it ended as `finish` does."""
    with Bar(announce) as bar:
        execution = Execution(client, bar)
        if not wait:
            request_id = execution.send(job_id, request)
            output.data({"job_id": job_id, "request_id": request_id}, [request_id])
            return
        ended = execution.carry_out(job_id, request, timeout)
    finish(output, ended)


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
