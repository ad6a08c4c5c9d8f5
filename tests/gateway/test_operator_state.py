"""Operator (non-keyed) state of an elastic operator: nothing of it is lost, or the rescale is refused by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.counted import ALL_PAIRS, VERTEX, Counted, CountedJob, counted, walk_id, walking
from harness.limits import LIMIT_S
from harness.one_jvm import OneJvmCluster
from harness.plans import planned, post

STOCK = {"drrs.enabled": "false"}


def in_both(*path: int) -> pytest.MarkDecorator:
    """For the keyed operator, and for one that scales together with it."""
    follower = pytest.mark.covers("state: operator state of a FORWARD follower", path=path)
    return pytest.mark.parametrize("keeper", ["keyed", pytest.param("follower", marks=follower)])


def given_numbers(job: CountedJob) -> list[int]:
    """The lists of all subtasks as they got them, one after the other."""
    return [number for one in job.given().values() for number in one.numbers]


def assert_all_given(job: CountedJob) -> None:
    assert sorted(given_numbers(job)) == sorted(job.numbers())


def stopped_exact(job: CountedJob) -> str:
    """The job's savepoint, once all is committed, and nothing has failed on the way."""
    job.await_all()
    savepoint = job.cluster.stop(job.id)
    job.assert_never_failed()
    job.assert_committed_once()
    return savepoint


@in_both(3, 5, 2)
@pytest.mark.covers("state: lists of a retired subtask are dealt out by a restart", path=(3, 5, 2))
def test_lists_of_retired_subtasks_are_dealt_out_by_a_restart(
    one_jvm_cluster: OneJvmCluster, stock_cluster: OneJvmCluster, tmp_path: Path, keeper: str
) -> None:
    spec = Counted(3, keeper=keeper)
    with counted(one_jvm_cluster, spec, tmp_path) as job:
        job.await_numbers(1_000)
        job.rescale(VERTEX, 5)
        before = set(given_numbers(job))
        job.rescale(VERTEX, 2)
        job.fail_and_come_back()
        assert job.vertex(VERTEX).parallelism == 2 == len(job.given())
        numbers = given_numbers(job)
        assert before < set(numbers) or not before
        assert len(numbers) == len(set(numbers)) > 1_000
        job.rescale(VERTEX, 4)
        job.rescale(VERTEX, 1)
        job.await_all()
        savepoint = one_jvm_cluster.stop(job.id)
        job.assert_committed_once(failed=True)
    with counted(stock_cluster, replace(spec, savepoint=savepoint, options=STOCK), tmp_path) as job:
        job.await_checkpoint()
        assert len(job.given()) == 3
        assert_all_given(job)
        job.assert_committed_once(failed=True)


@in_both(3, 5, 3, 5)
@pytest.mark.covers("state: lists of a retired subtask go to the next one that is activated", path=(3, 5, 3, 5))
def test_lists_of_retired_subtasks_go_to_the_next_that_are_activated(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path, keeper: str
) -> None:
    spec = Counted(3, keeper=keeper)
    with counted(one_jvm_cluster, spec, tmp_path) as job:
        job.await_numbers(1_000)
        job.rescale(VERTEX, 5)
        late = set(job.vertex(VERTEX).active)
        job.await_numbers(len(job.committed()) + 1_000)
        job.rescale(VERTEX, 3)
        one_jvm_cluster.forget(job.name)
        gone = late - set(job.vertex(VERTEX).active)
        job.rescale(VERTEX, 5)
        await_until(lambda: len(job.given()) == 2, "the new subtasks", LIMIT_S)
        assert len(gone) == 2
        assert len(given_numbers(job)) > 100
        savepoint = stopped_exact(job)
    with counted(one_jvm_cluster, replace(spec, savepoint=savepoint), tmp_path) as job:
        job.await_checkpoint()
        assert len(job.given()) == 5
        assert_all_given(job)


@pytest.mark.matrix
@pytest.mark.parametrize(
    "walk",
    [
        pytest.param(walk, marks=pytest.mark.covers("state: list state is complete after any rescale", path=walk))
        for walk in ALL_PAIRS
    ],
    ids=walk_id,
)
@pytest.mark.parametrize("keeper", ["keyed", "follower"])
def test_no_list_is_lost_on_any_walk(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path, walk: tuple[int, ...], keeper: str
) -> None:
    spec = walking(walk, keeper=keeper)
    with counted(one_jvm_cluster, spec, tmp_path) as job:
        job.await_numbers(500)
        for parallelism in walk[1:]:
            job.rescale(VERTEX, parallelism)
        savepoint = stopped_exact(job)
    with counted(one_jvm_cluster, replace(spec, savepoint=savepoint), tmp_path) as job:
        job.await_checkpoint()
        assert job.vertex(VERTEX).parallelism == walk[-1]
        assert_all_given(job)


@pytest.mark.covers("state: list, union list and broadcast state of a stock savepoint in an elastic job")
@pytest.mark.parametrize("extra", ["union", "broadcast"])
@pytest.mark.parametrize("parallelism", [1, 2, 5])
def test_operator_state_of_a_stock_savepoint_goes_to_active_subtasks(
    one_jvm_cluster: OneJvmCluster, stock_cluster: OneJvmCluster, tmp_path: Path, extra: str, parallelism: int
) -> None:
    stock = Counted(3, extra=extra, options=STOCK)
    with counted(stock_cluster, stock, tmp_path) as job:
        job.await_all()
        savepoint = stock_cluster.stop(job.id)
    elastic = replace(Counted(parallelism, extra=extra), savepoint=savepoint)
    with counted(one_jvm_cluster, elastic, tmp_path) as job:
        job.await_checkpoint()
        given = job.given()
        assert given.keys() == set(range(parallelism))
        assert_all_given(job)
        for one in given.values():
            assert one.union == ([0, 1, 2] if extra == "union" else [])
            assert one.broadcast == ("one" if extra == "broadcast" else "-")
        job.assert_committed_once()


@pytest.mark.covers("state: operator state of an elastic savepoint under another ceiling", path=(3, 5, 2))
def test_operator_state_goes_to_active_subtasks_under_another_ceiling(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path
) -> None:
    with counted(one_jvm_cluster, Counted(3), tmp_path) as job:
        job.await_numbers(1_000)
        job.rescale(VERTEX, 5)
        job.rescale(VERTEX, 2)
        job.await_all()
        savepoint = one_jvm_cluster.stop(job.id)
    other = {"drrs.enabled": "true", "drrs.ceiling": "7"}
    with counted(one_jvm_cluster, replace(Counted(3), savepoint=savepoint, options=other), tmp_path) as job:
        job.await_checkpoint()
        assert job.given().keys() == {0, 1}
        assert_all_given(job)


@pytest.mark.refuses("state: a union list or broadcast state that a new subtask would need")
@pytest.mark.parametrize("keeper", ["keyed", "follower"])
@pytest.mark.parametrize(("extra", "state"), [("union", "members"), ("broadcast", "rules")])
def test_new_subtasks_are_refused_by_the_name_of_the_state(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path, extra: str, state: str, keeper: str
) -> None:
    with counted(one_jvm_cluster, Counted(3, extra=extra, keeper=keeper), tmp_path) as job:
        job.await_numbers(500)
        _, found = post(one_jvm_cluster, job.id, planned(job, VERTEX, 5))
        assert found.keys() == {"NOT_SUPPORTED"}
        assert (VERTEX if keeper == "keyed" else keeper) in found["NOT_SUPPORTED"]
        assert state in found["NOT_SUPPORTED"]
        job.rescale(VERTEX, 2)
        job.await_all()
        one_jvm_cluster.stop(job.id)
        job.assert_committed_once()


@in_both(3, 5, 3)
@pytest.mark.covers("state: lists that retired subtasks have left when the job ends by itself", path=(3, 5, 3))
def test_one_more_subtask_gets_the_lists_before_the_data_end(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path, keeper: str
) -> None:
    with counted(one_jvm_cluster, Counted(3, hold=False, keeper=keeper), tmp_path) as job:
        job.await_numbers(500)
        job.rescale(VERTEX, 5)
        job.await_numbers(len(job.committed()) + 1_000)
        job.rescale(VERTEX, 3)
        one_jvm_cluster.forget(job.name)
        job.open()
        await_until(lambda: job.state() == "FINISHED", "the end of the job", LIMIT_S)
        job.assert_never_failed()
        (last,) = job.given().values()
        assert len(last.numbers) == len(set(last.numbers)) > 100
        job.assert_committed_once()


@in_both(3, 5, 2)
@pytest.mark.covers("state: lists that retired subtasks have left when the job is drained", path=(3, 5, 2))
def test_one_more_subtask_gets_the_lists_before_a_drain(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path, keeper: str
) -> None:
    with counted(one_jvm_cluster, Counted(3, keeper=keeper), tmp_path) as job:
        job.await_numbers(500)
        job.rescale(VERTEX, 5)
        job.await_numbers(len(job.committed()) + 1_000)
        job.rescale(VERTEX, 2)
        job.await_all()
        one_jvm_cluster.forget(job.name)
        one_jvm_cluster.drain(job.id)
        await_until(lambda: job.state() == "FINISHED", "the end of the job", LIMIT_S)
        job.assert_never_failed()
        (last,) = job.given().values()
        assert len(last.numbers) == len(set(last.numbers)) > 100
        job.assert_committed_once()


@pytest.mark.covers("state: lists that are left when no subtask more may be activated", path=(3, 2))
def test_a_job_restarts_before_it_ends_if_no_subtask_more_may_get_the_lists(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path
) -> None:
    with counted(one_jvm_cluster, Counted(3, hold=False, extra="union"), tmp_path) as job:
        job.await_numbers(1_500)
        job.rescale(VERTEX, 2)
        one_jvm_cluster.forget(job.name)
        job.open()
        await_until(lambda: job.state() == "FINISHED", "the end of the job", LIMIT_S)
        assert any("left list state" in str(one["stacktrace"]) for one in job.exceptions())
        numbers = given_numbers(job)
        assert len(numbers) == len(set(numbers)) > 1_000
        job.assert_committed_once(failed=True)
