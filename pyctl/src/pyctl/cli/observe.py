"""`status`, `history` and `abort`."""

from __future__ import annotations

from typing import Annotated

import typer

from pyctl.cli._options import DEFAULT_MASTER, AsJson, CaFile, JobArgument, Master, VertexArgument, connect
from pyctl.cli._output import Output
from pyctl.cli._waiting import await_end, check_timeout, finish, going_on
from pyctl.errors import ExitCode, RescaleFailed
from pyctl.follow import follow, outcome
from pyctl.model import Phase, Rescale
from pyctl.report import history_line, status_lines
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
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Show a rescale: phase, key groups and bytes moved, time left, what each phase took.

    With --watch and --json each change is one JSON document on a line of its own.
    """
    check_timeout(timeout, watch)
    output = Output(as_json)
    with connect(master, ca_file) as client:
        job_id = resolve_job(client, job, ended=True)
        current = resolve_rescale(client, job_id, request_id, vertex)
        if not watch:
            # The list is as good as the single status, but only the latter is sure to be of this moment.
            current = client.status(job_id, current.request_id)
            output.data(current, status_lines(current))
            return
        if not as_json:
            finish(output, await_end(client, job_id, current.request_id, timeout))
            return
        with going_on(job_id, current.request_id):
            seen: dict[str, Rescale] = {}
            for status in follow(client, job_id, current.request_id, timeout_s=timeout):
                if status != seen.pop(status.request_id, None):
                    output.document(status, compact=True)
                seen[status.request_id] = status
            if outcome(client, job_id, list(seen.values())).failure() is not None:
                raise typer.Exit(ExitCode.FAILED)


def history(
    job: JobArgument = None,
    vertex: VertexArgument = None,
    master: Master = DEFAULT_MASTER,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """List the rescales of a job, newest first: when, how long, from and to, phase, cause and reason.

    Also of a job that has ended, as long as the JobManager or a history server (-m) knows it.
    """
    with connect(master, ca_file) as client:
        job_id = resolve_job(client, job, ended=True)
        rescales = client.history(job_id)
        if vertex is not None:
            rescales = [r for r in rescales if r.concerns({vertex})]
    document = {"job_id": job_id, "rescales": [r.model_dump(mode="json", by_alias=True) for r in rescales]}
    Output(as_json).data(document, [history_line(r) for r in rescales] or ["no rescales so far"])


def abort(
    job: JobArgument = None,
    request_id: RequestId = None,
    wait: bool = typer.Option(False, "--wait", help="Wait until it is rolled back."),
    timeout: Timeout = None,
    master: Master = DEFAULT_MASTER,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Abort a rescale: what has moved goes back to its old owner."""
    check_timeout(timeout, wait)
    output = Output(as_json)
    with connect(master, ca_file) as client:
        job_id = resolve_job(client, job)
        target = resolve_rescale(client, job_id, request_id, None).request_id
        client.abort(job_id, target)
        if not wait:
            output.data({"job_id": job_id, "request_id": target}, [f"abort of {target} accepted"])
            return
        ended = await_end(client, job_id, target, timeout)
    if ended.last.phase is Phase.ABORTED:
        output.data(ended.last, status_lines(ended.last))
        return
    finish(output, ended, RescaleFailed(f"The rescale {target} was not rolled back: it ended as {ended.last.phase}."))
