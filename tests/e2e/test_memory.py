"""State or channels that would not fit where they are to go: refused before anything moves, and the job runs on."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness import processes
from harness.job import BALLAST_BYTES, JobSpec, ballast, running
from harness.limits import LIMIT_S
from harness.plans import begin, ended, planned
from harness.workload import Workload
from pyctl.model import Phase

# A heap of 136 MiB a TaskManager.
SMALL = {
    "taskmanager.memory.process.size": "480m",
    "taskmanager.memory.jvm-metaspace.size": "160m",
    "taskmanager.memory.jvm-overhead.min": "64m",
    "taskmanager.memory.jvm-overhead.max": "64m",
    "taskmanager.memory.framework.heap.size": "64m",
    "taskmanager.memory.framework.off-heap.size": "64m",
    "taskmanager.memory.network.min": "48m",
    "taskmanager.memory.network.max": "48m",
    "taskmanager.memory.managed.size": "8m",
}
KEYS = 5_200
"""About 50 MiB of state a TaskManager, of two."""


@pytest.mark.refuses("state: key groups that do not fit into the heap they are to go to")
def test_key_groups_do_not_go_where_there_is_no_heap_for_them(tmp_path: Path) -> None:
    spec = JobSpec(
        "count", 2, replace(Workload(), events=8_000), checkpoint_ms=2_000,
        arguments=ballast(KEYS),
    )  # fmt: skip
    with (
        processes.started(tmp_path / "cluster", task_managers=2, slots=1, options=SMALL) as cluster,
        running(cluster, spec, tmp_path) as job,
    ):
        job.await_records("count", KEYS + 1_000)
        before = job.vertex("count")
        last = ended(job, begin(job, planned(job, "count", 1)))
        assert last.phase is Phase.ABORTED, last.reason
        assert last.reason is not None
        found = re.search(r"TaskManager (\S+) has (\d+) MiB of heap free .* take about (\d+) MiB", last.reason)
        assert found, last.reason
        name, free, needed = found.group(1), int(found.group(2)), int(found.group(3))
        assert name in {process.name for process in cluster.local.task_managers}
        assert free < needed
        assert KEYS // 2 * BALLAST_BYTES // 2**20 <= needed < 2 * (KEYS // 2 * BALLAST_BYTES // 2**20)
        now = job.vertex("count")
        assert (now.active, now.placement) == (before.active, before.placement)
        await_until(lambda: cluster.client.vertices(job.id).rescale is None, "the end of the rescale", LIMIT_S)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("cluster: little network memory for a high ceiling")
@pytest.mark.refuses("cluster: new subtasks for whose channels there are too few network buffers")
def test_little_network_memory_is_enough_for_what_runs_and_said_to_be_too_little_for_more(tmp_path: Path) -> None:
    network = {"taskmanager.memory.network.min": "1m", "taskmanager.memory.network.max": "1m"}  # 32 buffers
    spec = JobSpec("count", 2, replace(Workload(), events=8_000), checkpoint_ms=1_000, options={"drrs.ceiling": "100"})
    with (
        processes.started(tmp_path / "cluster", task_managers=2, slots=4, options=network) as cluster,
        running(cluster, spec, tmp_path) as job,
    ):
        job.await_records("count", 1_000)
        last = ended(job, begin(job, planned(job, "count", 8)))
        assert last.phase is Phase.ABORTED, last.reason
        assert last.reason is not None
        found = re.search(r"TaskManager (\S+) has (\d+) of its 32 network buffers free and needs (\d+) ", last.reason)
        assert found, last.reason
        name, free, needed = found.group(1), int(found.group(2)), int(found.group(3))
        assert name in {process.name for process in cluster.local.task_managers}
        assert free < needed < 32
        assert "taskmanager.memory.network" in last.reason
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
