"""A JobManager dies in or after a rescale: a standby takes over, and nothing is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness import processes
from harness.job import Job, JobSpec, running
from harness.processes import ProcessCluster
from harness.workload import Workload

SPEC = JobSpec("states", 2, replace(Workload(), events=30_000), options={"drrs.operators": "states"})
TAKEN_OVER_S = 120.0


@pytest.fixture(scope="module")
def available(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessCluster]:
    """Two JobManagers, one of which stands by, and a ZooKeeper."""
    directory = tmp_path_factory.mktemp("available")
    with processes.started(directory, task_managers=2, slots=3, job_managers=2) as one:
        yield one


def lose_the_leader(cluster: ProcessCluster) -> None:
    """Kill it; another one stands by afterwards as before."""
    cluster.local.kill(cluster.local.leader())
    cluster.local.add_job_manager()


def await_takeover(job: Job) -> None:
    """Wait until the job has been restored and has completed a checkpoint since."""

    def back() -> bool:
        if job.cluster.client.flink_version() == "unknown" or job.state() != "RUNNING":
            return False
        latest = job.cluster.get(f"/jobs/{job.id}/checkpoints")["latest"]
        restored, completed = latest["restored"], latest["completed"]
        return bool(restored and completed and completed["id"] > restored["id"])

    await_until(back, "the standby to have taken the job over", TAKEN_OVER_S)


@pytest.mark.covers("failures: loss of the JobManager after a rescale", path=(2, 4))
def test_placement_survives_the_loss_of_the_jobmanager(available: ProcessCluster, tmp_path: Path) -> None:
    with running(available, SPEC, tmp_path) as job:
        job.await_records("states", 2_000)
        status = job.rescale("states", 4)
        placement = job.vertex("states").placement
        await_until(
            lambda: job.checkpoints("COMPLETED")[-1]["trigger_timestamp"] > (status.ended_at or 0),
            "a checkpoint after the rescale", 30,
        )  # fmt: skip
        lose_the_leader(available)
        await_takeover(job)
        now = job.vertex("states")
        assert (now.parallelism, now.placement) == (4, placement)
        job.finish()
        job.assert_exact_but_repeated()
