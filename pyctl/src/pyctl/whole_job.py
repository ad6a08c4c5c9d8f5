"""What the strategies have in common that rescale by a restart of the whole job, by Flink's own means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from pyctl.client import Client
from pyctl.clock import SYSTEM, Clock, Deadline
from pyctl.errors import Fault, NotReachable, PyctlError, Refused, RescaleFailed, WaitTimeout
from pyctl.flink_model import JobDetails
from pyctl.job_graph import JobGraph

T = TypeVar("T")

SILENCE_S = 600.0
"""A JobManager that does not answer is asked again for so long: what it was doing may go on all the same."""
ADAPTIVE = "Adaptive"
"""Flink's name for the adaptive scheduler."""
_SOON_S, _LATER_S, _PATIENT_AFTER_S = 0.05, 0.5, 30.0


@dataclass(frozen=True)
class Change:
    """What becomes of the parallelism of a vertex."""

    vertex_id: str
    label: str
    before: int
    after: int


@dataclass(frozen=True)
class Mark:
    """A phase that was entered at `at` (epoch ms)."""

    phase: str
    at: int


class Listener(Protocol):
    """Hears of what happens, in the thread that carries it out."""

    def entered(self, phase: str) -> None:
        """A new phase has begun."""


class _Deaf:
    def entered(self, phase: str) -> None:
        """Ignored."""


@dataclass
class Course:
    """One rescale on its way: its phases so far, and how long is waited. Not thread-safe."""

    timeout_s: float | None = None
    listener: Listener = field(default_factory=_Deaf)
    clock: Clock = SYSTEM
    silence_s: float = SILENCE_S
    marks: list[Mark] = field(default_factory=list)
    about: dict[str, str] = field(default_factory=dict)
    """Ids that a program needs to go on, beside each error."""
    resume: str = ""
    """What to do when the waiting ends too soon, a sentence."""
    remedy: str = ""
    """What to do when the job ends instead of running again, a sentence behind a space."""
    touched: bool = False
    """Whether the job is no longer as it was: what goes wrong from here on is no refusal."""

    def __post_init__(self) -> None:
        self._begin = self.clock.now()
        self._deadline = Deadline(self.clock, self.timeout_s)

    def enter(self, phase: str) -> None:
        """From now on the rescale is in this phase."""
        self.marks.append(Mark(phase, self.clock.epoch_ms()))
        self.listener.entered(phase)

    def pause(self) -> None:
        """Wait a moment before the next look; REST has no push. Raises WaitTimeout."""
        if self._deadline.over:
            phase = self.marks[-1].phase if self.marks else "under way"
            error = WaitTimeout(f"Still {phase} after {self.timeout_s:g} s. {self.resume}")
            error.about = self.about
            raise error
        wait = _SOON_S if self.clock.now() - self._begin < _PATIENT_AFTER_S else _LATER_S
        left = self._deadline.left()
        self.clock.sleep(wait if left is None else max(0.0, min(wait, left)))

    def wait(self, seconds: float) -> None:
        """Wait so long. Raises WaitTimeout."""
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            self.pause()

    def ask(self, question: Callable[[], T]) -> T:
        """An answer of the JobManager: none tells nothing, so it is asked again. Raises NotReachable in the end."""
        silent_since = self.clock.now()
        while True:
            try:
                return question()
            except NotReachable as error:
                if self.clock.now() - silent_since >= self.silence_s:
                    error.about = self.about
                    raise
            self.pause()

    def failed(self, sentence: str) -> RescaleFailed:
        """The error that says so."""
        error = RescaleFailed(sentence)
        error.about = self.about
        return error


@dataclass(frozen=True)
class Ended:
    """How a rescale ended that was carried out: what was wanted is there."""

    strategy: str
    job_id: str
    """The job now; another one than before after a restart."""
    job_before: str
    changes: Sequence[Change]
    marks: Sequence[Mark]
    request_id: str | None = None
    cause: str | None = None
    savepoint: str | None = None
    warnings: Sequence[str] = ()

    @property
    def duration_ms(self) -> int:
        return self.marks[-1].at - self.marks[0].at

    def document(self) -> dict[str, Any]:
        """For programs, as the status of a live rescale where they have something in common."""
        only = self.changes[0] if len(self.changes) == 1 else None
        return {
            "request_id": self.request_id,
            "job_id": self.job_id,
            "job_id_before": self.job_before,
            "vertex_id": only.vertex_id if only else None,
            "vertex_name": only.label if only else None,
            "from_parallelism": only.before if only else None,
            "to_parallelism": only.after if only else None,
            "operators": documents(self.changes),
            "phase": self.marks[-1].phase,
            "strategy": self.strategy,
            "cause": self.cause,
            "reason": None,
            "savepoint": self.savepoint,
            "warnings": list(self.warnings),
            "accepted_at": self.marks[0].at,
            "ended_at": self.marks[-1].at,
            "duration_ms": self.duration_ms,
            "phases": [
                {"phase": mark.phase, "at": mark.at, "duration_ms": following.at - mark.at, "reason": None}
                for mark, following in pairwise(self.marks)
            ],
            "outcome": {
                "request_id": self.request_id,
                "phase": self.marks[-1].phase,
                "reason": None,
                "continued_by": [],
                "parallelism": {change.label: change.after for change in self.changes},
                "reached": True,
            },
        }


def documents(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Changes as JSON."""
    return [
        {
            "vertex_id": change.vertex_id,
            "vertex": change.label,
            "from_parallelism": change.before,
            "to_parallelism": change.after,
        }
        for change in changes
    ]


def changes(graph: JobGraph, wanted: Mapping[str, int]) -> list[Change]:
    """What becomes of the vertices that are named, of which each may stay as it is."""
    present = graph.parallelism
    return [Change(vertex, graph.vertex(vertex).name, present[vertex], number) for vertex, number in wanted.items()]


def refuse(faults: Sequence[Fault]) -> None:
    """Raise Refused if there are any."""
    if faults:
        raise Refused(faults)


def options_of(strategy: str, given: Mapping[str, str], known: Sequence[str]) -> None:
    """Raise Refused with the options that a strategy has if one is given that it does not have."""
    refuse(
        [
            Fault(
                "UNKNOWN_OPTION",
                f"The strategy {strategy} has no option {key}; it has {', '.join(known) or 'none'}.",
            )
            for key in given
            if key not in known
        ]
    )


def not_running(graph: JobGraph) -> list[Fault]:
    """What is to be said if not all of the job's tasks run."""
    if graph.job.state == "RUNNING" and all(vertex.at_work for vertex in graph.job.vertices):
        return []
    return [
        Fault(
            "JOB_NOT_RUNNING",
            f"The job is {graph.job.state} and not all of its tasks run; ask again when they do.",
        )
    ]


def await_running(client: Client, job_id: str, wanted: Mapping[str, int], course: Course) -> JobDetails:
    """Wait until all tasks of the job run, those of `wanted` vertices as many as that. Raises RescaleFailed if it ends.

    A job that Flink does not list yet is waited for. Only the adaptive scheduler changes a parallelism while it is
    waited for: under another one the caller has to judge what is there.
    """
    while True:
        job = course.ask(lambda: known(client, job_id))
        if job is not None and job.ended:
            raise course.failed(f"The job {job_id} is {job.state}: {_cause(client, job_id)}.{course.remedy}")
        if job is not None and job.state == "RUNNING" and job.vertices:
            number = {vertex.id: vertex.parallelism for vertex in job.vertices}
            adapted = job.scheduler != ADAPTIVE or all(number.get(each) == n for each, n in wanted.items())
            if adapted and all(vertex.at_work for vertex in job.vertices):
                return job
        course.pause()


def known(client: Client, job_id: str) -> JobDetails | None:
    """The job; None if Flink does not know it."""
    try:
        return client.job(job_id)
    except Refused as error:
        if error.status != 404:
            raise
        return None


def _cause(client: Client, job_id: str) -> str:
    with suppress(PyctlError):  # It is only the reason that is missing then: that the job has ended is told.
        return (client.cause_of_failure(job_id) or "no cause is known")[:400].rstrip(".")
    return "the cause could not be asked for"
