"""What the commands that plan have in common: their options, and how plans are shown."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Any

import typer

from pyctl.cli._output import Output
from pyctl.errors import ExitCode, Fault
from pyctl.planner import Bounds, Estimate, PlannerOptions, Range
from pyctl.planning import Proposal
from pyctl.report import plan_lines

CONCURRENCY_KEY = "drrs.strategy.subscale-concurrency"
KEY_GROUPS_KEY = "drrs.strategy.subscale-key-groups"


class BalanceChoice(StrEnum):
    """`--balance`."""

    COUNT = "count"
    LOAD = "load"


Strategy = Annotated[
    str,
    typer.Option(
        "--strategy",
        help="How state moves: live (drrs, reference, meces, lazy, remote, megaphone, otfs), or restart, adaptive.",
    ),
]
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


def options(
    balance: BalanceChoice,
    subscale_bytes: int,
    given: dict[str, str] | None,
    tolerance: float = PlannerOptions().tolerance,
) -> PlannerOptions:
    """The planner's options; `given` are those of the strategy."""
    given = given or {}
    return PlannerOptions(
        balance="load" if balance is BalanceChoice.LOAD else "count",
        tolerance=tolerance,
        bounds=Bounds(max_bytes=subscale_bytes, max_key_groups=_number(given, KEY_GROUPS_KEY, Bounds().max_key_groups)),
        concurrency=_number(given, CONCURRENCY_KEY, PlannerOptions().concurrency),
    )


def _number(given: dict[str, str], key: str, default: int) -> int:
    """Return an option; a value that is no number is for the JobManager to refuse, with its other faults."""
    value = given.get(key, "")
    return int(value) if value.isdigit() and int(value) > 0 else default


def print_plans(
    output: Output,
    job_id: str,
    checked: list[tuple[Proposal, tuple[Fault, ...]]],
    of_all: tuple[Fault, ...] = (),
) -> None:
    """Plans as the result; faults that the JobManager found with them, and exit code 3 then.

    `of_all` are faults of a request for all of them together.
    """
    faults = [*of_all, *(fault for _, found in checked for fault in found)]
    result: dict[str, Any] = {"job_id": job_id, "valid": not faults, "plans": [document(*pair) for pair in checked]}
    if faults:
        result["errors"] = [asdict(fault) for fault in faults]
    output.data(result, [line for proposal, _ in checked for line in lines_of(proposal)])
    if faults:
        if not output.as_json:
            for fault in faults:
                output.say(f"error: {fault.message}")
        raise typer.Exit(ExitCode.REFUSED)


def lines_of(proposal: Proposal) -> list[str]:
    """A plan for people; nothing if there is none."""
    if proposal.vertex is None or proposal.plan is None:
        return []
    lines = plan_lines(proposal.vertex, proposal.request.parallelism, proposal.plan, proposal.expected)
    if proposal.made not in (None, len(proposal.plan.subscales)):
        lines.append(f"  the strategy {proposal.request.strategy} makes {proposal.made} subscales of them")
    return lines


def expected_document(expected: Estimate | None) -> dict[str, Any] | None:
    """How long a plan may take, as JSON; null if it moves nothing."""
    if expected is None:
        return None

    def milliseconds(each: Range) -> dict[str, int]:
        return {"low_ms": round(each.low * 1000), "high_ms": round(each.high * 1000)}

    return {
        **milliseconds(expected.total),
        "basis": expected.basis,
        "rescales": expected.rescales,
        "phases": {phase: milliseconds(each) for phase, each in expected.phases.items()},
        "defaults": list(expected.defaults),
    }


def document(proposal: Proposal, faults: tuple[Fault, ...]) -> dict[str, Any]:
    """A plan as JSON."""
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
        "strategy": proposal.request.strategy,
        "strategy_subscales": proposal.made,
        "moves": plan.moves,
        "least_moves": plan.least_moves,
        "bytes": plan.bytes,
        "expected": expected_document(proposal.expected),
        "balance": {"before": asdict(plan.before), "after": asdict(plan.after)},
        "warnings": plan.warnings,
        "hot_key_groups": [asdict(hot) for hot in plan.hot],
        "active": plan.active,
        "placement": plan.placement,
        "subscales": [s.model_dump(by_alias=True) for s in proposal.request.subscales or []],
    }
