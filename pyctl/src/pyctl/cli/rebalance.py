"""`rebalance`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pyctl.cli._options import (
    DEFAULT_MASTER,
    AsJson,
    CaFile,
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
    Strategy,
    SubscaleBytes,
    document,
    lines_of,
    print_plans,
)
from pyctl.cli._plans import options as planner_options
from pyctl.cli._waiting import check_timeout, submit
from pyctl.cli._whole_job import is_whole_job
from pyctl.errors import UsageError
from pyctl.planning import Proposal
from pyctl.rebalancing import RebalanceWish, moves_nothing, propose_rebalance, verdict_of
from pyctl.report import balanced_line
from pyctl.resolve import resolve_job

DEFAULT_SAMPLE_S = 5.0


def rebalance(
    job: JobArgument = None,
    vertex: VertexArgument = None,
    placement: Annotated[
        Path | None,
        typer.Option(
            "--placement",
            metavar="FILE",
            exists=True,
            dir_okay=False,
            readable=True,
            help="To exactly this placement, JSON: [subtask of key group 0, ..] or, for those that shall move, "
            '{"key group": subtask, ..}.',
        ),
    ] = None,
    strategy: Strategy = "drrs",
    balance: Balance = BalanceChoice.LOAD,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0, help="How far above the mean the busiest subtask may stay.")
    ] = 0.1,
    subscale_bytes: SubscaleBytes = DEFAULT_SUBSCALE_BYTES,
    sample: Annotated[
        float,
        typer.Option("--sample", metavar="SECONDS", min=0, help="Measure the load for this long; 0: take all so far."),
    ] = DEFAULT_SAMPLE_S,
    cause: Cause = None,
    given: Properties = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it has ended.")] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="With --wait: exit code 5 after this time.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan and check only.")] = False,
    master: Master = DEFAULT_MASTER,
    ca_file: CaFile = None,
    as_json: AsJson = False,
) -> None:
    """Move key groups of one keyed operator among its subtasks, live, so that the load is even.

    The parallelism stays. If there is nothing to move, that is said and the exit code is 0.
    """
    check_timeout(timeout, wait)
    if wait and dry_run:
        raise UsageError("--wait has no meaning with --dry-run.")
    if is_whole_job(strategy):
        raise UsageError(
            f"The strategy {strategy} changes a parallelism and places no key groups: use `pyctl rescale`."
        )
    output = Output(as_json)
    wish = RebalanceWish(None if placement is None else _read(placement), strategy, cause, properties(given))
    planner = planner_options(balance, subscale_bytes, wish.options, tolerance)
    with connect(master, ca_file) as client:
        job_id = resolve_job(client, job)
        proposal = propose_rebalance(client, job_id, vertex, wish, planner, sample)
        if moves_nothing(proposal):
            _say_nothing_to_do(output, job_id, proposal, tolerance, placement is not None)
            return
        if dry_run:
            verdict = verdict_of(client, job_id, proposal)
            print_plans(output, job_id, [(verdict.on(proposal), verdict.faults)])
            return
        submit(output, client, job_id, proposal.request, lambda: _say_plan(output, proposal), wait, timeout)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not a text in UTF-8.") from error


def _say_plan(output: Output, proposal: Proposal) -> None:
    if not output.as_json:
        for line in lines_of(proposal):
            output.say(line)


def _say_nothing_to_do(output: Output, job_id: str, proposal: Proposal, tolerance: float, explicit: bool) -> None:
    assert proposal.plan is not None
    sentence = balanced_line(proposal.plan, tolerance, explicit)
    result: dict[str, Any] = {
        "job_id": job_id,
        "request_id": None,
        "valid": True,
        "message": sentence,
        "plans": [document(proposal, ())],
    }
    output.data(result, [sentence, *(f"  warning: {warning}" for warning in proposal.plan.warnings)])
