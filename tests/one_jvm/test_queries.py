"""Every query that the short set of scenarios leaves out is what its reference says, on a job that is not rescaled."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from drrs_jobs.compare import query_of
from harness.cluster import Cluster
from harness.job import JobSpec, running
from harness.scenarios import NEXMARK
from harness.workload import Workload

NAMES = [name for name, target in NEXMARK.items() if target.like]
# No more than there are slots.
BATCHES = (NAMES[:7], NAMES[7:])


def test_queries_are_what_their_references_say(cluster: Cluster, tmp_path: Path) -> None:
    for names in BATCHES:
        for one in names:
            (tmp_path / one).mkdir()
        with ExitStack() as stack:
            jobs = [stack.enter_context(running(cluster, spec(one), tmp_path / one, alone=False)) for one in names]
            for job in jobs:
                job.finish()
                job.assert_never_failed()
                job.assert_exact()


def spec(name: str) -> JobSpec:
    """A job in one slot whose events come as fast as they can.

    It ends with them, unless it waits for processing time to pass.
    """
    target, workload = NEXMARK[name], Workload(events=4_000, splits=1)
    arguments = [*target.arguments, "--paced", "false"]
    bounded = not query_of(target.query).folds
    return JobSpec(target.query, 1, workload, arguments, reference=target.reference, bounded=bounded)
