"""What each live strategy keeps: exact output with a backlog and event time, checkpoints, savepoints, abort.

`test_failover.py` has the loss of a TaskManager, `test_refusals.py` options that a strategy does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from drrs_jobs.waiting import await_until
from harness.cluster import Cluster
from harness.contract import ABLATIONS, DRRS, IN_BINS, LAZY, MECHANISMS, ON_ACCESS, OTHERS, REMOTE, Mechanism
from harness.job import Job, running
from harness.limits import LIMIT_S
from harness.plans import begin, ended, passing, proposed
from harness.scenarios import TARGETS, Scenario
from pyctl.model import Phase, Rescale

Walk = tuple[Mechanism, Mechanism, Mechanism]
"""Those of a rescale that is withdrawn, of the way out, and of the way in."""

# Each ablation has one of the three; in the matrix each has all. What waits for a checkpoint to end has the two
# that do not wait until one is due. `lazy` and `remote` have all but the transport in common, `otfs` and `megaphone`
# all but the order.
*_STEPS, _OTFS = OTHERS
SHORT: list[Walk] = [
    *((one, one, one) for one in _STEPS),
    (_OTFS, _OTFS, IN_BINS),
    (ABLATIONS[0], ABLATIONS[1], ABLATIONS[2]),
    (LAZY, ON_ACCESS, REMOTE),
]
QUERIES = ("count", "q5", "q11", "states")


def rescale(job: Job, vertex: str, parallelism: int, how: Mechanism) -> Rescale:
    last = ended(job, begin(job, proposed(job, vertex, parallelism, how)))
    assert (last.phase, last.strategy) == (Phase.COMPLETED, how.strategy), f"{how}: {last.reason}"
    assert job.vertex(vertex).parallelism == parallelism
    assert how.direct or last.records.rerouted == 0, how
    assert how is not IN_BINS or last.records.bins > last.key_groups.moved, "key groups came as a whole"
    return last


def withdraw(job: Job, vertex: str, parallelism: int, how: Mechanism) -> None:
    """Abort one while key groups move, and find all as it was."""
    before = job.vertex(vertex)
    asked = begin(job, proposed(job, vertex, parallelism, how))
    passing(job, asked, Phase.MIGRATING)
    job.cluster.client.abort(job.id, asked)
    last = ended(job, asked)
    assert last.phase is Phase.ABORTED, f"{how}: {last.reason}"
    after = job.vertex(vertex)
    assert (after.parallelism, after.active, after.placement) == (before.parallelism, before.active, before.placement)


def savepoint(job: Job, directory: Path) -> str:
    """Ask for one; its id."""
    asked = {"target-directory": str(directory), "cancel-job": False}
    return str(job.cluster.post(f"/jobs/{job.id}/savepoints", asked).json()["request-id"])


def assert_written(job: Job, trigger: str) -> None:
    path = f"/jobs/{job.id}/savepoints/{trigger}"
    await_until(lambda: job.cluster.get(path)["status"]["id"] == "COMPLETED", "the savepoint to end", LIMIT_S)
    found = job.cluster.get(path)
    assert "location" in found["operation"], found


def walk(cluster: Cluster, directory: Path, query: str, hows: Sequence[Mechanism], unaligned: bool) -> None:
    """A job from 2 to 4 subtasks and back, before that on the way to 3 and withdrawn while there is a backlog."""
    target = TARGETS[query]
    spec = Scenario(query, (2, 4, 2), unaligned, backlog=True).spec()
    # In files: beside them is what goes through shared storage.
    options = {**spec.options, "execution.checkpointing.dir": (directory / "checkpoints").as_uri()}
    spec = replace(spec, checkpoint_ms=200, options=options)
    withdrawn, out, back = hows
    with running(cluster, spec, directory) as job:
        job.await_records(query, target.before)
        if target.row_a_bid:
            job.await_number(target.hot_key, 20)
        withdraw(job, query, 3, withdrawn)
        asked = begin(job, proposed(job, query, 4, out))
        trigger = savepoint(job, directory / "savepoint")
        done = [ended(job, asked)]
        assert (done[0].phase, done[0].strategy) == (Phase.COMPLETED, out.strategy), f"{out}: {done[0].reason}"
        assert_written(job, trigger)
        (written,) = (one["trigger_timestamp"] for one in job.checkpoints("COMPLETED") if one["is_savepoint"])
        assert not out.stepwise or written < (done[0].ended_at or 0), "the savepoint came too late to be between steps"
        done.append(rescale(job, query, 2, back))
        job.await_rows()
        job.assert_checkpoints_went_on(done)
        job.finish()
        job.assert_never_failed()
        for rows in (None, *target.also):
            job.assert_exact(rows)


def walks(of: Sequence[Walk]) -> list[ParameterSet]:
    return [pytest.param(hows, id=" ".join(dict.fromkeys(map(str, hows)))) for hows in of]


@pytest.mark.parametrize("hows", walks(SHORT))
@pytest.mark.covers("requests: each strategy and ablation, with a backlog, a savepoint and an abort", path=(2, 4, 2))
def test_each_strategy_keeps_the_contract(cluster: Cluster, tmp_path: Path, hows: Walk) -> None:
    walk(cluster, tmp_path, "count", hows, unaligned=False)


@pytest.mark.matrix
@pytest.mark.parametrize("hows", walks([(one, one, one) for one in MECHANISMS if one is not DRRS]))
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("unaligned", [False, True], ids=["aligned", "unaligned"])
@pytest.mark.covers("requests: each strategy and ablation, with a backlog, a savepoint and an abort", path=(2, 4, 2))
def test_each_strategy_keeps_the_contract_in_the_matrix(
    cluster: Cluster, tmp_path: Path, hows: Walk, query: str, unaligned: bool
) -> None:
    walk(cluster, tmp_path, query, hows, unaligned)
