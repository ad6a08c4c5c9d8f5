"""`plan` and `rescale`."""

from __future__ import annotations

from typing import Annotated

import typer

from pyctl.cli._options import (
    DEFAULT_MASTER,
    AsJson,
    CaFile,
    Master,
    Properties,
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
from pyctl.cli._targets import Names, Parallelism, Targets, targets
from pyctl.cli._waiting import await_end, check_timeout, finish, send
from pyctl.client import Client
from pyctl.errors import Fault, Refused, UsageError
from pyctl.follow import targets_of
from pyctl.model import CombinedRequest, RescaleRequest
from pyctl.planning import Together, Wish, propose, propose_all, propose_together
from pyctl.resolve import resolve_job


def plan(
    names: Names = None,
    parallelism: Parallelism = None,
    strategy: Strategy = "drrs",
    balance: Balance = BalanceChoice.COUNT,
    subscale_bytes: SubscaleBytes = DEFAULT_SUBSCALE_BYTES,
    sample: Sample = 0.0,
    given: Properties = None,
    master: Master = DEFAULT_MASTER,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Show what a rescale would move, how long it would take and what may disappoint; nothing is touched.

    Without an operator each elastic one is planned for as if it alone were rescaled. The JobManager checks each plan;
    exit code 3 if it would refuse one.
    """
    output = Output(as_json)
    wanted = targets(names, parallelism)
    name, number = wanted.operators[0]
    wish = Wish(number, strategy, None, properties(given))
    planner = planner_options(balance, subscale_bytes, wish.options)
    with connect(master, ca_file) as client:
        job_id = resolve_job(client, wanted.job)
        if len(wanted.operators) > 1:
            together = propose_together(client, job_id, _named(wanted), wish, planner, sample)
            _check_together(output, client, job_id, together)
            return
        if name is None:
            proposals = propose_all(client, job_id, wish, planner, sample)
        else:
            proposals = [propose(client, job_id, name, wish, planner, sample)]
        checked = [(proposal, _check(client, job_id, proposal.request)) for proposal in proposals]
    print_plans(output, job_id, checked)


def rescale(
    names: Names = None,
    parallelism: Parallelism = None,
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
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Rescale keyed operators of a running job, live: `rescale JOB OPERATOR -p 4` or `rescale JOB first=4 second=3`.

    Several operators are one request: all of them are rescaled or none. With --wait the exit code says how it ended:
    0 done, 4 failed or rolled back, 5 still running after --timeout.
    """
    check_timeout(timeout, wait)
    if wait and dry_run:
        raise UsageError("--wait has no meaning with --dry-run.")
    output = Output(as_json)
    wanted = targets(names, parallelism)
    name, number = wanted.operators[0]
    wish = Wish(number, strategy, cause, properties(given))
    planner = planner_options(balance, subscale_bytes, wish.options)
    request: RescaleRequest | CombinedRequest
    with connect(master, ca_file) as client:
        job_id = resolve_job(client, wanted.job)
        if len(wanted.operators) > 1:
            together = propose_together(client, job_id, _named(wanted), wish, planner, sample)
            if dry_run:
                _check_together(output, client, job_id, together)
                return
            proposals, request = together.proposals, together.request
        else:
            proposal = propose(client, job_id, name, wish, planner, sample)
            if dry_run:
                print_plans(output, job_id, [(proposal, _check(client, job_id, proposal.request))])
                return
            proposals, request = [proposal], proposal.request
        request_id = send(client, job_id, request)
        if not as_json:
            for line in (line for each in proposals for line in lines_of(each)):
                output.say(line)
        if not wait:
            output.data({"job_id": job_id, "request_id": request_id}, [request_id])
            return
        ended = await_end(client, job_id, request_id, timeout, targets_of(request))
    finish(output, ended)


def _named(wanted: Targets) -> list[tuple[str, int]]:
    return [(name, number) for name, number in wanted.operators if name is not None]


def _check_together(output: Output, client: Client, job_id: str, together: Together) -> None:
    faults = _check(client, job_id, together.request)
    print_plans(output, job_id, [(proposal, ()) for proposal in together.proposals], faults)


def _check(client: Client, job_id: str, request: RescaleRequest | CombinedRequest) -> tuple[Fault, ...]:
    try:
        client.check(job_id, request)
    except Refused as error:
        return error.faults
    return ()
