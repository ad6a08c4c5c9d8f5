"""Two-phase sinks of elastic operators commit every record once."""

from __future__ import annotations

from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness.counted import ALL_PAIRS, VERTEX, Counted, counted, walk_id, walking
from harness.limits import LIMIT_S
from harness.one_jvm import OneJvmCluster

SINKS = {
    "chained": "sinks: a committing sink in the chain",
    "behind": "sinks: a committing sink behind a rebalance",
    "global": "sinks: a global committer behind",
    "files": "sinks: Flink's FileSink, a file a checkpoint",
}


SHORT = (3, 5, 3, 4, 2)


@pytest.mark.parametrize("failing", [False, True], ids=["", "with a failure"])
@pytest.mark.parametrize(
    ("sink", "walk"),
    [
        pytest.param(
            sink,
            walk,
            id=f"{sink}, {walk_id(walk)}",
            marks=[pytest.mark.covers(text, path=walk), *([] if walk is SHORT else [pytest.mark.matrix])],
        )
        for sink, text in SINKS.items()
        for walk in (SHORT, *ALL_PAIRS)
    ],
)
def test_every_record_is_committed_once(
    one_jvm_cluster: OneJvmCluster, tmp_path: Path, sink: str, walk: tuple[int, ...], failing: bool
) -> None:
    with counted(one_jvm_cluster, walking(walk, sink=sink), tmp_path) as job:
        job.await_numbers(1_000)
        job.rescale(VERTEX, walk[1])
        if failing:
            job.fail_and_come_back()
        for parallelism in walk[2:]:
            job.rescale(VERTEX, parallelism)
        job.await_all()
        if sink == "global":
            names = {file.name for file in (job.output / "committed").iterdir()}
            await_until(
                lambda: {file.name for file in (job.output / "global").iterdir()} == names,
                "the global committer", LIMIT_S,
            )  # fmt: skip
        one_jvm_cluster.stop(job.id)
        job.assert_committed_once(failed=failing)
        if not failing:
            job.assert_never_failed()


@pytest.mark.covers("sinks: Flink's FileSink, files that stay open and go from writer to writer", path=(3, 5, 3))
def test_files_that_stay_open_are_gone_on_with(one_jvm_cluster: OneJvmCluster, tmp_path: Path) -> None:
    """What a retired writer has open is in the lists it leaves; before the data end one more writer gets them."""
    spec = Counted(3, sink="open files", hold=False)
    with counted(one_jvm_cluster, spec, tmp_path) as job:
        job.await_records(VERTEX, 1_000)
        job.rescale(VERTEX, 5)
        job.await_records(VERTEX, 8_000)
        job.rescale(VERTEX, 3)
        assert not job.committed()
        job.open()
        await_until(lambda: job.state() == "FINISHED", "the end of the job", LIMIT_S)
        job.assert_never_failed()
        job.assert_committed_once()
