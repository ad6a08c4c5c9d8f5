"""The strategy `adaptive`: the adaptive scheduler is told how many subtasks it may use, and restarts the job itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyctl.client import Client
from pyctl.errors import Fault, Interrupted
from pyctl.flink_model import ParallelismBounds, VertexRequirements
from pyctl.job_graph import JobGraph, Operators, look, slot_fault
from pyctl.whole_job import (
    ADAPTIVE,
    Change,
    Course,
    Ended,
    await_running,
    changes,
    not_running,
    options_of,
    refuse,
)

STRATEGY = "adaptive"
ADAPTING, COMPLETED = "ADAPTING", "COMPLETED"


@dataclass(frozen=True)
class Prepared:
    """A change that is checked and ready, with the requirements of all vertices."""

    job_id: str
    changes: Sequence[Change]
    requirements: Mapping[str, VertexRequirements]
    cause: str | None


def prepare(
    client: Client,
    job_id: str,
    operators: Operators,
    *,
    options: Mapping[str, str] | None = None,
    cause: str | None = None,
) -> Prepared:
    """Check a change without touching the job. Raises Refused with what is wrong, and ResolveError.

    What FORWARD edges tie to an operator gets the same parallelism: else its records would be dealt out anew, whatever
    their keys are.
    """
    options_of(STRATEGY, options or {}, ())
    graph = look(client, job_id)
    refuse(_wrong_scheduler(graph))
    wanted = {vertex: number for name, number in operators for vertex in sorted(graph.together(graph.resolve(name).id))}
    refuse([*graph.faults(wanted), *not_running(graph), *_apart(graph, operators, wanted)])
    present = client.requirements(job_id)
    requirements = {**present, **{vertex: _bounds(present[vertex], number) for vertex, number in wanted.items()}}
    if requirements == present and all(graph.parallelism[vertex] == number for vertex, number in wanted.items()):
        names = ", ".join(f"{graph.vertex(vertex).name} has {number}" for vertex, number in wanted.items())
        refuse([Fault("PARALLELISM_UNCHANGED", f"The parallelism is what is wanted: {names}.")])
    refuse(slot_fault(client, graph, wanted))
    return Prepared(job_id, changes(graph, wanted), requirements, cause)


def adapt(client: Client, request: Prepared, course: Course) -> Ended:
    """Tell the scheduler, and return when the job runs with what was wanted.

    Raises Refused if it does not take it, RescaleFailed if the job ends. After WaitTimeout and Interrupted it goes on.
    """
    course.about |= {"job_id": request.job_id}
    course.resume = "It goes on: the scheduler restarts the job when it has the slots."
    course.enter(ADAPTING)
    try:
        course.ask(lambda: client.require(request.job_id, request.requirements))
        wanted = {change.vertex_id: change.after for change in request.changes}
        await_running(client, request.job_id, wanted, course)
    except KeyboardInterrupt:
        interrupted = Interrupted(f"Interrupted. {course.resume}")
        interrupted.about = course.about
        raise interrupted from None
    course.enter(COMPLETED)
    return Ended(STRATEGY, request.job_id, request.job_id, request.changes, course.marks, cause=request.cause)


def _wrong_scheduler(graph: JobGraph) -> list[Fault]:
    if graph.job.scheduler == ADAPTIVE:
        return []
    elastic = graph.elastic is not None and graph.elastic.elastic
    other = (
        "; it is elastic, so rescale it live, with the strategy drrs" if elastic else ", or take the strategy restart"
    )
    return [
        Fault(
            "NOT_ADAPTIVE",
            f"The job '{graph.job.name}' runs under the scheduler {graph.job.scheduler or 'of an older Flink'}, not "
            f"under the adaptive one: start it on a cluster with jobmanager.scheduler: adaptive{other}.",
        )
    ]


def _apart(graph: JobGraph, operators: Operators, wanted: Mapping[str, int]) -> list[Fault]:
    """Two operators that scale together cannot get two parallelisms."""
    found = []
    for name, number in operators:
        vertex = graph.resolve(name)
        if wanted[vertex.id] != number:
            found.append(
                Fault(
                    "PLAN_INVALID",
                    f"{vertex.name} cannot have {number} subtasks: a FORWARD edge ties it to an operator that is to "
                    f"have {wanted[vertex.id]}.",
                )
            )
    return found


def _bounds(present: VertexRequirements, number: int) -> VertexRequirements:
    """At most `number`, as the job is to have it; the least that it may run with stays, unless that is more."""
    return VertexRequirements(parallelism=ParallelismBounds(lower=min(present.parallelism.lower, number), upper=number))
