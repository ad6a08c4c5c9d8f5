"""What emptying a TaskManager of elastic work takes: who hands over to whom, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyctl.client import Client
from pyctl.errors import Fault, NotPlugged, Refused, ResolveError
from pyctl.expectation import Expectations
from pyctl.flink_model import Job
from pyctl.model import Dormant, JobVertices, Overview, RescaleRequest, Subtask, TaskManagerState, Vertex
from pyctl.planner import Estimate, Plan, PlannerOptions, hand_over_vertex


@dataclass(frozen=True)
class Wish:
    """How the key groups are to move."""

    strategy: str = "drrs"
    cause: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    onto_remaining: bool = False
    """Whether active subtasks elsewhere may take over where no dormant one can."""


@dataclass(frozen=True)
class Handover:
    """One operator's part: a rescale after which none of its subtasks is on the TaskManager."""

    job: Job
    vertex: Vertex
    retiring: list[int]
    activated: list[int]
    plan: Plan
    request: RescaleRequest
    expected: Estimate | None = None


@dataclass(frozen=True)
class Staying:
    """A task (None: all of the job) that a drain does not move, and why."""

    job: Job
    name: str | None
    subtask: int | None
    reason: str

    def sentence(self) -> str:
        """For people."""
        what = f"job {self.job.name}" if self.name is None else f"{self.name} ({self.subtask}) of job {self.job.name}"
        return f"{what}: {self.reason.rstrip('.')}"


@dataclass(frozen=True)
class Survey:
    """What a drain would do; it may be carried out if there are no faults."""

    task_manager: str
    drained_before: bool
    handovers: list[Handover]
    staying: list[Staying]
    faults: list[Fault]


def resolve_task_manager(overview: Overview, text: str) -> TaskManagerState:
    """The registered TaskManager meant by `text`: its id, `host:port`, or a unique beginning of its id.

    Raises ResolveError if none or more than one fits.
    """
    there = overview.task_managers
    for fits in (
        [tm for tm in there if tm.id == text],
        [tm for tm in there if tm.address == text],
        [tm for tm in there if tm.id.startswith(text)],
    ):
        if len(fits) > 1:
            raise ResolveError("AMBIGUOUS_TASK_MANAGER", f"'{text}' fits {len(fits)} TaskManagers: {_ids(fits)}.")
        if fits:
            return fits[0]
    raise ResolveError(
        "UNKNOWN_TASK_MANAGER",
        f"No TaskManager has the id, the beginning of an id or the address '{text}'; registered: {_ids(there)}.",
    )


def resolve_drained(overview: Overview, text: str) -> str:
    """The id of the TaskManager to undrain, which may be gone meanwhile. Raises ResolveError."""
    drained = [drain.task_manager for drain in overview.drains]
    fits = [name for name in drained if name == text] or [name for name in drained if name.startswith(text)]
    return fits[0] if len(fits) == 1 else resolve_task_manager(overview, text).id


def survey(client: Client, text: str, wish: Wish, planner: PlannerOptions) -> Survey:
    """Plan the drain of a TaskManager and look for everything that is wrong with it; nothing is touched.

    Raises ResolveError if `text` is not one TaskManager.
    """
    overview = client.overview()
    task_manager = resolve_task_manager(overview, text)
    closed = {task_manager.id} | {drain.task_manager for drain in overview.drains}
    slots = _Slots(overview, closed)
    result = Survey(task_manager.id, task_manager.drained, [], [], [])
    for job in client.jobs():
        if job.ended:
            continue
        try:
            vertices = client.vertices(job.jid)
        except (NotPlugged, Refused) as error:
            if job.jid in {slot.job_id for slot in client.task_manager(task_manager.id).allocated_slots}:
                result.staying.append(Staying(job, None, None, error.faults[0].message))
            continue
        slots.next_job(vertices)
        for used in vertices.task_managers:
            if used.id == task_manager.id:
                result.staying.extend(Staying(job, task.name, task.subtask, task.reason) for task in used.fixed)
        expectations = Expectations(client, job.jid)
        for vertex in vertices.vertices:
            leaving = [s.index for s in vertex.subtasks if task_manager.id in places(s)] if vertex.supported else []
            if leaving:
                _hand_over(job, vertex, leaving, slots, wish, planner, result, expectations)
    if not wish.onto_remaining:
        result.faults.extend(slots.faults(task_manager.id))
    for handover in result.handovers:
        try:
            client.check(handover.job.jid, handover.request)
        except Refused as error:
            result.faults.extend(fault for fault in error.faults if fault.code not in {f.code for f in result.faults})
    return result


def places(subtask: Subtask) -> set[str]:
    """The TaskManagers that a subtask, with those that scale together with it, is on."""
    return {place for place in (subtask.task_manager, *(s.task_manager for s in subtask.slots)) if place is not None}


def elastic_subtasks(client: Client, task_manager: str) -> list[str]:
    """What of elastic operators still runs on a TaskManager, for people."""
    found = []
    for job in client.jobs():
        if job.ended:
            continue
        try:
            vertices = client.vertices(job.jid)
        except (NotPlugged, Refused):
            continue  # not elastic
        found += [
            f"{vertex.label} ({subtask.index}) of job {job.name}"
            for vertex in vertices.vertices
            if vertex.supported
            for subtask in vertex.subtasks
            if task_manager in places(subtask)
        ]
    return found


class _Slots:
    """How many slots on TaskManagers that stay in use are needed and there."""

    def __init__(self, overview: Overview, closed: set[str]) -> None:
        self.closed = closed
        self._boundless = overview.starts_task_managers
        self._free = sum(tm.free_slots for tm in overview.task_managers if tm.id not in closed)
        self._needed = 0
        self._unused = 0
        self._groups: set[int] = set()

    def next_job(self, vertices: JobVertices) -> None:
        """Slots of the job itself that it does not use come first; slot groups are numbers of one job."""
        self._unused = sum(tm.unused_slots for tm in vertices.task_managers if tm.id not in self.closed)
        self._groups = set()

    def new(self, dormant: Dormant) -> set[int]:
        """The slot groups for which a new slot is needed if this subtask is activated."""
        return {slot.group for slot in dormant.slots if slot.task_manager is None} - self._groups

    def fits(self, dormant: Dormant) -> bool:
        """Whether there are slots enough for it."""
        return self._boundless or self._needed + max(0, len(self.new(dormant)) - self._unused) <= self._free

    def take(self, dormant: Dormant) -> None:
        """Count what it needs."""
        new = self.new(dormant)
        own = min(len(new), self._unused)
        self._unused -= own
        self._needed += len(new) - own
        self._groups |= new

    def faults(self, task_manager: str) -> list[Fault]:
        if self._boundless or self._needed <= self._free:
            return []
        missing = self._needed - self._free
        return [
            Fault(
                "NOT_ENOUGH_SLOTS",
                f"The drain of {task_manager} needs {self._needed} more slots on other TaskManagers, "
                f"{self._free} are free: {missing} missing; "
                "add a TaskManager, or let active subtasks take over with --onto-remaining.",
            )
        ]


def _hand_over(
    job: Job,
    vertex: Vertex,
    leaving: Sequence[int],
    slots: _Slots,
    wish: Wish,
    planner: PlannerOptions,
    result: Survey,
    expectations: Expectations,
) -> None:
    usable = [d for d in vertex.dormant if not {slot.task_manager for slot in d.slots} & slots.closed]
    activated: list[int] = []
    while len(activated) < len(leaving):
        rest = [d for d in usable if d.index not in activated and (slots.fits(d) or not wish.onto_remaining)]
        if not rest:
            break
        chosen = min(rest, key=lambda d: (len(slots.new(d)), d.index))
        slots.take(chosen)
        activated.append(chosen.index)
    staying = [index for index in vertex.active if index not in leaving]
    if len(activated) < len(leaving) and not (wish.onto_remaining and (staying or activated)):
        result.faults.append(_too_few(job, vertex, leaving, len(activated), bool(staying), wish))
        return
    plan = hand_over_vertex(vertex, leaving, activated, planner)
    request = plan.request(
        vertex.vertex_id, len(plan.active), wish.strategy, wish.cause or f"drain of {result.task_manager}", wish.options
    )
    expected = expectations.of(vertex, plan)
    result.handovers.append(Handover(job, vertex, list(leaving), activated, plan, request, expected))


def _too_few(
    job: Job, vertex: Vertex, leaving: Sequence[int], there: int, others: bool, wish: Wish
) -> Fault:  # fmt: skip
    what = "subtask" if len(leaving) == 1 else "subtasks"
    remedy = (
        "let its active subtasks elsewhere take over with --onto-remaining, or start the job with a higher drrs.ceiling"
        if others and not wish.onto_remaining
        else "add slots, or start the job with a higher drrs.ceiling"
    )
    return Fault(
        "NO_DORMANT_SUBTASK",
        f"Operator {vertex.label} of job {job.name} has {len(leaving)} {what} there, and only {there} dormant "
        f"{'one' if there == 1 else 'ones'} elsewhere could take over ({vertex.parallelism} of at most "
        f"{vertex.ceiling} are active); {remedy}.",
    )


def _ids(task_managers: Iterable[TaskManagerState]) -> str:
    return ", ".join(sorted(tm.id for tm in task_managers)) or "none"
