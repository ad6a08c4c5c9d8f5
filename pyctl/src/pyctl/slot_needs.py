"""What slots the elastic operators would need to grow, beside those that there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyctl.model import JobVertices, Vertex


@dataclass(frozen=True)
class Need:
    """Slots that one operator lacks, if it alone grew; slots that its job holds without using them are counted off."""

    job_name: str
    vertex: str
    parallelism: int
    ceiling: int
    next_subtask: int
    """For one more subtask."""
    ceiling_slots: int
    """For all up to the ceiling."""

    def sentence(self) -> str:
        """For people."""
        return (
            f"{self.vertex} of job {self.job_name} ({self.parallelism} of at most {self.ceiling}): "
            f"one more subtask needs {self.next_subtask}, the ceiling needs {self.ceiling_slots}"
        )


def needs(vertices: JobVertices) -> Iterator[Need]:
    """The needs of the operators of a job that can grow."""
    unused = sum(tm.unused_slots for tm in vertices.task_managers if not tm.drained)
    for vertex in vertices.vertices:
        if vertex.supported and vertex.parallelism < vertex.ceiling:
            new = _new_groups(vertex)
            yield Need(
                job_name=vertices.job_name,
                vertex=vertex.label,
                parallelism=vertex.parallelism,
                ceiling=vertex.ceiling,
                next_subtask=max(0, min(map(len, new), default=1) - unused),
                ceiling_slots=max(0, len(set().union(*new)) - unused),
            )


def _new_groups(vertex: Vertex) -> list[set[int]]:
    """For each dormant subtask the slots that it would need anew: what shares a slot needs it once."""
    return [{slot.group for slot in dormant.slots if slot.task_manager is None} for dormant in vertex.dormant]
