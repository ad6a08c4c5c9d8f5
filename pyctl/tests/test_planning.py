"""Planner and network together, as tests and the demo use them from Python."""

from __future__ import annotations

import pytest

from fake_jobmanager import JOB, VERTEX, FakeJobManager, refusal, status, vertex, vertices
from pyctl.client import Client
from pyctl.errors import Refused, WaitTimeout
from pyctl.model import Phase, Vertex
from pyctl.planner import PlannerOptions
from pyctl.planning import Wish, carry_out, propose, rates

ROUTE = f"GET /jobs/{JOB}/drrs/rescales"


def test_carry_out_returns_how_it_ended(jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale((202, {"request_id": "r1"}))
    jobmanager.on(f"{ROUTE}/r1", status("MIGRATING"), status("ABORTED"))
    with Client(jobmanager.address) as client:
        assert carry_out(client, JOB, "count", Wish(4), interval_s=0.01).phase is Phase.ABORTED


def test_carry_out_raises_all_faults_or_the_timeout(jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(refusal("NOT_ENOUGH_SLOTS"), (202, {"request_id": "r1"}))
    jobmanager.on(f"{ROUTE}/r1", status("MIGRATING"))
    with Client(jobmanager.address) as client:
        with pytest.raises(Refused):
            carry_out(client, JOB, "count", Wish(4))
        with pytest.raises(WaitTimeout):
            carry_out(client, JOB, "count", Wish(4), timeout_s=0.05, interval_s=0.01)


def test_the_expected_duration_comes_from_what_the_vertex_has_shown(jobmanager: FakeJobManager) -> None:
    big = vertex(key_groups=[{"id": g, "bytes": 50_000_000} for g in range(8)])
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(big))
    with Client(jobmanager.address) as client:
        first = propose(client, JOB, "count", Wish(4), PlannerOptions()).plan
        fast = status("COMPLETED", exchange={"bytes": 10**9, "busy_ms": 1000})
        other = status("COMPLETED", exchange={"bytes": 10**12, "busy_ms": 1}, vertex_id="e" * 32)
        jobmanager.on(ROUTE, {"rescales": [other, fast]})
        second = propose(client, JOB, "count", Wish(4), PlannerOptions()).plan
    assert first is not None
    assert second is not None
    assert second.seconds < first.seconds
    assert second.seconds == pytest.approx(0.5 + 0.1 + 2 * 0.04 / 2, abs=0.05)


def test_a_sample_across_a_restart_of_the_counters_is_not_used(jobmanager: FakeJobManager) -> None:
    known = Vertex.model_validate(vertex())
    restarted = vertex(key_groups=[{"id": g, "records": 1} for g in range(8)])
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(restarted), vertices())
    with Client(jobmanager.address) as client:
        assert rates(client, JOB, known, 1.0, sleep=lambda _: None) is None
        assert rates(client, JOB, known, 1.0, sleep=lambda _: None) is None


def test_a_vertex_is_found_by_each_of_its_names(jobmanager: FakeJobManager) -> None:
    with Client(jobmanager.address) as client:
        for name in ("count", "running count", VERTEX, "c" * 32, VERTEX[:6], None):
            proposal = propose(client, JOB, name, Wish(4), PlannerOptions())
            assert proposal.request.vertex == VERTEX
            assert proposal.plan is not None
