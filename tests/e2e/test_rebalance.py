"""At the same parallelism key groups go where they are wanted, or where the load is even; the output stays exact."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cluster import Cluster
from harness.command import Pyctl, assert_plain
from harness.job import Job, JobSpec, running
from harness.workload import Workload
from pyctl.planning import rates

LONG = JobSpec("count", 3, replace(Workload(), events=70_000), arguments=("--max-parallelism", "32"))
SAMPLE_S = 5.0


def busiest_share(job: Job) -> float:
    """The busiest subtask's part of the records that come in now."""
    vertex = job.vertex("count")
    loads = rates(job.cluster.client, job.id, vertex, SAMPLE_S)
    assert loads is not None
    assert sum(loads) > 0, "no record came in"
    return max(sum(loads[g] for g in range(32) if vertex.placement[g] == s) for s in vertex.active) / sum(loads)


def write(directory: Path, placement: object) -> str:
    file = directory / "placement.json"
    file.write_text(json.dumps(placement))
    return str(file)


@pytest.mark.covers("directions: rebalance at the same parallelism, by measured load")
@pytest.mark.covers("directions: rebalance at the same parallelism, to an explicit placement")
def test_skew_and_even_out_again(cluster: Cluster, tmp_path: Path, pyctl: Pyctl) -> None:
    with running(cluster, LONG, tmp_path) as job:
        job.await_records("count", 1_000)
        crowded = [0] * 30 + [1, 2]
        done = pyctl("rebalance", job.id, "count", "--placement", write(tmp_path, crowded), "--wait", "--json")
        assert done.code == 0, done
        first = done.document
        assert (first["phase"], first["from_parallelism"], first["to_parallelism"]) == ("COMPLETED", 3, 3)
        assert job.vertex("count").placement == crowded
        before = busiest_share(job)

        done = pyctl("rebalance", job.id, "count", "--sample", "0", "--wait", "--json")
        assert done.code == 0, done
        assert done.document["phase"] == "COMPLETED"
        now = job.vertex("count")
        assert now.active == [0, 1, 2]
        after = busiest_share(job)
        # Half of all bids are for one auction, another one after each 1 700 events.
        assert after < 0.8 * before, (before, after)

        moves = {group: (owner + 1) % 3 for group, owner in enumerate(now.placement) if group % 7 == 0}
        done = pyctl("rebalance", job.id, "count", "--placement", write(tmp_path, moves), "--wait", "--json")
        assert done.code == 0, done
        wanted = [moves.get(group, owner) for group, owner in enumerate(now.placement)]
        assert job.vertex("count").placement == wanted
        again = pyctl("rebalance", job.id, "count", "--placement", write(tmp_path, moves), "--wait")
        assert (again.code, again.out) == (0, "the placement is already the wanted one; nothing to do\n")
        assert len(cluster.client.history(job.id)) == 3
        job.await_rows()
        job.assert_checkpoints_went_on(cluster.client.history(job.id))
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.refuses("requests: a placement that does not fit")
def test_all_faults_of_a_placement_in_one_answer(cluster: Cluster, tmp_path: Path, pyctl: Pyctl) -> None:
    with running(cluster, replace(LONG, workload=Workload()), tmp_path) as job:
        job.await_records("count", 1)
        placement = [0, "one", *([1] * 28), 40]
        sentences = pyctl(
            "rebalance", job.id, "count", "--placement", write(tmp_path, placement), "--strategy", "magic"
        ).refusals()
        for sentence in sentences:
            assert_plain(sentence)
        text = " ".join(sentences)
        assert "key group 1 something that is no whole number" in text
        assert "covers 31 of 32 key groups" in text
        assert "Key group 30 is placed on subtasks outside 0 to" in text
        assert "There is no strategy magic" in text
        (sentence,) = pyctl("rebalance", job.id, "nope", "--sample", "0").refusals()
        assert "nope" in sentence
        assert cluster.client.history(job.id) == []
        assert job.vertex("count").parallelism == 3
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
