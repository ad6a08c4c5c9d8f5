"""A job as Flink itself shows it, with or without the plug-in: names, what has to scale together, slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyctl.client import Client
from pyctl.errors import Fault, NotPlugged, Refused, ResolveError
from pyctl.flink_model import JobDetails, JobPlan, JobVertex
from pyctl.model import JobVertices

Operators = Sequence[tuple[str | None, int]]
"""Names with the parallelisms wanted; a name None, alone: the only keyed operator."""


@dataclass(frozen=True)
class JobGraph:
    """A job at one moment."""

    job: JobDetails
    plan: JobPlan
    elastic: JobVertices | None
    """What the plug-in says of it; None on a stock cluster, or if the job has ended."""

    @property
    def parallelism(self) -> dict[str, int]:
        """Of each vertex, by its id."""
        return {vertex.id: vertex.parallelism for vertex in self.job.vertices}

    def vertex(self, vertex_id: str) -> JobVertex:
        """The vertex of this id, which there is."""
        return next(vertex for vertex in self.job.vertices if vertex.id == vertex_id)

    def resolve(self, text: str | None) -> JobVertex:
        """The vertex meant by `text`: name, name of an operator in its chain, uid (where the plug-in knows it) or id.

        None means the only keyed one. Raises ResolveError if that is not exactly one.
        """
        if text is None:
            keyed = {node.id for node in self.plan.nodes if any(one.ship_strategy == "HASH" for one in node.inputs)}
            return self._only([vertex for vertex in self.job.vertices if vertex.id in keyed], "a keyed one")
        uids = {each.vertex_id for each in (self.elastic.vertices if self.elastic else []) if each.answers_to(text)}
        for fits in (
            [vertex for vertex in self.job.vertices if text in {vertex.id, vertex.name} or vertex.id in uids],
            [vertex for vertex in self.job.vertices if text in vertex.name.split(" -> ")],
            [vertex for vertex in self.job.vertices if len(text) >= 4 and vertex.id.startswith(text.lower())],
        ):
            if fits:
                return self._only(fits, f"'{text}'")
        return self._only([], f"'{text}'")

    def together(self, vertex_id: str) -> set[str]:
        """The vertex and all that FORWARD edges tie to it: another parallelism on one side would mix up keys."""
        found, waiting = {vertex_id}, [vertex_id]
        while waiting:
            at = waiting.pop()
            for node in self.plan.nodes:
                for edge in node.inputs:
                    ends = {node.id, edge.id}
                    if edge.ship_strategy == "FORWARD" and at in ends and not ends <= found:
                        waiting += ends - found
                        found |= ends
        return found

    def slots(self, parallelism: Mapping[str, int]) -> int:
        """Slots that the job needs with these parallelisms (of vertices that are left out: as they are)."""
        groups: dict[str, int] = {}
        for vertex in self.job.vertices:
            number = parallelism.get(vertex.id, vertex.parallelism)
            groups[vertex.slot_sharing_group] = max(number, groups.get(vertex.slot_sharing_group, 0))
        return sum(groups.values())

    def faults(self, wanted: Mapping[str, int]) -> list[Fault]:
        """What is wrong with these parallelisms for the vertices themselves."""
        found = []
        for vertex_id, number in wanted.items():
            vertex = self.vertex(vertex_id)
            if number < 1:
                found.append(
                    Fault(
                        "PARALLELISM_BELOW_ONE", f"The parallelism of {vertex.name} must be at least 1, not {number}."
                    )
                )
            elif 0 < vertex.max_parallelism < number:
                found.append(
                    Fault(
                        "ABOVE_MAX_PARALLELISM",
                        f"Parallelism {number} of {vertex.name} is above its {vertex.max_parallelism} key groups.",
                    )
                )
        return found

    def _only(self, fits: Sequence[JobVertex], what: str) -> JobVertex:
        if len(fits) == 1:
            return fits[0]
        names = ", ".join(vertex.name for vertex in fits or self.job.vertices)
        if fits:
            raise ResolveError("AMBIGUOUS_VERTEX", f"{len(fits)} vertices of the job are {what}, so name one: {names}.")
        raise ResolveError("UNKNOWN_VERTEX", f"No vertex of '{self.job.name}' is {what}; there are {names}.")


def look(client: Client, job_id: str) -> JobGraph:
    """The job as it is now. Raises Refused if Flink does not know it."""
    job = client.job(job_id)
    return JobGraph(job, client.plan(job_id), None if job.ended else _elastic(client, job_id))


def slot_fault(client: Client, graph: JobGraph, parallelism: Mapping[str, int]) -> list[Fault]:
    """What is to be said if the cluster has too few slots for these parallelisms, and starts none by itself."""
    needed = graph.slots(parallelism)
    has, free = _usable_slots(client, graph)
    missing = needed - has - free
    if missing <= 0 or client.options().get("execution.target", "").startswith(("kubernetes", "yarn")):
        return []
    return [
        Fault(
            "NOT_ENOUGH_SLOTS",
            f"The job would need {needed} slots: it has {has}, {free} are free, {missing} are missing (those of "
            f"drained TaskManagers do not count); add TaskManagers, or ask for less.",
        )
    ]


def _usable_slots(client: Client, graph: JobGraph) -> tuple[int, int]:
    """Slots that the job has, and free ones; none of drained TaskManagers, where nobody gets one any more."""
    has, free = 0 if graph.job.ended else graph.slots({}), client.free_slots()
    try:
        drained = [tm for tm in client.overview().task_managers if tm.drained]
    except NotPlugged:
        return has, free
    held = sum(slot.job_id == graph.job.jid for tm in drained for slot in client.task_manager(tm.id).allocated_slots)
    return max(0, has - held), max(0, free - sum(tm.free_slots for tm in drained))


def _elastic(client: Client, job_id: str) -> JobVertices | None:
    try:
        return client.vertices(job_id)
    except (NotPlugged, Refused):
        # A stock cluster, or a job that the plug-in does not look after: Flink's own names are left.
        return None
