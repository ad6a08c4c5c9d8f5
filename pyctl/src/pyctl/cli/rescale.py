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
from pyctl.cli._targets import Names, Parallelism, targets
from pyctl.cli._waiting import check_timeout, submit
from pyctl.cli._whole_job import (
    RestartId,
    SubmissionFile,
    Wish,
    carry_out,
    check,
    check_live,
    check_usage,
    is_whole_job,
)
from pyctl.client import Client
from pyctl.errors import UsageError
from pyctl.planning import Manner, propose_all
from pyctl.rescaling import Prepared, prepare, verdict_on
from pyctl.resolve import resolve_job


def plan(
    names: Names = None,
    parallelism: Parallelism = None,
    strategy: Strategy = "drrs",
    balance: Balance = BalanceChoice.COUNT,
    subscale_bytes: SubscaleBytes = DEFAULT_SUBSCALE_BYTES,
    sample: Sample = 0.0,
    given: Properties = None,
    submission: SubmissionFile = None,
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
    manner = Manner(strategy, None, properties(given))
    if is_whole_job(strategy):
        wish = Wish(strategy, wanted.operators, properties(given), None, submission)
        check_usage(wish, balance, subscale_bytes, sample)
        with connect(master, ca_file) as client:
            check(output, client, resolve_job(client, wanted.job), wish)
        return
    check_live(strategy, submission, None)
    planner = planner_options(balance, subscale_bytes, manner.options)
    with connect(master, ca_file) as client:
        job_id = resolve_job(client, wanted.job)
        if name is not None:
            _check(output, client, prepare(client, job_id, wanted.operators, manner, planner, sample))
            return
        proposals = propose_all(client, job_id, manner.at(number), planner, sample)
        verdicts = [verdict_on(client, job_id, proposal.request) for proposal in proposals]
        checked = [(one.on(proposal), one.faults) for proposal, one in zip(proposals, verdicts, strict=True)]
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
    submission: SubmissionFile = None,
    request_id: RestartId = None,
    master: Master = DEFAULT_MASTER,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Rescale keyed operators of a running job, live: `rescale JOB OPERATOR -p 4` or `rescale JOB first=4 second=3`.

    Several operators are one request: all of them are rescaled or none. With --wait the exit code says how it ended:
    0 done, 4 failed or rolled back, 5 still running after --timeout.

    The strategies restart (stop with a savepoint, start again from it) and adaptive (Flink's adaptive scheduler) stop
    the whole job instead. A restart is carried out by this command, so it needs --wait, and --submission FILE.
    """
    check_timeout(timeout, wait)
    if wait and dry_run:
        raise UsageError("--wait has no meaning with --dry-run.")
    output = Output(as_json)
    wanted = targets(names, parallelism)
    manner = Manner(strategy, cause, properties(given))
    if is_whole_job(strategy):
        wish = Wish(strategy, wanted.operators, properties(given), cause, submission, request_id)
        check_usage(wish, balance, subscale_bytes, sample)
        with connect(master, ca_file) as client:
            job_id = resolve_job(client, wanted.job)
            if dry_run:
                check(output, client, job_id, wish)
            else:
                carry_out(output, client, job_id, wish, wait, timeout)
        return
    check_live(strategy, submission, request_id)
    planner = planner_options(balance, subscale_bytes, manner.options)
    with connect(master, ca_file) as client:
        job_id = resolve_job(client, wanted.job)
        prepared = prepare(client, job_id, wanted.operators, manner, planner, sample)
        if dry_run:
            _check(output, client, prepared)
            return
        submit(output, client, job_id, prepared.request, lambda: _say_plans(output, prepared), wait, timeout)


def _say_plans(output: Output, prepared: Prepared) -> None:
    if not output.as_json:
        for line in (line for proposal in prepared.proposals for line in lines_of(proposal)):
            output.say(line)


def _check(output: Output, client: Client, prepared: Prepared) -> None:
    verdict = verdict_on(client, prepared.job_id, prepared.request)
    # Faults of a request for several are of all of them together.
    alone = len(prepared.proposals) == 1
    checked = [(verdict.on(proposal), verdict.faults if alone else ()) for proposal in prepared.proposals]
    print_plans(output, prepared.job_id, checked, () if alone else verdict.faults)
