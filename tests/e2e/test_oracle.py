"""A rescale in the midst of a job leaves its output exact: nothing lost, nothing twice, nothing late."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.cluster import Cluster
from harness.job import Job, running
from harness.workload import expected
from pyctl.model import Rescale
from scenarios import SHORT, TARGETS, Scenario, matrix

# Events at the operator before the first and between two rescales: in the midst of the stream on any machine.
BEFORE = 2_000
BETWEEN = 2_000


@pytest.mark.parametrize("scenario", SHORT, ids=str)
def test_output_is_exact(cluster: Cluster, tmp_path: Path, scenario: Scenario) -> None:
    check(cluster, tmp_path, scenario)


@pytest.mark.matrix
@pytest.mark.parametrize("scenario", list(matrix()), ids=str)
def test_output_is_exact_in_the_matrix(cluster: Cluster, tmp_path: Path, scenario: Scenario) -> None:
    check(cluster, tmp_path, scenario)


def check(cluster: Cluster, directory: Path, scenario: Scenario) -> None:
    with running(cluster, scenario.spec(), directory) as job:
        rescales = climb(job, scenario)
        job.await_finished()
        job.assert_never_failed()
        job.assert_exact()
        if scenario.target == "count":
            job.assert_exact("event-timers")
        job.assert_checkpoints_went_on(rescales)
        if scenario.backlog:
            assert rescales[0].records.rerouted > 0
            if TARGETS[scenario.target].row_a_bid:
                assert job.backlog(scenario.hot_key, rescales[0].accepted_at) > 100


def climb(job: Job, scenario: Scenario) -> list[Rescale]:
    """All rescales of the scenario, each while records flow."""
    done = []
    records = BEFORE if scenario.target != "q5max" else 300
    for parallelism in scenario.path[1:]:
        job.await_records(scenario.vertex, records)
        done.append(job.rescale(scenario.vertex, parallelism))
        assert job.state() == "RUNNING", "the stream was too short: its end came before that of the rescale"
        records += BETWEEN
    return done


def test_processing_timers_fire_once_each(cluster: Cluster, tmp_path: Path) -> None:
    spec = Scenario("count", (2, 4)).spec()
    spec = type(spec)(**{**vars(spec), "hold": True})
    timers = expected("processing-timers", spec.workload, {})
    with running(cluster, spec, tmp_path) as job:
        job.await_records("count", BEFORE)
        job.rescale("count", 4)
        job.await_rows("processing-timers", sum(int(n) for _, n in timers))
        job.await_rows("event-timers", expected("event-timers", spec.workload, {}).total())
        job.assert_never_failed()
        cluster.end(job.id)
        for query in (None, "event-timers", "processing-timers"):
            job.assert_exact(query)
