"""`status`, `history` and `abort`."""

from __future__ import annotations

from typing import Annotated

import typer

from pyctl.cli._options import DEFAULT_MASTER, AsJson, CaFile, JobArgument, Master, VertexArgument, connect
from pyctl.cli._output import Output
from pyctl.cli._progress import Bar
from pyctl.cli._waiting import check_timeout, finish
from pyctl.errors import ExitCode
from pyctl.execution import Execution, not_rolled_back
from pyctl.model import Rescale
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
            with Bar() as bar:
                ended = Execution(client, bar).await_end(job_id, current.request_id, timeout)
            finish(output, ended)
            return
        ended = Execution(client, _Changes(output)).await_end(job_id, current.request_id, timeout)
    if ended.failure() is not None:
        raise typer.Exit(ExitCode.FAILED)


class _Changes:
    """Prints each status that differs from the one before of the same rescale, as JSON on a line."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._seen: dict[str, Rescale] = {}

    def accepted(self, job_id: str, request_id: str) -> None:
        """Nothing to print yet."""

    def progressed(self, status: Rescale) -> None:
        if status != self._seen.get(status.request_id):
            self._output.document(status, compact=True)
        self._seen[status.request_id] = status


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
        if not wait:
            client.abort(job_id, target)
            output.data({"job_id": job_id, "request_id": target}, [f"abort of {target} accepted"])
            return
        with Bar() as bar:
            ended = Execution(client, bar).abort(job_id, target, timeout)
    failure = not_rolled_back(ended)
    if failure is None:
        output.data(ended.last, status_lines(ended.last))
        return
    finish(output, ended, failure)
