"""Jobs of particular shapes: what their inputs say beside the records, and how they end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.cluster import Cluster
from harness.job import JobSpec, running
from harness.limits import LIMIT_S
from harness.plans import post
from harness.scenarios import TARGETS, Scenario
from harness.workload import Second, Workload


@pytest.mark.covers("time: record attributes, where the source works off a backlog", path=(2, 3, 1))
def test_record_attributes_reach_the_consumers_of_new_subtasks(cluster: Cluster, tmp_path: Path) -> None:
    spec = Scenario("fan", (4, 5)).spec()
    spec = replace(spec, arguments=[*spec.arguments, "--backlog", "true"])
    with running(cluster, spec, tmp_path) as job:
        job.await_records("right", 500)
        job.rescale("right", 3)
        assert {row[1] for row in job.rows("fan-attributes")} == {1}, "the backlog ended before the rescale did"
        job.open()
        await_until(lambda: job.rows("fan-attributes").total() >= 6, "the end of the backlog to be heard", LIMIT_S, 0.1)
        job.rescale("right", 1)
        job.finish()
        job.assert_never_failed()
        for query in (None, "fan-attributes", *TARGETS["fan"].also):
            job.assert_exact(query)


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
@pytest.mark.parametrize(
    "path",
    [(2, 5, 2), (3, 1, 3), *(pytest.param(path, marks=pytest.mark.matrix) for path in ((2, 5), (5, 2)))],
    ids=str,
)
def test_bounded_job_ends_by_itself_after_rescales(cluster: Cluster, tmp_path: Path, path: tuple[int, ...]) -> None:
    spec = JobSpec("states", path[0], Workload(events=8_000), ("--wait-from", "6000"), bounded=True)
    with running(cluster, spec, tmp_path) as job:
        job.await_records("states", 500)
        for parallelism in path[1:]:
            job.rescale("states", parallelism)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("job shapes: an input that ends while others go on, rescaled before and afterwards", path=(2, 5, 3))
def test_input_that_ends_while_others_go_on(cluster: Cluster, tmp_path: Path) -> None:
    workload = Workload(events=16_000, rate=1_000, second=Second(lead_ms=1_000, events=8_000))
    with running(cluster, JobSpec("count", 2, workload, ("--timers", "true")), tmp_path) as job:
        job.await_records("count", 1_000)
        job.rescale("count", 5)
        await_until(lambda: job.states_of("relay") == {"FINISHED"}, "the second input to end", LIMIT_S, 0.1)
        job.rescale("count", 3)
        job.finish()
        job.assert_never_failed()
        for query in (None, "event-timers"):
            job.assert_exact(query)
