"""The answers of the plug-in's REST as typed models (docs/interfaces.md). Times are epoch milliseconds."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pyctl.answer import Answer

# -- GET /drrs/overview --------------------------------------------------------------------------------------------


class JoinPoint(Answer):
    """A method of Flink that the plug-in weaves into."""

    name: str
    target: str
    ok: bool


class TaskManagerState(Answer):
    """`armed` is None while the first metrics of the TaskManager have not arrived.

    It is False too with another plug-in than the JobManager's; `version` and `build` say which one it is. `rehearsal`
    says in words what became of it, None where that is not known.
    """

    id: str
    address: str
    armed: bool | None
    version: str | None = None
    build: str | None = None
    rehearsal: str | None = None
    drained: bool = False
    slots: int = 0
    free_slots: int = 0


class Drain(Answer):
    """A TaskManager on which nothing new is placed, registered at present or not; `since` is epoch milliseconds."""

    task_manager: str
    since: int


class Overview(Answer):
    """State of the plug-in in the JobManager and in each TaskManager."""

    version: str
    build: str | None = None
    """Tells builds of the same version apart."""
    flink_version: str
    armed: bool
    reason: str | None = None
    rehearsal: str | None = None
    """What became of the JobManager's, in words."""
    join_points: list[JoinPoint] = Field(default_factory=list)
    task_managers: list[TaskManagerState] = Field(default_factory=list)
    drains: list[Drain] = Field(default_factory=list)
    starts_task_managers: bool = False
    """Whether the cluster starts TaskManagers by itself when slots are missing (native Kubernetes, YARN)."""


# -- POST /drrs/drains, DELETE /drrs/drains/:id --------------------------------------------------------------------


class DrainRequest(BaseModel):
    """Body of `POST /drrs/drains`."""

    model_config = ConfigDict(frozen=True)

    task_manager: str


class DrainState(Answer):
    """Whether a TaskManager is drained now, and whether it was before the request."""

    task_manager: str
    drained: bool
    before: bool


# -- GET /jobs/:jobid/drrs/vertices --------------------------------------------------------------------------------


class Slots(Answer):
    free: int
    total: int


class Slot(Answer):
    """A slot that a subtask has or would get; those of one `group` share it. Without a TaskManager it is a new one."""

    group: int
    task_manager: str | None = None


class Subtask(Answer):
    """An active subtask; `records` sums those sent for its key groups so far, `bytes` estimates its state now."""

    index: int
    task_manager: str | None = None
    host: str | None = None
    key_groups: int
    records: int = 0
    bytes: int = 0
    slots: list[Slot] = Field(default_factory=list)


class Dormant(Answer):
    """A subtask that is not active."""

    index: int
    slots: list[Slot] = Field(default_factory=list)


class KeyGroup(Answer):
    """Load (`records` sent so far) and size of one key group."""

    id: int
    records: int = 0
    entries: int = 0
    bytes: int = 0


class Vertex(Answer):
    """An elastic vertex. `placement[g]` is the subtask that owns key group g.

    `group`: labels of all that scales together with it, the keyed vertex first; empty if it scales alone. `warnings`:
    sentences about what of the job may be wrong after a rescale, and what the vertex costs.
    """

    vertex_id: str
    operator_id: str | None = None
    uid: str | None = None
    name: str
    supported: bool
    reason: str | None = None
    group: list[str] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    parallelism: int
    ceiling: int
    max_parallelism: int
    active: list[int] = Field(default_factory=list)
    placement: list[int] = Field(default_factory=list)
    subtasks: list[Subtask] = Field(default_factory=list)
    dormant: list[Dormant] = Field(default_factory=list)
    key_groups: list[KeyGroup] = Field(default_factory=list)

    @property
    def label(self) -> str:
        """What people call it: the uid, else the name."""
        return self.uid or self.name

    def answers_to(self, text: str) -> bool:
        """Whether `text` is one of its names: uid, name, vertex id or operator id."""
        return text in {self.uid, self.name, self.vertex_id, self.operator_id}


class FixedTask(Answer):
    """A task that no rescale moves, and why."""

    name: str
    subtask: int
    reason: str


class UsedTaskManager(Answer):
    """A TaskManager that the job uses."""

    id: str
    drained: bool = False
    unused_slots: int = 0
    fixed: list[FixedTask] = Field(default_factory=list)


class JobVertices(Answer):
    """The elastic vertices of a job; `rescales` are the ids of those in progress, `rescale` the first of them."""

    job_id: str
    job_name: str
    elastic: bool
    reason: str | None = None
    rescale: str | None = None
    rescales: list[str] = Field(default_factory=list)
    slots: Slots
    task_managers: list[UsedTaskManager] = Field(default_factory=list)
    vertices: list[Vertex] = Field(default_factory=list)


# -- /jobs/:jobid/drrs/rescales ------------------------------------------------------------------------------------


class Phase(StrEnum):
    """Life cycle of a rescale."""

    PLANNED = "PLANNED"
    PROVISIONING = "PROVISIONING"
    MIGRATING = "MIGRATING"
    RETIRING = "RETIRING"
    COMPLETED = "COMPLETED"
    ABORTING = "ABORTING"
    ABORTED = "ABORTED"
    FAILED = "FAILED"

    @property
    def terminal(self) -> bool:
        return self in {Phase.COMPLETED, Phase.ABORTED, Phase.FAILED}


class SubscalePlan(BaseModel):
    """Key groups that move together from one old owner to one new owner, hottest first."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    old_owner: int = Field(alias="from")
    new_owner: int = Field(alias="to")
    key_groups: list[int]


class RescaleRequest(BaseModel):
    """Body of `POST /jobs/:jobid/drrs/rescales`; without `placement` and `subscales` the JobManager plans."""

    model_config = ConfigDict(frozen=True)

    vertex: str
    parallelism: int
    strategy: str = "drrs"
    request_id: str | None = None
    cause: str | None = None
    dry_run: bool = False
    placement: list[int] | None = None
    subscales: list[SubscalePlan] | None = None
    options: dict[str, str] = Field(default_factory=dict)


class OperatorRequest(BaseModel):
    """What is to become of one of the operators of a request."""

    model_config = ConfigDict(frozen=True)

    vertex: str
    parallelism: int
    placement: list[int] | None = None
    subscales: list[SubscalePlan] | None = None


class CombinedRequest(BaseModel):
    """The same body for several operators: all or none of them is rescaled, under one id."""

    model_config = ConfigDict(frozen=True)

    operators: list[OperatorRequest]
    strategy: str = "drrs"
    request_id: str | None = None
    cause: str | None = None
    dry_run: bool = False
    options: dict[str, str] = Field(default_factory=dict)


class Accepted(Answer):
    request_id: str


class ValidOperator(Answer):
    """What a strategy would make of a request for one operator."""

    vertex_id: str
    key_groups: int
    subscales: int


class Valid(Answer):
    valid: bool
    operators: list[ValidOperator] = Field(default_factory=list)


class Progress(Answer):
    moved: int = 0
    total: int = 0


class SubscaleProgress(Answer):
    open: int = 0
    done: int = 0
    total: int = 0


class PhaseTime(Answer):
    """A phase that was entered at `at`; `duration_ms` grows while it lasts."""

    phase: Phase
    at: int
    duration_ms: int | None = None
    reason: str | None = None


class RecordCounts(Answer):
    """Records of moving key groups: forwarded by the old owner, kept back by the new one; fetches for one, and bins."""

    rerouted: int = 0
    set_aside: int = 0
    fetched_on_demand: int = 0
    bins: int = 0


class ExchangeUse(Answer):
    """What went over the peer exchange, and for how many milliseconds it was busy.

    `state_bytes` of `bytes` are state; `stored_bytes` of it went through shared storage in its place.
    """

    bytes: int = 0
    state_bytes: int = 0
    stored_bytes: int = 0
    busy_ms: int = 0


class Wait(Answer):
    """How many waited, and for how many milliseconds: all together, and the longest."""

    count: int = 0
    total_ms: int = 0
    longest_ms: int = 0

    @property
    def mean_ms(self) -> float:
        """Milliseconds each, 0 if none waited."""
        return self.total_ms / self.count if self.count else 0.0


class Waits(Answer):
    """What subscales waited for, at last their key groups; `docs/interfaces.md` says from when to when."""

    propagation: Wait = Wait()
    alignment: Wait = Wait()
    turn: Wait = Wait()
    dependency: Wait = Wait()


class Mails(Answer):
    """How often the plug-in kept owners from their records with one kind of work, and for how many microseconds."""

    kind: str
    count: int
    p99_us: int
    max_us: int


class GcPauses(Answer):
    """How often the JVM of a TaskManager stood still to collect garbage during a rescale, and for how long."""

    task_manager: str
    count: int
    total_ms: int
    longest_ms: int


class Rescale(Answer):
    """Status of one rescale, running or ended.

    One of several operators has `parts`, a status for each, and no vertex and parallelism of its own.
    """

    request_id: str
    vertex_id: str | None = None
    vertex_name: str | None = None
    phase: Phase
    strategy: str = "drrs"
    cause: str | None = None
    reason: str | None = None
    from_parallelism: int | None = None
    to_parallelism: int | None = None
    min_key_groups: int | None = None
    key_groups: Progress = Progress()
    bytes: Progress = Progress()
    subscales: SubscaleProgress = SubscaleProgress()
    continued_by: list[str] = Field(default_factory=list)
    """After a failover: the rescales that go on to the same placement, one for each operator."""
    eta_ms: int | None = None
    accepted_at: int
    ended_at: int | None = None
    duration_ms: int | None = None
    phases: list[PhaseTime] = Field(default_factory=list)
    records: RecordCounts = RecordCounts()
    suspension_ms: dict[str, int] = Field(default_factory=dict)
    waits: Waits = Waits()
    mails: list[Mails] = Field(default_factory=list)
    gc_pauses: list[GcPauses] = Field(default_factory=list)
    messages: int = 0
    """Between the JobManager and tasks, both ways."""
    exchange: ExchangeUse = ExchangeUse()
    parts: list[Rescale] = Field(default_factory=list)

    def concerns(self, names: Collection[str]) -> bool:
        """Whether one of its operators has one of these vertex ids or names."""
        own = self.vertex_id in names or self.vertex_name in names
        return own or any(part.concerns(names) for part in self.parts)

    @model_validator(mode="before")
    @classmethod
    def _absent_parts(cls, data: object) -> object:
        """A part that is null (not measured yet) is the same as one that is left out."""
        if not isinstance(data, dict):
            return data
        parts = ("key_groups", "bytes", "subscales", "phases", "records", "suspension_ms", "waits", "mails",
                 "gc_pauses", "exchange", "strategy", "parts")  # fmt: skip
        return {key: value for key, value in data.items() if value is not None or key not in parts}


class Rescales(Answer):
    """All rescales of a job, newest first."""

    rescales: list[Rescale] = Field(default_factory=list)
