"""What the oracle says of a job that is rescaled while records flow: its output is exact."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from harness.cluster import Cluster
from harness.job import Job, running
from harness.scenarios import TARGETS, Scenario
from pyctl.model import Rescale


def marked(scenarios: Iterable[Scenario]) -> list[ParameterSet]:
    """Parameters that carry the features of their scenario."""
    return [pytest.param(one, id=str(one), marks=one.marks) for one in scenarios]


def check(cluster: Cluster, directory: Path, scenario: Scenario) -> None:
    """Walk the path of the scenario; compare what the job has put out with the reference."""
    target = TARGETS[scenario.target]
    with running(cluster, scenario.spec(), directory) as job:
        rescales = climb(job, scenario)
        job.await_rows()
        job.assert_checkpoints_went_on(rescales)
        job.finish()
        job.assert_never_failed()
        for query in (None, *target.also):
            job.assert_exact(query)
        if scenario.backlog:
            # An aligned checkpoint lets the rescale go on only when it has come through the backlog.
            assert rescales[0].records.rerouted > 0 or not scenario.unaligned
            if target.row_a_bid:
                assert job.backlog(target.hot_key, rescales[0].accepted_at) > 100


def climb(job: Job, scenario: Scenario) -> list[Rescale]:
    """All rescales of the scenario, each while records flow."""
    done: list[Rescale] = []
    target = TARGETS[scenario.target]
    records = target.before
    for parallelism in scenario.path[1:]:
        for vertex in target.vertices:
            wanted = target.parallelism(vertex, parallelism)
            if job.vertex(vertex).parallelism == wanted:
                continue
            if scenario.drift_limit and not done:
                # From the start of the job on: it is held as long as there are events to come, and no longer.
                job.await_held_source("nexmark source-2")
            job.await_records(vertex, records)
            if scenario.backlog and target.row_a_bid:
                job.await_number(target.hot_key, 50)
            done.append(job.rescale(vertex, wanted))
        records += target.between
    return done
