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


class JobVertex(Answer):
    """A vertex of any job; of an elastic one the parallelism is that of its active subtasks."""

    id: str
    name: str
    parallelism: int
    tasks: TaskCounts = TaskCounts()


class JobDetails(Job):
    """A job by itself."""

    vertices: list[JobVertex] = Field(default_factory=list)


# -- GET /jobs/:jobid/checkpoints --------------------------------------------------------------------------------------


class CheckpointCounts(Answer):
    completed: int = 0


class Milliseconds(Answer):
    avg: float = 0.0
    max: float = 0.0


class CheckpointSummary(Answer):
    end_to_end_duration: Milliseconds = Milliseconds()


class CheckpointTimes(Answer):
    """How long the completed checkpoints of a job took."""

    counts: CheckpointCounts = CheckpointCounts()
    summary: CheckpointSummary = CheckpointSummary()


# -- GET /jobs/:jobid/savepoints/:triggerid ----------------------------------------------------------------------------


class Savepoint(Answer):
    """A savepoint that was triggered: under way, or with its `location`, or with the `failure` (Flink's text)."""

    completed: bool
    location: str | None = None
    failure: str | None = None
