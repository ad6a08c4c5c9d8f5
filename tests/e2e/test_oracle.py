"""A rescale in the midst of a job leaves its output exact: nothing lost, nothing twice, nothing late."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.cluster import Cluster
from harness.job import running
from harness.oracle import check, marked
from harness.plans import begin, body, ended, planned
from harness.scenarios import IN_PROCESSES, TARGETS, Scenario, matrix
from harness.workload import Workload
from pyctl.model import Phase
from pyctl.planner import Bounds, PlannerOptions
from pyctl.planning import Wish, propose


@pytest.mark.parametrize("scenario", marked(IN_PROCESSES))
def test_output_is_exact(cluster: Cluster, tmp_path: Path, scenario: Scenario) -> None:
    check(cluster, tmp_path, scenario)


@pytest.mark.matrix
@pytest.mark.parametrize("scenario", marked(matrix()))
def test_output_is_exact_in_the_matrix(cluster: Cluster, tmp_path: Path, scenario: Scenario) -> None:
    check(cluster, tmp_path, scenario)


@pytest.mark.covers("time: processing-time timers", path=(2, 4))
@pytest.mark.covers("reports: T7, timers that come due or are deleted while key groups move", path=(2, 4))
def test_processing_timers_fire_once_each(cluster: Cluster, tmp_path: Path) -> None:
    with running(cluster, Scenario("count", (2, 4)).spec(), tmp_path) as job:
        job.await_records("count", TARGETS["count"].before)
        job.rescale("count", 4)
        job.await_rows("processing-timers")
        job.finish()
        job.assert_never_failed()
        for query in (None, "event-timers", "processing-timers"):
            job.assert_exact(query)


@pytest.mark.covers("job shapes: a bounded job that ends in a rescale", path=(2, 4))
def test_a_rescale_that_the_end_of_the_data_meets_does_no_harm(cluster: Cluster, tmp_path: Path) -> None:
    spec = replace(Scenario("states", (2, 4)).spec(), bounded=True, workload=Workload(events=6_000))
    spec = replace(spec, arguments=[*spec.arguments, "--wait-from", "4600"])
    with running(cluster, spec, tmp_path) as job:
        job.await_records("states", 4_000)
        begin(job, planned(job, "states", 4))
        # The rest comes now, with the end behind it.
        # Whether it has completed cannot be asked any more when the job has ended, which may be at once.
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers(
    "reports: T13, skewed keys in 256 key groups: the hottest stays, the order of a key is kept", path=(5, 6)
)
def test_the_hottest_key_group_stays_and_hot_ones_move_first_and_keep_their_order(
    cluster: Cluster, tmp_path: Path
) -> None:
    target = TARGETS["count"]
    spec = Scenario("count", (5, 6), backlog=True).spec()
    with running(cluster, replace(spec, arguments=[*spec.arguments, "--max-parallelism", "256"]), tmp_path) as job:
        job.await_records("count", target.before)
        job.await_number(target.hot_key, 50)
        single = PlannerOptions(bounds=Bounds(max_key_groups=1))
        proposal = propose(cluster.client, job.id, "count", Wish(6), single)
        assert proposal.vertex is not None
        request = body(proposal.request)
        load = {group.id: group.records for group in proposal.vertex.key_groups}
        moved = [load[group] for subscale in request["subscales"] for group in subscale["key_groups"]]
        assert len(moved) == 256 // 6
        assert max(load.values()) not in moved, "the hottest could have stayed"
        assert sum(moved[: len(moved) // 2]) >= sum(moved[len(moved) // 2 :]), moved
        last = ended(job, begin(job, request))
        assert (last.phase, last.key_groups.moved) == (Phase.COMPLETED, 256 // 6)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()  # a row for each bid, numbered by key
