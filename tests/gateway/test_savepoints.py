"""Keyed state goes from elastic jobs to stock Flink and back, at any parallelism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.cluster import Cluster
from harness.job import Job, JobSpec, running
from harness.limits import LIMIT_S
from harness.one_jvm import OneJvmCluster
from harness.workload import Workload

CEILING = 5
SPEC = JobSpec("states", 2, Workload(events=12_000), options={"drrs.ceiling": str(CEILING)})
RESTORE = "execution.state-recovery.path"


def until(event: int, spec: JobSpec = SPEC) -> JobSpec:
    """The job whose events from this one on wait for `Job.open`, however long it runs before."""
    return replace(spec, arguments=(*spec.arguments, "--wait-from", str(event)))


def restored(
    savepoint: str, *, parallelism: int, elastic: bool, spec: JobSpec = SPEC, options: Mapping[str, str] | None = None
) -> JobSpec:
    """The same job again, from a savepoint; more of its events come than before."""
    own = spec.options if elastic else {"drrs.enabled": "false"}
    return replace(until(9_000, spec), parallelism=parallelism, options={**own, RESTORE: savepoint, **(options or {})})


def await_checkpoint(job: Job) -> None:
    """Wait until all tasks run: before that a job cannot be stopped."""
    await_until(lambda: job.state() == "RUNNING" and job.checkpoints("COMPLETED"), "a checkpoint", LIMIT_S)


def in_the_midst(job: Job, path: tuple[int, ...]) -> None:
    """Take the job along these parallelisms while records flow."""
    job.await_records("states", 1_000)
    for parallelism in path:
        job.rescale("states", parallelism)


def scattered(job: Job) -> bool:
    """Whether a subtask has key groups that are not next to each other."""
    placement = job.vertex("states").placement
    return sum(a != b for a, b in pairwise(placement)) >= len(set(placement))


@pytest.mark.covers("checkpoints: a savepoint of an elastic job restores on stock Flink", path=(2, 5, 3))
@pytest.mark.parametrize("parallelism", [2, CEILING, 7], ids=["below", "at the ceiling", "above"])
@pytest.mark.parametrize("native", [False, True], ids=["canonical", "native"])
def test_stock_flink_restores_a_savepoint_of_an_elastic_job(
    one_jvm_cluster: OneJvmCluster, stock_cluster: OneJvmCluster, tmp_path: Path, native: bool, parallelism: int
) -> None:
    with running(one_jvm_cluster, until(4_000), tmp_path) as job:
        in_the_midst(job, (5, 3))
        assert scattered(job)
        savepoint = one_jvm_cluster.stop(job.id, native=native)
    finish_elsewhere(stock_cluster, restored(savepoint, parallelism=parallelism, elastic=False), tmp_path)


@pytest.mark.covers("checkpoints: a savepoint of an elastic job restores on stock Flink", path=(2, 5, 3))
def test_stock_flink_restores_a_key_group_a_subtask(
    one_jvm_cluster: OneJvmCluster, stock_cluster: OneJvmCluster, tmp_path: Path
) -> None:
    few = replace(SPEC, arguments=("--max-parallelism", "7"))
    with running(one_jvm_cluster, until(4_000, few), tmp_path) as job:
        in_the_midst(job, (5, 3))
        savepoint = one_jvm_cluster.stop(job.id)
    finish_elsewhere(stock_cluster, restored(savepoint, parallelism=7, elastic=False, spec=few), tmp_path)


@pytest.mark.covers("checkpoints: a retained checkpoint of an elastic job restores on stock Flink", path=(2, 5, 3))
def test_stock_flink_restores_a_retained_checkpoint(
    one_jvm_cluster: OneJvmCluster, stock_cluster: OneJvmCluster, tmp_path: Path
) -> None:
    kept = {
        "execution.checkpointing.dir": (tmp_path / "checkpoints").as_uri(),
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
    }
    with running(one_jvm_cluster, replace(until(4_000), options={**SPEC.options, **kept}), tmp_path) as job:
        in_the_midst(job, (5,))
        status = job.rescale("states", 3)
        job.await_checkpoint_since(status.ended_at or 0)
        assert scattered(job)
        one_jvm_cluster.end(job.id)
        checkpoint = job.checkpoints("COMPLETED")[-1]["external_path"]
    with running(stock_cluster, restored(checkpoint, parallelism=CEILING, elastic=False), tmp_path) as job:
        await_checkpoint(job)
        job.finish()
        job.assert_exact_but_repeated()


@pytest.mark.covers("checkpoints: a savepoint of stock Flink restores into an elastic job")
@pytest.mark.parametrize("path", [(1, 2), (3, 5), (5, 3)], ids=str)
def test_elastic_job_restores_a_savepoint_of_stock_flink(
    one_jvm_cluster: OneJvmCluster, stock_cluster: OneJvmCluster, tmp_path: Path, path: tuple[int, ...]
) -> None:
    with running(
        stock_cluster, replace(until(4_000), parallelism=4, options={"drrs.enabled": "false"}), tmp_path
    ) as job:
        await_until(lambda: len(job.rows()) > 500, "rows", LIMIT_S)
        savepoint = stock_cluster.stop(job.id)
    with running(one_jvm_cluster, restored(savepoint, parallelism=path[0], elastic=True), tmp_path) as job:
        await_checkpoint(job)
        assert job.vertex("states").parallelism == path[0]
        in_the_midst(job, path[1:])
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.covers("checkpoints: a savepoint of an elastic job restores into an elastic job", path=(2, 5, 3))
@pytest.mark.parametrize(
    ("parallelism", "ceiling", "reached"),
    [(2, CEILING, 3), (2, 9, 3), (2, 2, 2), (4, CEILING, 4), (1, 6, 1)],
    ids=["as it was", "another ceiling", "a ceiling below what was reached", "another parallelism", "both others"],
)
def test_parallelism_reached_is_kept_unless_another_is_asked_for(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path, parallelism: int, ceiling: int, reached: int
) -> None:
    with running(one_jvm_cluster, until(4_000), tmp_path) as job:
        in_the_midst(job, (5, 3))
        placement = job.vertex("states").placement
        savepoint = one_jvm_cluster.stop(job.id)
    spec = restored(savepoint, parallelism=parallelism, elastic=True, options={"drrs.ceiling": str(ceiling)})
    with running(one_jvm_cluster, spec, tmp_path) as job:
        await_checkpoint(job)
        now = job.vertex("states")
        assert now.parallelism == reached == len(set(now.placement))
        assert (now.placement == placement) == (parallelism == 2 and ceiling == CEILING)
        in_the_midst(job, (2,) if reached != 2 else (1,))
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


def finish_elsewhere(cluster: Cluster, spec: JobSpec, directory: Path) -> None:
    """The restored job goes to its end, and with what was written before its output is exact."""
    with running(cluster, spec, directory) as job:
        await_checkpoint(job)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
