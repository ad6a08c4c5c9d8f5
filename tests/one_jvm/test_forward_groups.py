"""What hangs behind a keyed operator on FORWARD edges scales together with it, and the output stays exact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from harness.cluster import Cluster
from harness.command import Pyctl
from harness.job import Job, JobSpec, running
from harness.plans import post
from harness.scenarios import TARGETS
from harness.workload import Workload

BETWEEN = 1_500


@dataclass(frozen=True)
class Case:
    """A path of parallelisms with a task of its own behind the keyed operator, and perhaps the sink as another one."""

    target: str
    path: tuple[int, ...]
    behind: str = "forward"
    unaligned: bool = False
    sink: bool = True
    backlog: bool = False

    def __str__(self) -> str:
        flags = [name for name in ("unaligned", "sink", "backlog") if getattr(self, name)]
        return "-".join([self.target, *map(str, self.path), self.behind, *flags])

    def spec(self) -> JobSpec:
        """The job of this case."""
        target = TARGETS[self.target]
        arguments = [*target.arguments, "--behind", self.behind]
        if self.sink:
            arguments += ["--sink-parallelism", str(self.path[0])]
        if self.backlog:
            arguments += ["--service-us", "100", "--service-hot-key", "1100", "--service-hot-us", "4000"]
        events = max(1, len(self.path) - 2) * 12_000
        return JobSpec(
            target.query, self.path[0], Workload(events=events), arguments, reference=target.reference,
            unaligned=self.unaligned, options={"drrs.ceiling": "6"},
        )  # fmt: skip


CASES = [
    Case("count", (1, 2, 3, 5, 6)),
    Case("count", (6, 5, 3, 2, 1), unaligned=True),
    Case("states", (2, 5, 2), unaligned=True, backlog=True),
    Case("q17", (3, 5, 3), sink=False, backlog=True),
    Case("states", (2, 4, 3), behind="own-slots"),
]


@pytest.mark.covers("job shapes: FORWARD edge to another operator")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_hangs_behind_scales_together(cluster: Cluster, tmp_path: Path, case: Case) -> None:
    vertex = TARGETS[case.target].vertices[0]
    with running(cluster, case.spec(), tmp_path) as job:
        rescales = []
        for number, parallelism in enumerate(case.path[1:], 1):
            job.await_records(vertex, 1_000 if number == 1 else number * BETWEEN)
            rescales.append(job.rescale(vertex, parallelism))
            assert_together(job, vertex, 3 if case.sink else 2)
        job.await_rows()
        job.assert_checkpoints_went_on(rescales)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()
        if case.target == "count":
            job.assert_exact("event-timers")


@pytest.mark.covers("job shapes: FORWARD edge before an exchange by key")
@pytest.mark.parametrize("path", [(2, 3, 5), (5, 3, 2)], ids=str)
@pytest.mark.parametrize("unaligned", [False, True], ids=["aligned", "unaligned"])
def test_a_keyed_operator_behind_a_follower(
    cluster: Cluster, tmp_path: Path, path: tuple[int, ...], unaligned: bool
) -> None:
    spec = replace(Case("q5", path, unaligned=unaligned, sink=False).spec())
    with running(cluster, spec, tmp_path) as job:
        for number, parallelism in enumerate(path[1:], 1):
            job.await_records("q5", number * BETWEEN)
            job.rescale("q5", parallelism)
            assert_together(job, "q5", 2)
            job.rescale("q5max", parallelism)
            assert_together(job, "q5max", 2)
        job.finish()
        job.assert_never_failed()
        job.assert_exact()


@pytest.mark.refuses("requests: a follower of a FORWARD edge by itself")
@pytest.mark.refuses("reports: T14, one end of a FORWARD edge alone")
def test_a_follower_is_not_rescaled_by_itself(cluster: Cluster, tmp_path: Path, pyctl: Pyctl) -> None:
    spec = replace(Case("count", (2,)).spec(), workload=Workload(events=4_000))
    with running(cluster, spec, tmp_path) as job:
        job.await_records("count", 500)
        _, found = post(cluster, job.id, {"vertex": "behind-count-results", "parallelism": 3})
        assert set(found) == {"NOT_SUPPORTED"}, found
        assert "scales together with running count; name count" in found["NOT_SUPPORTED"]
        (sentence,) = pyctl("rescale", job.id, "behind-count-results", "-p", "3").refusals()
        assert "name count" in sentence
        job.finish()
        job.assert_exact()


def assert_together(job: Job, vertex: str, members: int) -> None:
    """The same subtasks of all members run."""
    listed = {one.label: one for one in job.cluster.client.vertices(job.id).vertices}
    leader = listed[vertex]
    assert len(leader.group) == members, leader.group
    for label in leader.group:
        detail = job.cluster.get(f"/jobs/{job.id}/vertices/{listed[label].vertex_id}")
        running_now = [one["subtask"] for one in detail["subtasks"] if one["status"] == "RUNNING"]
        assert sorted(running_now) == sorted(leader.active), label
