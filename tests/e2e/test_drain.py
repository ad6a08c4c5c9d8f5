"""A TaskManager is emptied while its jobs run on, stays empty, and is used again once that is allowed."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.cluster import Cluster
from harness.command import Pyctl, assert_plain
from harness.job import Job, JobSpec, running
from harness.limits import LIMIT_S
from harness.plans import planned, post
from harness.processes import ProcessCluster
from harness.workload import Workload
from pyctl.client import Client

LONG = replace(Workload(), events=40_000)
COUNT = JobSpec("count", 2, LONG, ("--timers", "true"))


@pytest.fixture
def draining(cluster: ProcessCluster) -> Iterator[ProcessCluster]:
    """The cluster; in the end nothing is drained and as many TaskManagers run as before."""
    count = len(cluster.local.task_managers)
    yield cluster
    for drain in cluster.client.overview().drains:
        cluster.client.undrain(drain.task_manager)
    for _ in range(count - len(cluster.local.task_managers)):
        cluster.local.add_task_manager()
    await_until(lambda: registered(cluster) == names(cluster), "only the living", LIMIT_S)


def names(cluster: ProcessCluster) -> list[str]:
    return sorted(process.name for process in cluster.local.task_managers)


def registered(cluster: Cluster) -> list[str]:
    return sorted(tm["id"] for tm in cluster.get("/taskmanagers")["taskmanagers"])


def free_slots(cluster: Cluster, task_manager: str) -> int:
    """As Flink says."""
    return int(cluster.get(f"/taskmanagers/{task_manager}")["freeSlots"])


def on(job: Job, task_manager: str) -> list[str]:
    """All tasks of the job that Flink has there, by vertex name and subtask."""
    vertices = job.cluster.get(f"/jobs/{job.id}")["vertices"]
    return [
        f"{vertex['name']} ({subtask['subtask']})"
        for vertex in vertices
        for subtask in job.cluster.get(f"/jobs/{job.id}/vertices/{vertex['id']}")["subtasks"]
        if subtask["taskmanager-id"] == task_manager and subtask["status"] == "RUNNING"
    ]


def used_by(job: Job, vertex: str) -> set[str]:
    return {str(subtask.task_manager) for subtask in job.vertex(vertex).subtasks}


def only(client: Client, all_of_them: Sequence[str], *usable: str) -> None:
    """Drain all but these, without moving anything."""
    for name in all_of_them:
        if name in usable and name in {d.task_manager for d in client.overview().drains}:
            client.undrain(name)
        elif name not in usable:
            client.drain(name)


@pytest.mark.covers("directions: a TaskManager is drained and can be stopped")
def test_a_drained_task_manager_is_empty_and_can_be_stopped(
    draining: ProcessCluster, pyctl: Pyctl, tmp_path: Path
) -> None:
    first, second, third = names(draining)
    only(draining.client, names(draining), first, second)
    with running(draining, COUNT, tmp_path) as job:
        job.await_records("count", 500)
        assert on(job, third) == []
        only(draining.client, names(draining), third)
        job.rescale("count", 4)
        only(draining.client, names(draining), *names(draining))
        moved = {s.index: s for s in job.vertex("count").subtasks if s.task_manager == third}
        assert set(moved) == {2, 3}

        job.await_records("count", 3_000)
        done = pyctl("drain", third, "--json", "--timeout", str(LIMIT_S))
        assert done.code == 0, done
        (handover,) = done.document["handovers"]
        assert (handover["retiring"], handover["phase"]) == ([2, 3], "COMPLETED")
        assert done.document["staying"] == []
        assert on(job, third) == []
        assert job.vertex("count").parallelism == 4
        await_until(lambda: free_slots(draining, third) == 3, "its slots to be free", LIMIT_S)
        status = draining.client.status(job.id, handover["request_id"])
        assert status.key_groups.moved == status.key_groups.total == status.min_key_groups
        assert status.key_groups.total == sum(s.key_groups for s in moved.values())

        draining.local.kill_task_manager(third, signal.SIGTERM)
        await_until(lambda: registered(draining) == [first, second], f"{third} to be gone", LIMIT_S)
        job.await_rows()
        job.assert_checkpoints_went_on([status])
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
        job.assert_exact("event-timers")


@pytest.mark.covers("directions: nothing is placed on a drained TaskManager until it is undrained", path=(2, 5))
def test_nothing_is_placed_on_a_drained_task_manager_until_it_is_undrained(
    draining: ProcessCluster, pyctl: Pyctl, tmp_path: Path
) -> None:
    first, second, third = names(draining)
    assert pyctl("drain", third).code == 0
    with running(draining, replace(COUNT, options={"drrs.ceiling": "8"}), tmp_path) as job:
        job.await_records("count", 500)
        assert on(job, third) == []
        # Six slots are left of nine, two of them are in use.
        status, found = post(draining, job.id, planned(job, "count", 7))
        assert (status, set(found)) == (409, {"NOT_ENOUGH_SLOTS"})
        assert "5 more slots, 4 are free: 1 missing" in found["NOT_ENOUGH_SLOTS"]
        job.rescale("count", 5)
        assert used_by(job, "count") == {first, second}
        assert free_slots(draining, third) == 3

        undrained = pyctl("undrain", third)
        assert (undrained.code, undrained.out) == (0, f"{third} is in use again\n")
        job.rescale("count", 7)
        assert third in used_by(job, "count")
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("failures: a failover does not go back to a drained TaskManager")
def test_a_failover_does_not_go_back_to_a_drained_task_manager(
    draining: ProcessCluster, pyctl: Pyctl, tmp_path: Path
) -> None:
    first, second, third = names(draining)
    only(draining.client, names(draining), first)
    spec = JobSpec("states", 2, LONG, options={"drrs.operators": "states"})
    with running(draining, spec, tmp_path) as job:
        job.await_records("states", 1_000)
        only(draining.client, names(draining), first, second, third)
        # The sources stay, and with them the slots.
        done = pyctl("drain", first, "--json")
        assert done.code == 0, done
        assert used_by(job, "states") <= {second, third}
        assert {task["name"].partition(":")[0] for task in done.document["staying"]} >= {"Source"}
        assert all(task["reason"] for task in done.document["staying"])
        victim = next(iter(used_by(job, "states")))
        last = job.checkpoints("COMPLETED")[-1]["id"]
        await_until(lambda: job.checkpoints("COMPLETED")[-1]["id"] > last, "a checkpoint after the drain", LIMIT_S)
        draining.local.kill_task_manager(victim)
        draining.local.add_task_manager()

        def back() -> bool:
            latest = draining.get(f"/jobs/{job.id}/checkpoints")["latest"]
            return bool(latest["restored"] and latest["completed"]["id"] > latest["restored"]["id"])

        await_until(back, "the job to be back", LIMIT_S)
        assert on(job, first) == []
        assert free_slots(draining, first) == 3
        job.finish()
        job.assert_exact_but_repeated()


@pytest.mark.refuses("directions: a drain for which there is no dormant subtask or no slot")
def test_a_drain_that_cannot_be_done_touches_nothing(draining: ProcessCluster, pyctl: Pyctl, tmp_path: Path) -> None:
    first, second, third = names(draining)
    only(draining.client, names(draining), first)
    spec = replace(COUNT, parallelism=3, options={"drrs.ceiling": "3"})
    with running(draining, spec, tmp_path) as job:
        job.await_records("count", 500)
        before = job.vertex("count").active
        # The ceiling is reached, all of its subtasks are there, and no other TaskManager has a slot to give.
        sentences = pyctl("drain", first).refusals()
        assert any("count of job" in one and "at most 3" in one for one in sentences), sentences
        for sentence in sentences:
            assert_plain(sentence)
        assert pyctl("drain", first, "--onto-remaining", "--json").code == 3
        overview = draining.client.overview()
        assert {drain.task_manager for drain in overview.drains} == {second, third}
        assert job.vertex("count").active == before
        assert draining.client.history(job.id) == []
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("directions: a drain onto the remaining subtasks", path=(3, 2))
def test_without_a_slot_elsewhere_the_remaining_take_over_if_allowed(
    draining: ProcessCluster, pyctl: Pyctl, tmp_path: Path
) -> None:
    first, second, third = names(draining)
    only(draining.client, names(draining), first)
    with running(draining, replace(COUNT, parallelism=2), tmp_path) as job:
        job.await_records("count", 500)
        only(draining.client, names(draining), second)
        job.rescale("count", 3)
        only(draining.client, names(draining), first, second)
        blocker = JobSpec("count", 3, replace(LONG, splits=3))
        with running(draining, blocker, tmp_path / "blocker", alone=False) as other:
            other.await_records("count", 1)
            assert sum(tm.free_slots for tm in draining.client.overview().task_managers if tm.id != third) == 0
            (fault,) = pyctl("drain", second, "--json").document["errors"]
            assert fault["code"] == "NOT_ENOUGH_SLOTS"
            assert "0 are free" in fault["message"]
            done = pyctl("drain", second, "--onto-remaining", "--json", "--timeout", str(LIMIT_S))
            assert done.code == 0, done
            mine = [one for one in done.document["handovers"] if one["job_id"] == job.id]
            assert [(one["retiring"], one["activated"], one["to_parallelism"]) for one in mine] == [([2], [], 2)]
            assert used_by(job, "count") == {first}
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.refuses("requests: a drain of what is no TaskManager, an undrain of what is not drained")
def test_what_is_no_task_manager_or_not_drained_is_refused(draining: ProcessCluster, pyctl: Pyctl) -> None:
    first, *_ = names(draining)
    (unknown,) = pyctl("drain", "nowhere").refusals()
    assert "nowhere" in unknown
    assert first in unknown
    (unknown,) = pyctl("undrain", "nowhere").refusals()
    assert "nowhere" in unknown
    (not_drained,) = pyctl("undrain", first).refusals()
    assert "is not drained" in not_drained
    for sentence in (unknown, not_drained):
        assert_plain(sentence)
    assert draining.client.overview().drains == []

    assert pyctl("drain", first, "--json").document["before"] is False
    again = pyctl("drain", first, "--json")
    assert (again.code, again.document["before"]) == (0, True)
    assert draining.get(f"/taskmanagers/{first}")["blocked"] is True
    assert pyctl("undrain", first).code == 0
    assert pyctl("undrain", first).refusals() == [not_drained]


@pytest.mark.covers("directions: scale in makes a whole TaskManager free, for another job", path=(5, 3))
def test_scale_in_makes_a_task_manager_free_for_another_job(
    draining: ProcessCluster, pyctl: Pyctl, tmp_path: Path
) -> None:
    first, second, third = names(draining)
    only(draining.client, names(draining), first)
    with running(draining, COUNT, tmp_path / "one") as job:
        job.await_records("count", 500)
        only(draining.client, names(draining), third)
        job.rescale("count", 4)
        only(draining.client, names(draining), second)
        job.rescale("count", 5)
        only(draining.client, names(draining), first, second, third)
        where = {s.index: s.task_manager for s in job.vertex("count").subtasks}
        assert where == {0: first, 1: first, 2: third, 3: third, 4: second}
        job.await_records("count", 3_000)

        done = pyctl("rescale", job.id, "count", "-p", "3", "--wait", "--timeout", str(LIMIT_S), "--json")
        assert done.code == 0, done
        # The sources keep the first busy; of the others the one with a single subtask is the cheaper one to empty.
        assert used_by(job, "count") == {first, third}
        await_until(lambda: free_slots(draining, second) == 3, "all slots of the TaskManager to be free", LIMIT_S)
        job.rescale("count", 2)
        await_until(lambda: free_slots(draining, third) == 3, "all slots of the TaskManager to be free", LIMIT_S)

        # Six of nine slots are free: this job needs them all.
        other = JobSpec("count", 6, replace(Workload(), splits=6), options={"drrs.ceiling": "6"})
        with running(draining, other, tmp_path / "other", alone=False) as second_job:
            second_job.await_records("count", 500)
            assert used_by(second_job, "count") >= {second, third}
            second_job.finish()
            second_job.assert_never_failed()
            second_job.assert_exact()
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
        job.assert_exact("event-timers")
