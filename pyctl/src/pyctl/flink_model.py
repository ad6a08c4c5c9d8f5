"""The answers of Flink's own REST as typed models, as far as they are used."""

from __future__ import annotations

from pydantic import Field

from pyctl.answer import Answer

ENDED = frozenset({"FINISHED", "CANCELED", "FAILED"})
"""States of a job from which it never runs again."""


# -- GET /taskmanagers/:id ---------------------------------------------------------------------------------------------


class AllocatedSlot(Answer):
    """A slot and the job that holds it."""

    job_id: str = Field(alias="jobId")


class TaskManagerDetails(Answer):
    """The slots of a TaskManager that jobs hold."""

    allocated_slots: list[AllocatedSlot] = Field(default_factory=list, alias="allocatedSlots")


# -- GET /jobs/overview ------------------------------------------------------------------------------------------------


class Job(Answer):
    """A job as Flink lists it."""

    jid: str
    name: str
    state: str

    @property
    def ended(self) -> bool:
        """Whether the job is in a state from which it never runs again."""
        return self.state in ENDED


# -- GET /jobs/:jobid --------------------------------------------------------------------------------------------------


class TaskCounts(Answer):
    """How many tasks of a vertex are in a state."""

    running: int = Field(default=0, alias="RUNNING")
    finished: int = Field(default=0, alias="FINISHED")


class JobVertex(Answer):
    """A vertex of any job; of an elastic one the parallelism is that of its active subtasks."""

    id: str
    name: str
    parallelism: int
    tasks: TaskCounts = TaskCounts()
    max_parallelism: int = Field(default=0, alias="maxParallelism")
    slot_sharing_group: str = Field(default="", alias="slotSharingGroupId")

    @property
    def at_work(self) -> bool:
        """Whether all of its tasks run, or have done all that there was to do."""
        return self.tasks.running + self.tasks.finished >= self.parallelism


class JobDetails(Job):
    """A job by itself."""

    vertices: list[JobVertex] = Field(default_factory=list)
    scheduler: str | None = Field(default=None, alias="schedulerType")


# -- GET /jobs/:jobid/plan, POST /jars/:jarid/plan ---------------------------------------------------------------------


class PlanInput(Answer):
    """An edge of a job, as its consumer sees it; `ship_strategy` is FORWARD, HASH, .."""

    id: str
    ship_strategy: str = ""


class PlanNode(Answer):
    """A vertex of a job and where its input comes from."""

    id: str
    parallelism: int
    inputs: list[PlanInput] = Field(default_factory=list)


class JobPlan(Answer):
    """A job, running or only described by its program."""

    name: str
    nodes: list[PlanNode] = Field(default_factory=list)


# -- GET, PUT /jobs/:jobid/resource-requirements -----------------------------------------------------------------------


class ParallelismBounds(Answer):
    """How many subtasks the adaptive scheduler may give a vertex."""

    lower: int = Field(alias="lowerBound")
    upper: int = Field(alias="upperBound")


class VertexRequirements(Answer):
    """What the adaptive scheduler may do with a vertex."""

    parallelism: ParallelismBounds


# -- GET /jobs/:jobid/checkpoints --------------------------------------------------------------------------------------


class CheckpointCounts(Answer):
    completed: int = 0


class Milliseconds(Answer):
    avg: float = 0.0
    max: float = 0.0


class CheckpointSummary(Answer):
    end_to_end_duration: Milliseconds = Milliseconds()


class CompletedCheckpoint(Answer):
    """A checkpoint or savepoint that has completed; ids of both are drawn from one sequence."""

    id: int
    type: str | None = Field(default=None, alias="checkpoint_type")
    path: str | None = Field(default=None, alias="external_path")


class LatestCheckpoints(Answer):
    """The newest completed ones of each kind."""

    completed: CompletedCheckpoint | None = None
    savepoint: CompletedCheckpoint | None = None


class CheckpointTimes(Answer):
    """How long the completed checkpoints of a job took, and which are the newest."""

    counts: CheckpointCounts = CheckpointCounts()
    summary: CheckpointSummary = CheckpointSummary()
    latest: LatestCheckpoints = LatestCheckpoints()


# -- GET /jobs/:jobid/savepoints/:triggerid ----------------------------------------------------------------------------


class Savepoint(Answer):
    """A savepoint that was triggered: under way, or with its `location`, or with the `failure` (Flink's text)."""

    completed: bool
    location: str | None = None
    failure: str | None = None
