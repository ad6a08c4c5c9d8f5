"""From the JobManager's picture of a job to a request that moves key groups at the same parallelism."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyctl.client import Client
from pyctl.clock import SYSTEM, Clock
from pyctl.errors import Fault, Refused, ResolveError
from pyctl.execution import Execution
from pyctl.expectation import Expectations
from pyctl.follow import Outcome
from pyctl.model import Vertex
from pyctl.placement_file import read_placement
from pyctl.planner import Plan, PlannerOptions, rebalance_vertex
from pyctl.planning import Proposal, Wish, blind, rates
from pyctl.rescaling import Verdict, verdict_on
from pyctl.resolve import resolve_vertex

UNCHANGED = "PARALLELISM_UNCHANGED"


@dataclass(frozen=True)
class RebalanceWish:
    """What the user asked for; `placement` is the text of a placement file (None: by measured load)."""

    placement: str | None = None
    strategy: str = "drrs"
    cause: str | None = None
    options: dict[str, str] | None = None

    def at(self, parallelism: int) -> Wish:
        """The wish as one for a rescale."""
        return Wish(parallelism, self.strategy, self.cause, self.options)


@dataclass(frozen=True)
class Rebalanced:
    """What a rebalance came to; `ended` None: there was nothing to move, and nothing was sent."""

    proposal: Proposal
    ended: Outcome | None


def rebalance(
    execution: Execution,
    job_id: str,
    vertex: str | None,
    wish: RebalanceWish,
    planner: PlannerOptions,
    *,
    sample_s: float = 0.0,
    timeout_s: float | None = None,
) -> Rebalanced:
    """Plan and, if there is anything to move, send and wait. Raises what `propose_rebalance` and `Execution` do."""
    proposal = propose_rebalance(execution.client, job_id, vertex, wish, planner, sample_s, execution.clock)
    if moves_nothing(proposal):
        return Rebalanced(proposal, None)
    return Rebalanced(proposal, execution.carry_out(job_id, proposal.request, timeout_s))


def moves_nothing(proposal: Proposal) -> bool:
    """Whether the placement is already what is proposed."""
    return proposal.vertex is not None and proposal.request.placement == proposal.vertex.placement


def propose_rebalance(
    client: Client,
    job_id: str,
    vertex: str | None,
    wish: RebalanceWish,
    planner: PlannerOptions,
    sample_s: float = 0.0,
    clock: Clock = SYSTEM,
) -> Proposal:
    """Plan one vertex (None: the only elastic one) at its present parallelism; the plan may move nothing.

    Raises Refused with all faults if it cannot be planned for, ResolveError if no vertex was named and there is not
    exactly one.
    """
    try:
        vertices = client.vertices(job_id)
    except Refused as error:
        # An id that Flink does not list: the faults of the rest belong into the same answer.
        raise _refusal(client, job_id, vertex or "", wish, error.faults) from error
    try:
        found = resolve_vertex(vertices, vertex)
    except ResolveError as error:
        raise Refused(error.faults) from error
    if found is None or not found.supported:
        raise _refusal(client, job_id, vertex or found.vertex_id if found else vertex or "", wish)
    loads = rates(client, job_id, found, sample_s, clock) if sample_s > 0 and wish.placement is None else None
    if wish.placement is not None:
        return _explicit(client, job_id, found, wish, planner)
    try:
        plan = rebalance_vertex(found, planner, loads)
    except ValueError as error:
        raise _refusal(client, job_id, found.vertex_id, wish, [Fault("PLAN_INVALID", f"{error}.")]) from error
    if loads is not None and not any(loads):
        plan.warnings.append(
            f"No record came in {sample_s:g} s, so the number of key groups is what was balanced, not the load."
        )
    return replace(_proposal(found, wish, plan), expected=Expectations(client, job_id).of(found, plan))


def _explicit(client: Client, job_id: str, vertex: Vertex, wish: RebalanceWish, planner: PlannerOptions) -> Proposal:
    assert wish.placement is not None
    wanted, faults = read_placement(wish.placement, vertex.placement)
    # As far as it goes: what is wrong with its length the JobManager says.
    fitting = [*wanted, *vertex.placement[len(wanted) :]][: len(vertex.placement)]
    plan = rebalance_vertex(vertex, planner, target=fitting)
    proposal = _proposal(vertex, wish, plan)
    request = proposal.request.model_copy(update={"placement": wanted})
    proposal = replace(proposal, request=request, expected=Expectations(client, job_id).of(vertex, plan))
    if faults:
        raise Refused([*faults, *faults_of(client, job_id, proposal)])
    return proposal


def faults_of(client: Client, job_id: str, proposal: Proposal) -> tuple[Fault, ...]:
    """What the JobManager finds wrong with a proposal."""
    return verdict_of(client, job_id, proposal).faults


def verdict_of(client: Client, job_id: str, proposal: Proposal) -> Verdict:
    """What the JobManager says of a proposal; that the parallelism stays is what was asked for, and no fault."""
    found = verdict_on(client, job_id, proposal.request)
    return replace(found, faults=tuple(fault for fault in found.faults if fault.code != UNCHANGED))


def _proposal(vertex: Vertex, wish: RebalanceWish, plan: Plan) -> Proposal:
    request = plan.request(vertex.vertex_id, vertex.parallelism, wish.strategy, wish.cause, wish.options or {})
    return Proposal(request, vertex, plan)


def _refusal(
    client: Client, job_id: str, vertex: str, wish: RebalanceWish, known: tuple[Fault, ...] | list[Fault] = ()
) -> Refused:
    found = faults_of(client, job_id, blind(vertex, wish.at(1)))
    return Refused(found or known)
