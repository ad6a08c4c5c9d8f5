"""A TaskManager dies after or in a rescale: the job comes back by itself, and its output is exact."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.contract import MECHANISMS, Mechanism
from harness.job import ONE_AT_A_TIME, Job, JobSpec, ballast, running
from harness.limits import LIMIT_S
from harness.plans import begin, body, passing, planned, proposed
from harness.processes import ProcessCluster
from harness.workload import Workload
from pyctl.model import Phase
from pyctl.planner import Bounds, PlannerOptions
from pyctl.planning import Wish, propose

SPEC = JobSpec("states", 2, replace(Workload(), events=30_000), options={"drrs.operators": "states"})


@pytest.fixture
def losing(cluster: ProcessCluster) -> Iterator[ProcessCluster]:
    """The cluster; what was killed is replaced in the end."""
    count = len(cluster.local.task_managers)
    yield cluster
    for _ in range(count - len(cluster.local.task_managers)):
        cluster.local.add_task_manager()
    names = {process.name for process in cluster.local.task_managers}
    await_until(
        lambda: {tm["id"] for tm in cluster.get("/taskmanagers")["taskmanagers"]} == names, "only the living", LIMIT_S
    )


def kill_one_of(cluster: ProcessCluster, job: Job, subtask: int) -> None:
    """Kill the TaskManager that this subtask of the query's operator runs on."""
    owner = next(s.task_manager for s in job.vertex(job.spec.query).subtasks if s.index == subtask)
    assert owner is not None
    cluster.local.kill_task_manager(owner)


def await_recovery(job: Job) -> None:
    """Wait until the job has failed, has been restored, and has completed a checkpoint since."""

    def back() -> bool:
        counts = job.cluster.get(f"/jobs/{job.id}/checkpoints")
        restored = counts["latest"]["restored"]
        completed = counts["latest"]["completed"]
        return bool(restored and completed and completed["id"] > restored["id"] and job.state() == "RUNNING")

    await_until(back, "the job to be back", LIMIT_S)


SURVIVING = {
    "states": "failures: the parallelism reached survives the loss of a TaskManager",
    "many": "failures: the loss of a TaskManager with an operator of three keyed inputs",
    "rules": "failures: the loss of a TaskManager with an operator that has a broadcast input",
}


LONG = {"many": [pytest.mark.matrix]}


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(query, marks=[pytest.mark.covers(of, path=(2, 4)), *LONG.get(query, [])])
        for query, of in SURVIVING.items()
    ],
)
def test_reached_parallelism_survives_the_loss_of_a_taskmanager(
    losing: ProcessCluster, tmp_path: Path, query: str
) -> None:
    with running(losing, replace(SPEC, query=query, options={"drrs.operators": query}), tmp_path) as job:
        job.await_records(query, 2_000)
        status = job.rescale(query, 4)
        placement = job.vertex(query).placement
        job.await_checkpoint_since(status.ended_at or 0)
        kill_one_of(losing, job, 3)
        await_recovery(job)
        now = job.vertex(query)
        assert (now.parallelism, now.placement) == (4, placement)
        job.finish()
        job.assert_exact_but_repeated()


@pytest.mark.covers("failures: failover of operators that scale together", path=(2, 5, 3))
@pytest.mark.parametrize(
    "unaligned", [False, pytest.param(True, marks=pytest.mark.matrix)], ids=["aligned", "unaligned"]
)
def test_operators_that_scale_together_come_back_together(
    losing: ProcessCluster, tmp_path: Path, unaligned: bool
) -> None:
    behind = ("--behind", "forward", "--sink-parallelism", "2")
    with running(losing, replace(SPEC, arguments=behind, unaligned=unaligned), tmp_path) as job:
        job.await_records("states", 2_000)
        status = job.rescale("states", 5)
        job.await_checkpoint_since(status.ended_at or 0)
        kill_one_of(losing, job, 3)
        await_recovery(job)
        assert job.vertex("states").parallelism == 5
        job.rescale("states", 3)
        job.finish()
        job.assert_exact_but_repeated()


def resumed(cluster: ProcessCluster, job: Job) -> bool:
    """Whether the rescale that follows an interrupted one has completed."""
    return any(
        "-after-failover-" in one.request_id and one.phase is Phase.COMPLETED for one in cluster.client.history(job.id)
    )


@pytest.mark.parametrize("phase", [Phase.PROVISIONING, Phase.MIGRATING])
@pytest.mark.covers("failures: a rescale that a TaskManager is lost in goes on after the failover", path=(2, 4))
@pytest.mark.covers("reports: T5, a TaskManager lost after the request", path=(2, 4))
def test_loss_in_a_rescale_ends_it_with_a_reason(losing: ProcessCluster, tmp_path: Path, phase: Phase) -> None:
    slow = ballast(1_500)
    options = {**ONE_AT_A_TIME, **SPEC.options}
    with running(losing, replace(SPEC, arguments=slow, options=options), tmp_path) as job:
        job.await_records("states", 2_000)
        request_id = begin(job, planned(job, "states", 4))
        passing(job, request_id, phase)
        kill_one_of(losing, job, 0)
        await_recovery(job)
        last = losing.client.status(job.id, request_id)
        assert last.phase is Phase.FAILED
        assert last.reason
        await_until(lambda: resumed(losing, job), "the rescale to go on after the failover", LIMIT_S)
        now = job.vertex("states")
        assert now.parallelism == 4 == len(set(now.placement))
        job.finish()
        job.assert_exact_but_repeated()


@pytest.mark.covers("reports: T6, a checkpoint in mid-migration is what a failover goes back to", path=(2, 4))
def test_a_checkpoint_between_two_subscales_is_restored_exactly(losing: ProcessCluster, tmp_path: Path) -> None:
    slow = ballast(3_000)
    options = {**ONE_AT_A_TIME, **SPEC.options}
    with running(losing, replace(SPEC, arguments=slow, options=options, checkpoint_ms=100), tmp_path) as job:
        job.await_records("states", 2_000)
        single = PlannerOptions(bounds=Bounds(max_key_groups=1))
        request = body(propose(losing.client, job.id, "states", Wish(4), single).request)
        request_id = begin(job, request)

        def between() -> bool:
            """Whether a checkpoint that was taken after some of the key groups had moved has completed."""
            status = losing.client.status(job.id, request_id)
            assert not status.phase.terminal, "ended before a checkpoint fell into it"
            if status.key_groups.moved == 0:
                return False
            times.setdefault("moved", time.time() * 1000)
            return bool(job.checkpoints("COMPLETED")[-1]["trigger_timestamp"] > times["moved"])

        times: dict[str, float] = {}
        await_until(between, "a checkpoint in mid-migration", LIMIT_S, 0.01)
        kill_one_of(losing, job, 0)
        await_recovery(job)
        assert losing.client.status(job.id, request_id).phase is Phase.FAILED
        await_until(lambda: resumed(losing, job), "the rescale to go on after the failover", LIMIT_S)
        assert job.vertex("states").parallelism == 4
        job.finish()
        job.assert_exact_but_repeated()


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(one, id=str(one), marks=[] if one.name == "reference" else [pytest.mark.matrix])
        for one in MECHANISMS
    ],
)
@pytest.mark.covers("failures: a TaskManager lost in a rescale with each strategy and ablation", path=(2, 4))
def test_each_strategy_goes_on_after_a_failover(losing: ProcessCluster, tmp_path: Path, how: Mechanism) -> None:
    options = {**ONE_AT_A_TIME, **SPEC.options}
    with running(losing, replace(SPEC, arguments=ballast(1_500), options=options, checkpoint_ms=200), tmp_path) as job:
        job.await_records("states", 2_000)
        request_id = begin(job, proposed(job, "states", 4, how))
        passing(job, request_id, Phase.MIGRATING)
        kill_one_of(losing, job, 0)
        await_recovery(job)
        assert losing.client.status(job.id, request_id).phase is Phase.FAILED
        await_until(lambda: resumed(losing, job), "the rescale to go on after the failover", LIMIT_S)
        assert {one.strategy for one in losing.client.history(job.id)} == {how.strategy}
        assert job.vertex("states").parallelism == 4
        job.finish()
        job.assert_exact_but_repeated()
