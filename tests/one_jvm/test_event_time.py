"""Scale-in between subtasks whose event times are seconds apart: rules R1 to R3, with timers and windows."""

from __future__ import annotations

from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.cluster import Cluster
from harness.job import Job, running
from harness.limits import LIMIT_S
from harness.plans import begin, ended, retiring
from harness.scenarios import TARGETS, Scenario
from pyctl.model import Phase

APART_MS = 1_500


def apart_ms(job: Job, vertex: str) -> int:
    """How far the event times of the subtasks are apart; 0 as long as one of them has none."""
    found = job.cluster.get(f"/jobs/{job.id}/vertices/{job.vertex(vertex).vertex_id}/watermarks")
    clocks = [int(one["value"]) for one in found]
    if len(clocks) < len(job.vertex(vertex).active) or min(clocks) <= 0:
        return 0
    return max(clocks) - min(clocks)


@pytest.mark.covers(
    "time: scale-in where old and new owner's event times are seconds apart", path=(4, 2), unaligned=True
)
@pytest.mark.parametrize("slow", ["retires", "stays"])
@pytest.mark.parametrize("target", ["count", "q5", pytest.param("q11", marks=pytest.mark.matrix)])
def test_key_groups_move_between_event_times_far_apart(
    cluster: Cluster, tmp_path: Path, target: str, slow: str
) -> None:
    # Unaligned: no checkpoint has to come through the backlog before the key groups may move.
    scenario = Scenario(target, (4, 2), unaligned=True, backlog=True)
    (vertex,) = scenario.vertices
    with running(cluster, scenario.spec(), tmp_path) as job:
        await_until(lambda: job.state() == "RUNNING", "the job to run", LIMIT_S)
        job.await_records(vertex, 500)
        await_until(lambda: apart_ms(job, vertex) > APART_MS, f"event times {APART_MS} ms apart", LIMIT_S, 0.1)
        now = job.vertex(vertex)
        hottest = max(now.key_groups, key=lambda group: group.records)
        behind = now.placement[hottest.id]
        others = [subtask for subtask in now.active if subtask != behind]
        retired = {behind, others[0]} if slow == "retires" else set(others[:2])
        last = ended(job, begin(job, retiring(now, retired)))
        assert last.phase is Phase.COMPLETED, last.reason
        assert set(job.vertex(vertex).active) == set(now.active) - retired
        job.finish()
        job.assert_never_failed()
        for query in (None, *TARGETS[target].also):
            job.assert_exact(query)
