"""Questions to a cluster that may not be able to answer them at the moment."""

from __future__ import annotations

from typing import Any

from harness.cluster import Cluster
from pyctl.client import Client
from pyctl.errors import NotPlugged, NotReachable, Refused
from pyctl.model import Vertex

_NOT_NOW = frozenset({404, 500})
"""A JobManager that does not lead yet, or leads and has not read the job yet."""


def ask(cluster: Cluster, path: str) -> Any | None:
    """GET, or None if nobody can answer now."""
    try:
        with Client(cluster.url, retry_s=0, timeout_s=5) as client:
            return client.get(path)
    except NotReachable:
        return None
    except Refused as refused:
        if refused.status in _NOT_NOW:
            return None
        raise


def job_state(cluster: Cluster, job: str) -> str | None:
    """Flink's state of the job, None if nobody knows."""
    answer = ask(cluster, f"/jobs/{job}")
    return None if answer is None else str(answer["state"])


def vertex(cluster: Cluster, job: str, name: str) -> tuple[Vertex, str | None] | None:
    """The elastic vertex and the id of the rescale under way, None if nobody can tell."""
    try:
        answer = cluster.client.vertices(job)
    except (NotReachable, NotPlugged, Refused):
        return None
    return next(((v, answer.rescale) for v in answer.vertices if v.answers_to(name)), None)
