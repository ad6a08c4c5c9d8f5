"""Rescaling one operator or several: plan, check, and carry out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyctl.client import Client
from pyctl.clock import SYSTEM, Clock
from pyctl.errors import Fault, Refused
from pyctl.execution import Execution, Request
from pyctl.follow import Outcome
from pyctl.planner import PlannerOptions
from pyctl.planning import Manner, Proposal, propose, propose_together

Operators = Sequence[tuple[str | None, int]]
"""Names with the parallelisms wanted; a name None, alone: the only elastic operator."""


@dataclass(frozen=True)
class Prepared:
    """A request that is ready to be sent, and the proposal for each of its operators."""

    job_id: str
    request: Request
    proposals: list[Proposal]


def prepare(
    client: Client,
    job_id: str,
    operators: Operators,
    manner: Manner,
    planner: PlannerOptions,
    sample_s: float = 0.0,
    clock: Clock = SYSTEM,
) -> Prepared:
    """Plan a rescale of these operators. Nothing is touched.

    As with `pyctl.planning.propose` there is no plan where none can be made, so that the JobManager names all faults.
    """
    if len(operators) == 1:
        name, number = operators[0]
        proposal = propose(client, job_id, name, manner.at(number), planner, sample_s, clock)
        return Prepared(job_id, proposal.request, [proposal])
    named = [(name, number) for name, number in operators if name is not None]
    if len(named) != len(operators):
        raise ValueError("of several operators each needs a name")
    together = propose_together(client, job_id, named, manner, planner, sample_s, clock)
    return Prepared(job_id, together.request, together.proposals)


@dataclass(frozen=True)
class Verdict:
    """What the JobManager says of a request: its faults, or how many subscales the strategy makes, by vertex id."""

    faults: tuple[Fault, ...]
    subscales: Mapping[str, int]

    def on(self, proposal: Proposal) -> Proposal:
        """The proposal with what the strategy makes of it."""
        vertex = proposal.vertex
        return proposal if vertex is None else replace(proposal, made=self.subscales.get(vertex.vertex_id))


def verdict_on(client: Client, job_id: str, request: Request) -> Verdict:
    """Ask the JobManager what it would do with a request; nothing is touched."""
    try:
        valid = client.check(job_id, request)
    except Refused as error:
        return Verdict(error.faults, {})
    return Verdict((), {one.vertex_id: one.subscales for one in valid.operators})


def rescale(
    execution: Execution,
    job_id: str,
    operators: Operators,
    manner: Manner | None = None,
    planner: PlannerOptions | None = None,
    *,
    sample_s: float = 0.0,
    timeout_s: float | None = None,
) -> Outcome:
    """Plan, send and wait: how the rescale ended, whatever that is (see `Outcome.failure`).

    Raises Refused with all faults if it was not accepted; WaitTimeout if it still runs `timeout_s` seconds after that.
    """
    how, options = manner or Manner(), planner or PlannerOptions()
    prepared = prepare(execution.client, job_id, operators, how, options, sample_s, execution.clock)
    return execution.carry_out(job_id, prepared.request, timeout_s)
