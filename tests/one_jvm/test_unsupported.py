"""A job that cannot be rescaled says why, and runs as it does without the plug-in."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from drrs_jobs.waiting import await_until
from harness.cluster import Cluster
from harness.command import Pyctl, assert_plain
from harness.job import JobSpec, running
from harness.limits import LIMIT_S
from harness.plans import post
from harness.workload import Workload


def refused(
    feature: str, options: dict[str, str], code: str, reason: str, arguments: tuple[str, ...] = ()
) -> ParameterSet:
    return pytest.param(options, code, reason, arguments, id=reason, marks=pytest.mark.refuses(feature))


@pytest.mark.parametrize(
    ("options", "code", "reason", "arguments"),
    [
        refused("requests: a job that is not elastic", {"drrs.enabled": "false"}, "NOT_ELASTIC", "drrs.enabled"),
        refused("state: RocksDB", {"state.backend.type": "rocksdb"}, "NOT_SUPPORTED", "rocksdb"),
        refused(
            "requests: an operator that `drrs.operators` leaves out",
            {"drrs.operators": "other"},
            "NOT_SUPPORTED",
            "drrs.operators",
        ),
        refused("state: the changelog", {"state.changelog.enabled": "true"}, "NOT_SUPPORTED", "changelog"),
        refused(
            "job shapes: a RESCALE edge behind the operator", {}, "NOT_SUPPORTED", "RESCALE", ("--rescale-edge", "true")
        ),
    ],
)
def test_job_that_cannot_be_rescaled_says_why(
    cluster: Cluster,
    tmp_path: Path,
    pyctl: Pyctl,
    options: dict[str, str],
    code: str,
    reason: str,
    arguments: tuple[str, ...],
) -> None:
    spec = JobSpec("count", 2, Workload(events=4_000), arguments, options)
    with running(cluster, spec, tmp_path) as other:
        await_until(lambda: other.state() == "RUNNING", "the job to run", LIMIT_S)
        _, found = post(cluster, other.id, {"vertex": "count", "parallelism": 4})
        assert set(found) == {code}, found
        assert reason in found[code]
        (sentence,) = pyctl("rescale", other.id, "count", "-p", "4").refusals()
        assert_plain(sentence)
        assert reason in sentence
        other.finish()
        other.assert_exact()


@pytest.mark.refuses("reports: T10, a key class with an identity hash code")
@pytest.mark.refuses("state: a key with an enum, an array or an object that has no hash code of its own")
def test_job_with_an_unstable_key_says_which(cluster: Cluster, tmp_path: Path, pyctl: Pyctl) -> None:
    """With more than one subtask, in several processes, such a job fails on stock Flink."""
    with running(cluster, JobSpec("parity", 1, Workload(events=4_000)), tmp_path) as other:
        await_until(lambda: other.state() == "RUNNING", "the job to run", LIMIT_S)
        _, found = post(cluster, other.id, {"vertex": "parity", "parallelism": 2})
        assert set(found) == {"NOT_SUPPORTED"}, found
        for part in ("running count with an unstable key", "dev.drrs.nexmark.query.ParityKey", "enum Parity", "name()"):
            assert part in found["NOT_SUPPORTED"]
        (sentence,) = pyctl("rescale", other.id, "parity", "-p", "2").refusals()
        assert_plain(sentence)
        assert "enum Parity" in sentence
        other.finish()
        other.assert_never_failed()
        other.assert_exact()
