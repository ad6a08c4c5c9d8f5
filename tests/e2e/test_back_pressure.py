"""An operator that cannot keep up: aligned checkpoints get stuck in its input, and a rescale is what helps."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.cluster import Cluster
from harness.job import Job, JobSpec, running
from harness.limits import LIMIT_S
from harness.plans import begin, ended, planned
from harness.workload import Workload, expected
from pyctl.model import Phase

PATIENCE_MS = 1_000

# As slow as this until the test has seen what it wants to see.
SLOW = ("--service-us", "4000", "--serve-until-open", "true")
SPEC = JobSpec(
    "count", 2, Workload(events=12_000, rate=8_000), SLOW, checkpoint_ms=300,
    options={
        "drrs.operators": "count", "drrs.checkpoint.patience": f"{PATIENCE_MS} ms",
        # One that counts would fail the job.
        "execution.checkpointing.tolerable-failed-checkpoints": "0",
    },
)  # fmt: skip


def await_stuck_checkpoint(job: Job) -> None:
    """Until a checkpoint is under way that has not come through for a while."""

    def stuck() -> bool:
        since = time.time() * 1000 - PATIENCE_MS
        return any(one["trigger_timestamp"] < since for one in job.checkpoints("IN_PROGRESS"))

    await_until(stuck, "a checkpoint that takes its time", LIMIT_S, 0.1)


def set_back(job: Job) -> list[str]:
    """Why checkpoints were cancelled."""
    details = [job.cluster.get(f"/jobs/{job.id}/checkpoints/details/{one['id']}") for one in job.checkpoints("FAILED")]
    return [str(one["failure_message"]) for one in details]


@pytest.mark.covers("checkpoints: aligned, under full back pressure", pairs=[(2, 4), (4, 3)])
def test_an_aligned_checkpoint_that_is_stuck_gives_way_to_the_rescale(cluster: Cluster, tmp_path: Path) -> None:
    # More than comes through before it may.
    spec = replace(SPEC, workload=Workload(events=40_000, rate=8_000))
    with running(cluster, spec, tmp_path) as job:
        job.await_records("count", 500)
        await_stuck_checkpoint(job)
        rescale = begin(job, planned(job, "count", 4))
        await_until(
            lambda: any("drrs.checkpoint.patience" in why for why in set_back(job)), "it to be set back", LIMIT_S, 0.1
        )
        job.open()
        status = ended(job, rescale)
        assert status.phase is Phase.COMPLETED, status.reason
        job.rescale("count", 3)
        job.await_rows()
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("checkpoints: savepoint under back pressure, which a rescale waits for")
def test_a_savepoint_that_is_under_way_is_waited_for(cluster: Cluster, tmp_path: Path) -> None:
    spec = replace(SPEC, checkpoint_ms=60_000)
    with running(cluster, spec, tmp_path) as job:
        await_until(lambda: job.state() == "RUNNING", "the job to run", LIMIT_S, 0.1)
        await_until(lambda: sum(s.records for s in job.vertex("count").subtasks) > 500, "records", LIMIT_S, 0.1)
        trigger = cluster.post(
            f"/jobs/{job.id}/savepoints", {"target-directory": str(tmp_path / "savepoint"), "cancel-job": False}
        ).json()["request-id"]
        await_until(lambda: bool(job.checkpoints("IN_PROGRESS")), "the savepoint to begin", LIMIT_S, 0.02)
        job.rescale("count", 4)
        status = cluster.get(f"/jobs/{job.id}/savepoints/{trigger}")
        assert status["status"]["id"] == "COMPLETED"
        assert "location" in status["operation"], status
        (savepoint,) = (one for one in job.checkpoints("COMPLETED") if one["is_savepoint"])
        assert savepoint["end_to_end_duration"] > PATIENCE_MS
        job.await_rows()
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("reports: T8, unaligned checkpoints under full back pressure, a side output", path=(4, 6, 3))
def test_side_outputs_are_complete_under_back_pressure_with_unaligned_checkpoints(
    cluster: Cluster, tmp_path: Path
) -> None:
    # More than a slow machine gets through in its rescale; what is left comes at once then.
    workload = Workload(events=60_000, rate=8_000, splits=1)
    spec = JobSpec(
        "fan", 4, workload, SLOW, unaligned=True, checkpoint_ms=300,
        options={"execution.checkpointing.unaligned.forced": "true"},
    )  # fmt: skip
    bids = expected("fan-side", workload, {}).total()
    with running(cluster, spec, tmp_path) as job:
        job.await_records("left", 500)
        out = job.rescale("left", 6)
        # The JobManager counts the records sent to the operator; thousands of them wait in buffers.
        assert job.rows("fan-side").total() < bids, "the data had passed before"
        done = [out, job.rescale("left", 3)]
        job.await_rows()
        job.assert_checkpoints_went_on(done)
        job.finish()
        job.assert_never_failed()
        for query in (None, "fan-side", "fan-placed", "fan-audit"):
            job.assert_exact(query)
