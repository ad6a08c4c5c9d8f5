"""Which subtask owns which key group, before and after a rescale, and when it changes."""

from __future__ import annotations

from dataclasses import dataclass

from pyctl.client import Client

from drrs_jobs.aggregates.key_groups import flink_owner
from drrs_jobs.figures import MAX_PARALLELISM

Owners = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ownership:
    """Owners by key group; they change within [begin, end] (epoch ms), key group by key group unless ``stopped``.

    ``stopped``: nobody owns anything then, as the job does not run.
    """

    before: Owners
    after: Owners
    begin: int
    end: int
    stopped: bool = False


def at_start(parallelism: int, max_parallelism: int = MAX_PARALLELISM) -> Owners:
    """Return the owners in a job that was just started or restored: ranges, in order."""
    return tuple(flink_owner(group, parallelism, max_parallelism) for group in range(max_parallelism))


def at_present(client: Client, job: str) -> Owners:
    """Ask the JobManager for the owners of the job's one elastic operator; tasks answer it between two records."""
    (owners,) = (vertex.placement for vertex in client.vertices(job).vertices if vertex.supported)
    return tuple(owners)
