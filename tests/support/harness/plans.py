"""Requests over the REST port, and what is in their answers."""

from __future__ import annotations

from collections.abc import Collection
from itertools import cycle
from typing import Any

from harness.cluster import Cluster
from harness.command import assert_plain
from harness.contract import Mechanism
from harness.job import Job
from harness.limits import LIMIT_S
from pyctl.follow import follow
from pyctl.model import Phase, Rescale, RescaleRequest, Vertex
from pyctl.planner import PlannerOptions
from pyctl.planning import Wish, propose


def planned(job: Job, vertex: str, parallelism: int, **changed: Any) -> dict[str, Any]:
    """The body of a good request, with some fields changed."""
    proposal = propose(job.cluster.client, job.id, vertex, Wish(parallelism), PlannerOptions())
    assert proposal.plan is not None
    return body(proposal.request) | changed


def proposed(job: Job, vertex: str, parallelism: int, how: Mechanism) -> dict[str, Any]:
    """The body of a good request, with the plan that pyctl makes for a strategy."""
    wish = Wish(parallelism, how.strategy, options=dict(how.options))
    return body(propose(job.cluster.client, job.id, vertex, wish, PlannerOptions()).request)


def retiring(vertex: Vertex, retired: Collection[int]) -> dict[str, Any]:
    """The body of a request that ends these subtasks: their key groups go to the others in turn."""
    staying = cycle(subtask for subtask in vertex.active if subtask not in retired)
    placement = [next(staying) if owner in retired else owner for owner in vertex.placement]
    moves: dict[tuple[int, int], list[int]] = {}
    for group, (before, after) in enumerate(zip(vertex.placement, placement, strict=True)):
        if before != after:
            moves.setdefault((before, after), []).append(group)
    return {
        "vertex": vertex.vertex_id,
        "parallelism": len(vertex.active) - len(retired),
        "placement": placement,
        "subscales": [
            {"from": before, "to": after, "key_groups": groups} for (before, after), groups in sorted(moves.items())
        ],
    }


def body(request: RescaleRequest) -> dict[str, Any]:
    """A request as JSON."""
    return request.model_dump(mode="json", by_alias=True, exclude_none=True)


def begin(job: Job, request: Any) -> str:
    """POST a request that is right; returns its id."""
    answer = job.cluster.post(f"/jobs/{job.id}/drrs/rescales", request)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["request_id"])


def ended(job: Job, request_id: str, limit_s: float = LIMIT_S) -> Rescale:
    """How a rescale ended, and those that went on with it."""
    *_, last = follow(job.cluster.client, job.id, request_id, timeout_s=limit_s, interval_s=0.05)
    return last


def passing(job: Job, request_id: str, phase: Phase) -> Rescale:
    """Wait until a rescale is in a phase, which it must not have left behind."""
    for status in follow(job.cluster.client, job.id, request_id, timeout_s=LIMIT_S, interval_s=0.01):
        assert not status.phase.terminal, f"ended before it was seen in {phase}"
        if status.phase is phase:
            return status
    raise AssertionError(f"never in {phase}")


def post(cluster: Cluster, job_id: str, request: Any) -> tuple[int, dict[str, str]]:
    """POST a request that is wrong: the HTTP status, and its faults as code -> messages (joined)."""
    answer = cluster.post(f"/jobs/{job_id}/drrs/rescales", request)
    faults: dict[str, str] = {}
    for error in answer.json()["errors"]:
        assert set(error) == {"code", "message"}
        assert_plain(error["message"])
        faults[error["code"]] = " ".join(filter(None, [faults.get(error["code"]), error["message"]]))
    return answer.status_code, faults
