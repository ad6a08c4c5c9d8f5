"""Planner and network together."""

from __future__ import annotations

from typing import Any

from fake_clock import FakeClock
from fake_jobmanager import JOB, VERTEX, FakeJobManager, refusal, status, vertex, vertices
from pyctl.client import Client
from pyctl.model import Vertex
from pyctl.planner import PlannerOptions
from pyctl.planning import Wish, propose, rates

ROUTE = f"GET /jobs/{JOB}/drrs/rescales"


def ended(request_id: str, at: int, **changes: Any) -> dict[str, Any]:
    phases = [("PROVISIONING", 3_000), ("MIGRATING", 2_000), ("RETIRING", 50)]
    times = [{"phase": phase, "at": at, "duration_ms": took} for phase, took in phases]
    return status("COMPLETED", 4, request_id=request_id, accepted_at=at, phases=times, **changes)


def test_the_expected_duration_comes_from_what_the_operator_has_shown(jobmanager: FakeJobManager) -> None:
    took = {"avg": 300, "max": 2_000, "p50": "NaN"}
    jobmanager.on(
        f"GET /jobs/{JOB}/checkpoints", {"counts": {"completed": 7}, "summary": {"end_to_end_duration": took}}
    )
    with Client(jobmanager.address) as client:
        first = propose(client, JOB, "count", Wish(4), PlannerOptions()).expected
        rescales = [ended("r3", 3), ended("r2", 2, vertex_id="e" * 32), ended("r1", 1)]
        jobmanager.on(ROUTE, {"rescales": rescales})
        later = propose(client, JOB, "count", Wish(4), PlannerOptions()).expected
    assert first is not None
    assert later is not None
    assert (first.rescales, first.basis) == (0, "defaults, as there is no history yet")
    assert (later.rescales, later.basis) == (1, "1 rescale of this operator")
    assert later.phases["PROVISIONING"].low < 3 < later.phases["PROVISIONING"].high
    assert later.phases["CHECKPOINTS"].high == 2


def test_without_rescales_of_the_job_those_of_other_jobs_count(jobmanager: FakeJobManager) -> None:
    jobs = [{"jid": c * 32, "name": c, "state": s} for c, s in (("a", "RUNNING"), ("d", "FINISHED"), ("e", "RUNNING"))]
    jobmanager.on("GET /jobs/overview", {"jobs": jobs})
    jobmanager.on(f"GET /jobs/{'d' * 32}/drrs/rescales", {"rescales": [ended("r2", 2), ended("r1", 1)]})
    jobmanager.on(f"GET /jobs/{'e' * 32}/drrs/rescales", refusal("NOT_ELASTIC"))
    with Client(jobmanager.address) as client:
        found = propose(client, JOB, "count", Wish(4), PlannerOptions()).expected
    assert found is not None
    assert found.basis == "the first rescale of 1 other job of this cluster"


def test_a_sample_across_a_restart_of_the_counters_is_not_used(jobmanager: FakeJobManager) -> None:
    known = Vertex.model_validate(vertex())
    restarted = vertex(key_groups=[{"id": g, "records": 1} for g in range(8)])
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(restarted), vertices())
    with Client(jobmanager.address) as client:
        assert rates(client, JOB, known, 1.0, FakeClock()) is None
        assert rates(client, JOB, known, 1.0, FakeClock()) is None


def test_a_vertex_is_found_by_each_of_its_names(jobmanager: FakeJobManager) -> None:
    with Client(jobmanager.address) as client:
        for name in ("count", "running count", VERTEX, "c" * 32, VERTEX[:6], None):
            proposal = propose(client, JOB, name, Wish(4), PlannerOptions())
            assert proposal.request.vertex == VERTEX
            assert proposal.plan is not None
