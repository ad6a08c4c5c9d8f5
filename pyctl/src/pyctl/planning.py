"""From the JobManager's picture of a job to a request: the planner with everything it needs from the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyctl.client import Client
from pyctl.clock import SYSTEM, Clock
from pyctl.errors import Fault, Refused, ResolveError
from pyctl.expectation import Expectations
from pyctl.model import CombinedRequest, JobVertices, OperatorRequest, RescaleRequest, Vertex
from pyctl.planner import Estimate, Occupied, Plan, PlannerOptions, Surroundings, hosts_of, plan_vertex
from pyctl.resolve import resolve_vertex

PLACED_BY_RANGES = frozenset({"reference"})
"""Strategies that put key groups where a restart would, where nobody asks for a balance."""


@dataclass(frozen=True)
class Wish:
    """What the user asked for."""

    parallelism: int
    strategy: str = "drrs"
    cause: str | None = None
    options: dict[str, str] | None = None


@dataclass(frozen=True)
class Manner:
    """What is the same for all operators of a request."""

    strategy: str = "drrs"
    cause: str | None = None
    options: dict[str, str] | None = None

    def at(self, parallelism: int) -> Wish:
        """The wish for one operator."""
        return Wish(parallelism, self.strategy, self.cause, self.options)


@dataclass(frozen=True)
class Proposal:
    """A request that is ready to be sent; without a plan if none can be made, so that it gets all its faults."""

    request: RescaleRequest
    vertex: Vertex | None
    plan: Plan | None
    expected: Estimate | None = None
    """How long the plan may take; None if there is none, or it moves nothing."""
    made: int | None = None
    """How many subscales the strategy makes of it; None if the JobManager has not been asked, or would refuse."""


def propose(
    client: Client,
    job_id: str,
    vertex: str | None,
    wish: Wish,
    planner: PlannerOptions,
    sample_s: float = 0.0,
    clock: Clock = SYSTEM,
) -> Proposal:
    """Plan one vertex (None: the only elastic one), from the load of `sample_s` seconds (0: of all time so far).

    If there is nothing to plan from (unknown vertex, parallelism out of bounds) the proposal has no placement: the
    JobManager knows all the reasons and names them in one answer.
    Raises ResolveError if no vertex was named and there is not exactly one.
    """
    try:
        vertices = client.vertices(job_id)
    except Refused:
        if vertex is None:
            raise
        return blind(vertex, wish)
    try:
        found = resolve_vertex(vertices, vertex)
    except ResolveError as error:
        raise Refused([*error.faults, *_faults_of(wish)]) from error
    if found is None:
        return blind(vertex or "", wish)
    loads = sampled(client, job_id, [found], sample_s if _is_plannable(found, wish) else 0.0, clock)
    return _propose(client, vertices, found, wish, planner, Expectations(client, job_id), loads)


@dataclass(frozen=True)
class Together:
    """A request for several operators that is ready to be sent, and the proposal for each of them."""

    request: CombinedRequest
    proposals: list[Proposal]


def propose_together(
    client: Client,
    job_id: str,
    wishes: Sequence[tuple[str, int]],
    manner: Manner,
    planner: PlannerOptions,
    sample_s: float = 0.0,
    clock: Clock = SYSTEM,
) -> Together:
    """Plan several vertices, named with their parallelisms.

    As with `propose` there is no plan where none can be made: the JobManager then names all faults in one answer.
    """
    try:
        vertices = client.vertices(job_id)
    except Refused:
        proposals = [blind(name, manner.at(number)) for name, number in wishes]
    else:
        found = [resolve_vertex(vertices, name) for name, _ in wishes]
        loads = sampled(client, job_id, [v for v in found if v is not None], sample_s, clock)
        expectations = Expectations(client, job_id)
        proposals = []
        for vertex, (name, number) in zip(found, wishes, strict=True):
            each = manner.at(number)
            if vertex is None:
                proposals.append(blind(name, each))
            else:
                proposals.append(_propose(client, vertices, vertex, each, planner, expectations, loads))
    operators = [
        OperatorRequest(
            vertex=proposal.request.vertex,
            parallelism=proposal.request.parallelism,
            placement=proposal.request.placement,
            subscales=proposal.request.subscales,
        )
        for proposal in proposals
    ]
    request = CombinedRequest(
        operators=operators, strategy=manner.strategy, cause=manner.cause, options=manner.options or {}
    )
    return Together(request, proposals)


def propose_all(
    client: Client, job_id: str, wish: Wish, planner: PlannerOptions, sample_s: float = 0.0, clock: Clock = SYSTEM
) -> list[Proposal]:
    """Plan every supported elastic vertex of a job as if it alone were rescaled."""
    vertices = client.vertices(job_id)
    usable = [vertex for vertex in vertices.vertices if vertex.supported]
    if not usable:
        resolve_vertex(vertices, None)  # raises with the reason
    loads = sampled(client, job_id, [vertex for vertex in usable if _is_plannable(vertex, wish)], sample_s, clock)
    expectations = Expectations(client, job_id)
    return [_propose(client, vertices, vertex, wish, planner, expectations, loads) for vertex in usable]


def _propose(
    client: Client,
    vertices: JobVertices,
    vertex: Vertex,
    wish: Wish,
    planner: PlannerOptions,
    expectations: Expectations,
    loads: Mapping[str, list[float]],
) -> Proposal:
    if not _is_plannable(vertex, wish):
        return blind(vertex.vertex_id, wish, vertex)
    if wish.strategy in PLACED_BY_RANGES and planner.balance == "count":
        planner = replace(planner, balance="ranges")
    try:
        around = surroundings(client, vertices, vertex, scale_in=wish.parallelism < vertex.parallelism)
        plan = plan_vertex(vertex, wish.parallelism, planner, loads.get(vertex.vertex_id), around)
    except ValueError:
        return blind(vertex.vertex_id, wish, vertex)
    request = plan.request(vertex.vertex_id, wish.parallelism, wish.strategy, wish.cause, wish.options or {})
    return Proposal(request, vertex, plan, expectations.of(vertex, plan))


def _is_plannable(vertex: Vertex, wish: Wish) -> bool:
    possible = 1 <= wish.parallelism <= min(vertex.ceiling, vertex.max_parallelism)
    return vertex.supported and possible and wish.parallelism != vertex.parallelism


def rates(client: Client, job_id: str, vertex: Vertex, sample_s: float, clock: Clock = SYSTEM) -> list[float] | None:
    """Records per key group during `sample_s` seconds; None if the vertex is gone or a counter was reset meanwhile.

    The JobManager's counters run since each subtask started. After an earlier rescale they cover different times and
    do not compare; a sample does.
    """
    clock.sleep(sample_s)
    return _since(vertex, client.vertices(job_id), sample_s)


def sampled(
    client: Client, job_id: str, vertices: Sequence[Vertex], sample_s: float, clock: Clock = SYSTEM
) -> dict[str, list[float]]:
    """`rates` of several vertices in one sample, by vertex id, without those that have none."""
    if sample_s <= 0 or not vertices:
        return {}
    clock.sleep(sample_s)
    later = client.vertices(job_id)
    found = {vertex.vertex_id: _since(vertex, later, sample_s) for vertex in vertices}
    return {vertex_id: loads for vertex_id, loads in found.items() if loads is not None}


def _since(vertex: Vertex, now: JobVertices, seconds: float) -> list[float] | None:
    later = next((v for v in now.vertices if v.vertex_id == vertex.vertex_id), None)
    if later is None:
        return None
    before = {group.id: group.records for group in vertex.key_groups}
    result = [0.0] * vertex.max_parallelism
    for group in later.key_groups:
        result[group.id] = (group.records - before.get(group.id, 0)) / seconds
    return result if min(result) >= 0 else None


def surroundings(client: Client, vertices: JobVertices, vertex: Vertex, *, scale_in: bool) -> Surroundings:
    """What the planner should know of the TaskManagers; a scale in looks at those that it may make free."""
    drained = {tm.id for tm in vertices.task_managers if tm.drained}
    avoid = frozenset(d.index for d in vertex.dormant if drained & {slot.task_manager for slot in d.slots})
    hosts = hosts_of(vertex)
    if not scale_in:
        return Surroundings(hosts, {}, avoid)
    occupied: dict[str, Occupied] = {}
    for other in vertices.vertices:
        if other.vertex_id != vertex.vertex_id:
            for host in hosts_of(other).values():
                occupied[host] = Occupied.ELASTIC if other.supported else Occupied.OTHERS
    for tm in vertices.task_managers:
        if tm.fixed:
            occupied[tm.id] = Occupied.OTHERS
    for host in set(hosts.values()):
        if any(slot.job_id != vertices.job_id for slot in client.task_manager(host).allocated_slots):
            occupied[host] = Occupied.OTHERS
    return Surroundings(hosts, occupied, avoid)


def blind(vertex: str, wish: Wish, known: Vertex | None = None) -> Proposal:
    """A request without a plan, for the JobManager to find all that is wrong with it."""
    request = RescaleRequest(
        vertex=vertex,
        parallelism=wish.parallelism,
        strategy=wish.strategy,
        cause=wish.cause,
        options=wish.options or {},
    )
    return Proposal(request, known, None)


def _faults_of(wish: Wish) -> list[Fault]:
    """Faults that need no JobManager to be seen."""
    if wish.parallelism >= 1:
        return []
    return [Fault("PARALLELISM_BELOW_ONE", f"The parallelism must be at least 1, not {wish.parallelism}.")]
