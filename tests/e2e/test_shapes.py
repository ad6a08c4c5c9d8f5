"""Jobs of particular shapes: what their inputs say beside the records, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cluster import Cluster
from harness.job import JobSpec, running
from harness.plans import post
from harness.workload import Workload


@pytest.mark.covers("job shapes: a bounded job that ends by itself, never rescaled")
@pytest.mark.refuses("requests: a rescale of a job that has ended")
def test_bounded_elastic_job_ends_by_itself(cluster: Cluster, tmp_path: Path) -> None:
    with running(cluster, JobSpec("states", 2, Workload(events=4_000), bounded=True), tmp_path) as job:
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
        status, found = post(cluster, job.id, {"vertex": "states", "parallelism": 4})
        assert status in (404, 409)
        assert len(found) == 1, found


@pytest.mark.covers("job shapes: a bounded job that ends by itself after rescales")
@pytest.mark.parametrize("path", [(2, 5), (5, 2), (2, 5, 2), (3, 1, 3)], ids=str)
def test_bounded_job_ends_by_itself_after_rescales(cluster: Cluster, tmp_path: Path, path: tuple[int, ...]) -> None:
    spec = JobSpec("states", path[0], Workload(events=24_000), bounded=True)
    with running(cluster, spec, tmp_path) as job:
        job.await_records("states", 500)
        for parallelism in path[1:]:
            job.rescale("states", parallelism)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
