"""How long a plan is expected to take: the estimate with what it needs from the network."""

from __future__ import annotations

from functools import cached_property

from pyctl.client import Client
from pyctl.errors import NotPlugged, Refused
from pyctl.model import Rescale, Vertex
from pyctl.planner import Plan
from pyctl.planner.estimate import Checkpoints, Estimate, estimate, history_of

_JOBS = 20


class Expectations:
    """Estimates for the operators of one job; what they rest on is fetched once, and only if it is needed."""

    def __init__(self, client: Client, job_id: str) -> None:
        self._client = client
        self._job_id = job_id

    def of(self, vertex: Vertex, plan: Plan) -> Estimate | None:
        """The expected duration of a plan; None if it moves nothing."""
        if not plan.subscales:
            return None
        history = history_of(vertex.vertex_id, self._of_job, lambda: self._of_others)
        return estimate(plan.work, history, self._checkpoints)

    @cached_property
    def _of_job(self) -> list[Rescale]:
        return self._client.history(self._job_id)

    @cached_property
    def _of_others(self) -> list[list[Rescale]]:
        """Of other jobs of the cluster, also of those that have ended."""
        found = []
        for job in [job for job in self._client.jobs() if job.jid != self._job_id][:_JOBS]:
            try:
                found.append(self._client.history(job.jid))
            except (NotPlugged, Refused):
                continue  # not elastic
        return found

    @cached_property
    def _checkpoints(self) -> Checkpoints | None:
        try:
            times = self._client.checkpoint_times(self._job_id)
        except Refused:
            return None  # the job has none
        if not times.counts.completed:
            return None
        took = times.summary.end_to_end_duration
        return Checkpoints(took.avg / 1000, took.max / 1000)
