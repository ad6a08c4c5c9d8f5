"""Slots that do not come, and come without the plug-in: the wait is bounded and the reason is clear."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.command import Pyctl
from harness.job import Job, JobSpec, running
from harness.limits import LIMIT_S
from harness.plans import begin, ended, planned, post
from harness.processes import ProcessCluster
from harness.stock import stock_task_manager
from pyctl.model import Phase

GIVEN_UP_S = 12
START_S = 40
"""A TaskManager is up by then."""
SPEC = JobSpec(
    "count", 2,
    options={
        "drrs.operators": "count", "drrs.ceiling": "12", "drrs.provisioning.check-slots": "false",
        "drrs.provisioning.timeout": f"{GIVEN_UP_S} s",
    },
)  # fmt: skip
TOO_MANY = 10
"""One more than the slots of the cluster."""


def ask_for_too_many(job: Job) -> str:
    return begin(job, planned(job, "count", TOO_MANY))


@pytest.mark.covers("failures: slots that never come, given up after `drrs.provisioning.timeout`")
def test_slots_that_never_come_are_given_up_after_the_limit(cluster: ProcessCluster, tmp_path: Path) -> None:
    with running(cluster, SPEC, tmp_path) as job:
        job.await_records("count", 1_000)
        before = job.vertex("count")
        since = time.monotonic()
        last = ended(job, ask_for_too_many(job))
        assert time.monotonic() - since > GIVEN_UP_S - 1
        # Meanwhile the resource manager has said that it has none; a TaskManager that joins later counts all the same.
        assert "Could not acquire the minimum required resources" in (cluster.logs / "jobmanager.log").read_text()
        assert last.phase is Phase.ABORTED
        assert last.reason is not None
        assert "drrs.provisioning.timeout" in last.reason
        assert str(GIVEN_UP_S * 1000) in last.reason
        now = job.vertex("count")
        assert (now.active, now.placement) == (before.active, before.placement)
        # The slots that had come are free again.
        job.rescale("count", 5)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.refuses("requests: a TaskManager without the plug-in")
def test_taskmanager_without_plugin_is_named(cluster: ProcessCluster, tmp_path: Path, pyctl: Pyctl) -> None:
    with running(cluster, JobSpec("count", 2), tmp_path) as job, stock_task_manager(cluster.local) as name:

        def seen() -> bool:
            return any(tm.id == name and tm.armed is False for tm in cluster.client.overview().task_managers)

        await_until(seen, f"the overview to show {name} as not armed", LIMIT_S)
        _, found = post(cluster, job.id, planned(job, "count", 4))
        assert set(found) == {"PLUGIN_MISSING_ON_TASKMANAGER"}
        assert name in found["PLUGIN_MISSING_ON_TASKMANAGER"]
        assert pyctl("rescale", job.id, "count", "-p", "4").refusals() == [found["PLUGIN_MISSING_ON_TASKMANAGER"]]
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.matrix
@pytest.mark.covers("failures: a slot that comes on a TaskManager without the plug-in")
def test_slot_of_a_taskmanager_without_plugin_ends_the_rescale_and_names_it(
    cluster: ProcessCluster, tmp_path: Path
) -> None:
    options = {
        **SPEC.options, "drrs.after-failover": "ROLL_BACK", "drrs.provisioning.timeout": f"{START_S} s"
    }  # fmt: skip
    with running(cluster, replace(SPEC, options=options), tmp_path) as job:
        job.await_records("count", 1_000)
        before = job.vertex("count").placement
        request_id = ask_for_too_many(job)
        with stock_task_manager(cluster.local) as name:
            last = ended(job, request_id)
            assert last.phase in {Phase.ABORTED, Phase.FAILED}
            reasons = " ".join(time.reason for time in last.phases if time.reason)
            assert name in reasons, reasons
        await_until(
            lambda: job.state() == "RUNNING" and job.vertex("count").placement == before, "the old placement", LIMIT_S
        )
        job.finish()
        job.assert_exact_but_repeated()
