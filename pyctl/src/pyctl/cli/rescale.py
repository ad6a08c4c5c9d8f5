"""`plan` and `rescale`."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Any

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
from pyctl.cli.observe import check_timeout, finish
from pyctl.client import Client
from pyctl.errors import ExitCode, Fault, Refused, UsageError
from pyctl.follow import follow
from pyctl.planner import Bounds, CostModel, PlannerOptions
from pyctl.planning import Proposal, Wish, propose, propose_all
from pyctl.report import plan_lines
from pyctl.resolve import resolve_job

CONCURRENCY_KEY = "drrs.strategy.subscale-concurrency"


class BalanceChoice(StrEnum):
    """`--balance`."""

    COUNT = "count"
    LOAD = "load"


Parallelism = Annotated[int, typer.Option("-p", "--parallelism", metavar="N", help="Subtasks wanted.")]
Strategy = Annotated[str, typer.Option("--strategy", help="How the state moves.")]
Balance = Annotated[
    BalanceChoice,
    typer.Option("--balance", help="Even out the number of key groups (fewest moves), or the measured load."),
]
SubscaleBytes = Annotated[
    int, typer.Option("--subscale-bytes", metavar="BYTES", min=1, help="Upper bound of the state in one subscale.")
]
Sample = Annotated[
    float, typer.Option("--sample", metavar="SECONDS", min=0, help="Measure the load for this long first.")
]
Cause = Annotated[str | None, typer.Option("--cause", metavar="TEXT", help="Why; kept in the history.")]

DEFAULT_SUBSCALE_BYTES = Bounds().max_bytes


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
    planner = _planner(balance, subscale_bytes, wish)
    with connect(master) as client:
        job_id = resolve_job(client, job)
        if vertex is None:
            proposals = propose_all(client, job_id, wish, planner, sample)
        else:
            proposals = [propose(client, job_id, vertex, wish, planner, sample)]
        checked = [(proposal, _check(client, job_id, proposal)) for proposal in proposals]
    _print_plans(output, job_id, parallelism, checked)


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
    planner = _planner(balance, subscale_bytes, wish)
    with connect(master) as client:
        job_id = resolve_job(client, job)
        proposal = propose(client, job_id, vertex, wish, planner, sample)
        if dry_run:
            _print_plans(output, job_id, parallelism, [(proposal, _check(client, job_id, proposal))])
            return
        request_id = client.rescale(job_id, proposal.request)
        if not as_json and proposal.vertex is not None and proposal.plan is not None:
            for line in plan_lines(proposal.vertex, parallelism, proposal.plan):
                output.say(line)
        if not wait:
            output.data({"job_id": job_id, "request_id": request_id}, [request_id])
            return
        last = _progress.show(follow(client, job_id, request_id, timeout_s=timeout))
    finish(output, last)


def _planner(balance: BalanceChoice, subscale_bytes: int, wish: Wish) -> PlannerOptions:
    concurrency = (wish.options or {}).get(CONCURRENCY_KEY, "")
    # A value that is no number is for the JobManager to refuse, with its other faults.
    cost = CostModel(concurrency=int(concurrency)) if concurrency.isdigit() and int(concurrency) else CostModel()
    return PlannerOptions(
        balance="load" if balance is BalanceChoice.LOAD else "count",
        bounds=Bounds(max_bytes=subscale_bytes),
        cost=cost,
    )


def _check(client: Client, job_id: str, proposal: Proposal) -> tuple[Fault, ...]:
    try:
        client.check(job_id, proposal.request)
    except Refused as error:
        return error.faults
    return ()


def _print_plans(
    output: Output, job_id: str, parallelism: int, checked: list[tuple[Proposal, tuple[Fault, ...]]]
) -> None:
    """Plans as the result; faults that the JobManager found with them, and exit code 3 then."""
    faults = [fault for _, found in checked for fault in found]
    lines = [
        line
        for proposal, _ in checked
        if proposal.vertex is not None and proposal.plan is not None
        for line in plan_lines(proposal.vertex, parallelism, proposal.plan)
    ]
    document: dict[str, Any] = {"job_id": job_id, "valid": not faults, "plans": [_document(*pair) for pair in checked]}
    if faults:
        document["errors"] = [asdict(fault) for fault in faults]
    output.data(document, lines)
    if faults:
        if not output.as_json:
            for fault in faults:
                output.say(f"error: {fault.message}")
        raise typer.Exit(ExitCode.REFUSED)


def _document(proposal: Proposal, faults: tuple[Fault, ...]) -> dict[str, Any]:
    plan = proposal.plan
    head = {
        "vertex_id": proposal.vertex.vertex_id if proposal.vertex else None,
        "vertex": proposal.vertex.label if proposal.vertex else proposal.request.vertex,
        "from_parallelism": proposal.vertex.parallelism if proposal.vertex else None,
        "to_parallelism": proposal.request.parallelism,
        "errors": [asdict(fault) for fault in faults],
    }
    if plan is None:
        return head
    return {
        **head,
        "moves": plan.moves,
        "least_moves": plan.least_moves,
        "bytes": plan.bytes,
        "duration_ms": round(plan.seconds * 1000),
        "balance": {"before": asdict(plan.before), "after": asdict(plan.after)},
        "warnings": plan.warnings,
        "active": plan.active,
        "placement": plan.placement,
        "subscales": [s.model_dump(by_alias=True) for s in proposal.request.subscales or []],
    }
