"""A JobManager dies in or after a rescale: a standby takes over, and nothing is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness import processes
from harness.job import ONE_AT_A_TIME, Job, JobSpec, ballast, running
from harness.limits import LIMIT_S
from harness.plans import begin, passing, planned
from harness.processes import ProcessCluster
from harness.workload import Workload
from pyctl.follow import follow
from pyctl.local_cluster.process import JvmProcess
from pyctl.model import Phase

SPEC = JobSpec("states", 2, replace(Workload(), events=30_000), options={"drrs.operators": "states"})


@pytest.fixture(scope="module")
def available(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessCluster]:
    """Two JobManagers, one of which stands by, and a ZooKeeper."""
    directory = tmp_path_factory.mktemp("available")
    with processes.started(directory, task_managers=2, slots=3, job_managers=2) as one:
        yield one


def lose_the_leader(cluster: ProcessCluster, leader: JvmProcess | None = None) -> None:
    """Kill it, who may be known before; another one stands by afterwards as before."""
    cluster.local.kill(leader or cluster.local.leader())
    cluster.local.add_job_manager()


def await_takeover(job: Job) -> None:
    """Wait until the job has been restored and has completed a checkpoint since."""

    def back() -> bool:
        if job.cluster.client.flink_version() == "unknown" or job.state() != "RUNNING":
            return False
        latest = job.cluster.get(f"/jobs/{job.id}/checkpoints")["latest"]
        restored, completed = latest["restored"], latest["completed"]
        return bool(restored and completed and completed["id"] > restored["id"])

    await_until(back, "the standby to have taken the job over", LIMIT_S)


@pytest.mark.covers("failures: loss of the JobManager after a rescale", path=(2, 4))
def test_placement_survives_the_loss_of_the_jobmanager(available: ProcessCluster, tmp_path: Path) -> None:
    with running(available, SPEC, tmp_path) as job:
        job.await_records("states", 2_000)
        status = job.rescale("states", 4)
        placement = job.vertex("states").placement
        job.await_checkpoint_since(status.ended_at or 0)
        lose_the_leader(available)
        await_takeover(job)
        now = job.vertex("states")
        assert (now.parallelism, now.placement) == (4, placement)
        job.finish()
        job.assert_exact_but_repeated()


@pytest.mark.covers("failures: loss of the JobManager in a rescale", path=(2, 4))
@pytest.mark.parametrize("phase", [pytest.param(Phase.PROVISIONING, marks=pytest.mark.matrix), Phase.MIGRATING])
def test_a_rescale_goes_on_under_the_next_jobmanager_and_a_client_goes_on_waiting(
    available: ProcessCluster, tmp_path: Path, phase: Phase
) -> None:
    slow = ballast(1_500)
    options = {**ONE_AT_A_TIME, **SPEC.options}
    with running(available, replace(SPEC, arguments=slow, options=options), tmp_path) as job:
        job.await_records("states", 2_000)
        earlier = job.rescale("states", 3)
        request = planned(job, "states", 4, request_id="kept", cause="a test")
        leader = available.local.leader()  # asking takes time, and the rescale goes on meanwhile
        assert begin(job, request) == "kept"
        passing(job, "kept", phase)
        lose_the_leader(available, leader)

        # A client that has been waiting all the time, and one that comes later.
        *_, last = follow(available.client, job.id, "kept", timeout_s=LIMIT_S)
        assert (last.phase, last.to_parallelism) == (Phase.COMPLETED, 4), last
        kept = available.client.status(job.id, "kept")
        assert (kept.phase, kept.cause) == (Phase.FAILED, "a test")
        assert kept.continued_by == [last.request_id]
        assert available.client.status(job.id, earlier.request_id).phase is Phase.COMPLETED

        await_takeover(job)
        now = job.vertex("states")
        assert now.parallelism == 4 == len(set(now.placement))
        # The same request again is known, also to this JobManager.
        assert available.post(f"/jobs/{job.id}/drrs/rescales", request).json() == {"request_id": "kept"}
        job.finish()
        job.assert_exact_but_repeated()
    journal = available.local.layout.high_availability / "default" / "drrs"
    await_until(lambda: not list(journal.glob("*")), "nothing to be left of a job that is over", LIMIT_S)


@pytest.mark.covers("failures: a drain outlives the JobManager")
def test_a_drained_task_manager_stays_drained_under_the_next_jobmanager(
    available: ProcessCluster, tmp_path: Path
) -> None:
    client = available.client
    with running(available, replace(SPEC, workload=replace(SPEC.workload, events=8_000)), tmp_path) as job:
        job.await_records("states", 1_000)
        drained = available.local.task_managers[0].name
        client.drain(drained)
        try:
            (before,) = client.overview().drains
            lose_the_leader(available)
            await_takeover(job)
            assert client.overview().drains == [before]
            # Its tasks had to start anew, and could not do so there.
            assert drained not in {subtask.task_manager for subtask in job.vertex("states").subtasks}
        finally:
            client.undrain(drained)
        assert client.overview().drains == []
        job.finish()
        job.assert_exact_but_repeated()
