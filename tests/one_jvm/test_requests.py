"""Requests that are good one by one, and meet each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.cluster import Cluster
from harness.command import Pyctl
from harness.job import ONE_AT_A_TIME, JobSpec, ballast, running
from harness.limits import LIMIT_S
from harness.plans import begin, body, ended, passing, planned, post
from harness.workload import Workload
from pyctl.model import Phase
from pyctl.planner import Bounds, PlannerOptions
from pyctl.planning import Wish, propose

# State enough, and moved one key group at a time: the rescale takes a while.
SLOW = JobSpec(
    "count", 2, arguments=ballast(1_500), options=ONE_AT_A_TIME
)  # fmt: skip


@pytest.mark.covers("requests: the same request sent twice is one action", path=(2, 4))
@pytest.mark.covers("reports: T16, the new parallelism shows everywhere, the history has cause and times", path=(2, 4))
@pytest.mark.refuses("reports: T17, a second request while the first is under way")
@pytest.mark.refuses("requests: a second rescale of an operator in the first")
def test_same_id_twice_is_one_action_and_another_one_is_refused_meanwhile(
    cluster: Cluster, tmp_path: Path, pyctl: Pyctl
) -> None:
    with running(cluster, SLOW, tmp_path) as job:
        job.await_records("count", 2_000)
        first = planned(job, "count", 4, request_id="first", cause="a test")
        address = f"/jobs/{job.id}/drrs/rescales"
        for _ in range(2):
            answer = cluster.post(address, first)
            assert (answer.status_code, answer.json()) == (202, {"request_id": "first"})

        status, found = post(cluster, job.id, first | {"request_id": "second"})
        assert status == 409
        assert set(found) == {"RESCALE_IN_PROGRESS"}
        assert "first" in found["RESCALE_IN_PROGRESS"]

        assert ended(job, "first").phase is Phase.COMPLETED
        now = job.vertex("count")
        assert (now.parallelism, job.shown(now.vertex_id)) == (4, 4)
        (shown,) = [one for one in pyctl("jobs", "--json").document["jobs"] if one["jid"] == job.id]
        assert [vertex["parallelism"] for vertex in shown["vertices"]] == [4]
        answer = cluster.post(address, first)
        assert (answer.status_code, answer.json()) == (202, {"request_id": "first"})
        (entry,) = cluster.client.history(job.id)
        assert (entry.request_id, entry.cause) == ("first", "a test")
        assert (entry.from_parallelism, entry.to_parallelism) == (2, 4)
        assert [time.phase for time in entry.phases] == [
            "PLANNED",
            "PROVISIONING",
            "MIGRATING",
            "RETIRING",
            "COMPLETED",
        ]
        assert all(time.duration_ms is not None and time.duration_ms >= 0 for time in entry.phases)

        status, found = post(cluster, job.id, planned(job, "count", 5) | {"parallelism": 4})
        assert set(found) == {"PLAN_INVALID"}
        answer = cluster.post(f"{address}/first/abort", {})
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "NOT_ABORTABLE")
        job.finish()
        assert job.shown(now.vertex_id) == 4, "of a job that has ended"
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("requests: `pyctl rescale --wait`, `status` and `history`", path=(2, 3))
def test_pyctl_waits_shows_and_tells_how_it_ended(cluster: Cluster, tmp_path: Path, pyctl: Pyctl) -> None:
    with running(cluster, JobSpec("states", 2), tmp_path) as job:
        job.await_records("states", 2_000)
        done = pyctl("rescale", job.id, "states", "-p", "3", "--wait", "--timeout", str(LIMIT_S), "--json")
        assert done.code == 0, done
        assert done.document["phase"] == "COMPLETED"
        assert pyctl("status", job.id, "--json").document["to_parallelism"] == 3
        assert len(pyctl("history", job.id, "--json").document["rescales"]) == 1
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.parametrize("phase", [Phase.PROVISIONING, Phase.MIGRATING])
@pytest.mark.covers("directions: abort, back to the old parallelism")
def test_abort_goes_back_to_the_old_parallelism(cluster: Cluster, tmp_path: Path, phase: Phase) -> None:
    with running(cluster, SLOW, tmp_path) as job:
        job.await_records("count", 2_000)
        before = job.vertex("count")
        request_id = begin(job, planned(job, "count", 4))
        passing(job, request_id, phase)
        cluster.client.abort(job.id, request_id)
        last = ended(job, request_id)
        assert last.phase is Phase.ABORTED, last.reason
        assert last.reason
        after = job.vertex("count")
        assert (after.parallelism, after.active, after.placement) == (2, before.active, before.placement)
        # What was withdrawn can be asked for again.
        job.rescale("count", 3)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("requests: several operators in one request")
@pytest.mark.covers("requests: the second while the first is under way leaves the first alone")
@pytest.mark.refuses("requests: a rescale of an operator next to one that is being rescaled")
def test_operators_one_behind_the_other(cluster: Cluster, tmp_path: Path, pyctl: Pyctl) -> None:
    windows = ("--hop-size-ms", "2000", "--hop-slide-ms", "500")
    spec = JobSpec(
        "q5", 2, replace(Workload(), events=24_000), windows, SLOW.options, {"size_ms": 2000, "slide_ms": 500}
    )
    with running(cluster, spec, tmp_path) as job:
        job.await_records("q5", 1_000)
        single = PlannerOptions(bounds=Bounds(max_key_groups=1))
        first = body(propose(cluster.client, job.id, "q5", Wish(4), single).request) | {"request_id": "first"}
        second = planned(job, "q5max", 3, request_id="second")
        address = f"/jobs/{job.id}/drrs/rescales"
        assert cluster.post(address, first).status_code == 202
        status, found = post(cluster, job.id, second)
        assert status == 409
        assert set(found) == {"RESCALE_IN_PROGRESS"}
        assert "Rescale first of operator q5, which sends records to q5max," in found["RESCALE_IN_PROGRESS"]
        alone = ended(job, "first")
        assert (alone.phase, alone.key_groups.moved) == (Phase.COMPLETED, 64)
        assert cluster.post(address, second).json() == {"request_id": "second"}
        assert ended(job, "second").phase is Phase.COMPLETED

        done = pyctl("rescale", job.id, "q5=3", "q5max=5", "--wait", "--json")
        assert done.code == 0, done
        parts = [(p["vertex_id"], p["from_parallelism"], p["to_parallelism"]) for p in done.document["parts"]]
        assert parts == [(job.vertex("q5").vertex_id, 4, 3), (job.vertex("q5max").vertex_id, 3, 5)]
        assert (job.vertex("q5").parallelism, job.vertex("q5max").parallelism) == (3, 5)
        ids = [rescale.request_id for rescale in cluster.client.history(job.id)]
        assert ids == [done.document["request_id"], "second", "first"]
        job.await_rows()
        job.assert_checkpoints_went_on(cluster.client.history(job.id))
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
