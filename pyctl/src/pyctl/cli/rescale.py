"""`plan` and `rescale`."""

from __future__ import annotations

from typing import Annotated

import typer

from pyctl.cli import _progress
from pyctl.cli._options import (
    DEFAULT_MASTER,
    AsJson,
    JobArgument,
    Master,
    Properties,
    VertexArgument,
    connect,
    properties,
)
from pyctl.cli._output import Output
from pyctl.cli._plans import (
    DEFAULT_SUBSCALE_BYTES,
    Balance,
    BalanceChoice,
    Cause,
    Sample,
    Strategy,
    SubscaleBytes,
    lines_of,
    print_plans,
)
from pyctl.cli._plans import options as planner_options
from pyctl.cli.observe import check_timeout, finish
from pyctl.client import Client
from pyctl.errors import Fault, Refused, UsageError
from pyctl.follow import follow
from pyctl.planning import Proposal, Wish, propose, propose_all
from pyctl.resolve import resolve_job

Parallelism = Annotated[int, typer.Option("-p", "--parallelism", metavar="N", help="Subtasks wanted.")]


def plan(
    parallelism: Parallelism,
    job: JobArgument = None,
    vertex: VertexArgument = None,
    strategy: Strategy = "drrs",
    balance: Balance = BalanceChoice.COUNT,
    subscale_bytes: SubscaleBytes = DEFAULT_SUBSCALE_BYTES,
    sample: Sample = 0.0,
    given: Properties = None,
    master: Master = DEFAULT_MASTER,
    as_json: AsJson = False,
) -> None:
    """Show what a rescale would move, how long it would take and what may disappoint; nothing is touched.

    Without a vertex every elastic vertex is planned for. The JobManager checks each plan; exit code 3 if it would
    refuse one.
    """
    output = Output(as_json)
    wish = Wish(parallelism, strategy, None, properties(given))
    planner = planner_options(balance, subscale_bytes, wish.options)
    with connect(master) as client:
        job_id = resolve_job(client, job)
        if vertex is None:
            proposals = propose_all(client, job_id, wish, planner, sample)
        else:
            proposals = [propose(client, job_id, vertex, wish, planner, sample)]
        checked = [(proposal, _check(client, job_id, proposal)) for proposal in proposals]
    print_plans(output, job_id, checked)


def rescale(
    parallelism: Parallelism,
    job: JobArgument = None,
    vertex: VertexArgument = None,
    strategy: Strategy = "drrs",
    balance: Balance = BalanceChoice.COUNT,
    subscale_bytes: SubscaleBytes = DEFAULT_SUBSCALE_BYTES,
    sample: Sample = 0.0,
    cause: Cause = None,
    given: Properties = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it has ended.")] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="With --wait: exit code 5 after this time.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan and check only, as `plan` does.")] = False,
    master: Master = DEFAULT_MASTER,
    as_json: AsJson = False,
) -> None:
    """Rescale one keyed operator of a running job, live.

    With --wait the exit code says how it ended: 0 done, 4 failed or rolled back, 5 still running after --timeout.
    """
    check_timeout(timeout, wait)
    if wait and dry_run:
        raise UsageError("--wait has no meaning with --dry-run.")
    output = Output(as_json)
    wish = Wish(parallelism, strategy, cause, properties(given))
    planner = planner_options(balance, subscale_bytes, wish.options)
    with connect(master) as client:
        job_id = resolve_job(client, job)
        proposal = propose(client, job_id, vertex, wish, planner, sample)
        if dry_run:
            print_plans(output, job_id, [(proposal, _check(client, job_id, proposal))])
            return
        request_id = client.rescale(job_id, proposal.request)
        if not as_json:
            for line in lines_of(proposal):
                output.say(line)
        if not wait:
            output.data({"job_id": job_id, "request_id": request_id}, [request_id])
            return
        last = _progress.show(follow(client, job_id, request_id, timeout_s=timeout))
    finish(output, last)


def _check(client: Client, job_id: str, proposal: Proposal) -> tuple[Fault, ...]:
    try:
        client.check(job_id, proposal.request)
    except Refused as error:
        return error.faults
    return ()
