"""The strategies of `pyctl` that restart the whole job: output exact, windows open; under the adaptive scheduler too.

Faults on the way are in `pyctl/tests/test_restarting.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drrs_jobs.waiting import await_until
from harness import one_jvm
from harness.cluster import JOB_JAR, Cluster
from harness.command import Pyctl, assert_plain
from harness.job import Job, JobSpec, running
from harness.limits import LIMIT_S
from harness.scenarios import Scenario
from harness.workload import Workload

SOON = {
    "jobmanager.scheduler": "adaptive",
    "jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling": "0 s",
    "jobmanager.adaptive-scheduler.submission.resource-stabilization-timeout": "0 s",
    "jobmanager.adaptive-scheduler.executing.resource-stabilization-timeout": "0 s",
}


@pytest.mark.covers("directions: by a restart of the whole job, windows open", path=(2, 4))
@pytest.mark.refuses("directions: the adaptive scheduler's way for a job that runs under another")
def test_a_restart_goes_on_where_the_job_stopped(cluster: Cluster, pyctl: Pyctl, tmp_path: Path) -> None:
    scenario = Scenario("q5", (2, 4))
    spec, (vertex,) = scenario.spec(), scenario.vertices
    with running(cluster, spec, tmp_path) as job:
        arguments = spec.all_arguments(job.output)
        arguments[arguments.index("--parallelism") + 1] = "{parallelism}"
        file = tmp_path / "submission.json"
        options = {"drrs.enabled": "true", **spec.options}
        file.write_text(json.dumps({"jar": str(JOB_JAR), "arguments": arguments, "options": options}))
        job.await_records(vertex, 500)
        change = ("rescale", job.id, vertex, "-p", "4", "--wait", "--timeout", str(LIMIT_S))
        (sentence,) = pyctl(*change, "--strategy", "adaptive").refusals()
        assert_plain(sentence)
        assert "runs under the scheduler Default" in sentence
        assert "rescale it live" in sentence
        done = pyctl(*change, "--strategy", "restart", "--submission", str(file), "--json")
        started = done.document.get("request_id")
        if done.code != 0 and any(one.jid == started for one in cluster.rest.jobs()):
            cluster.end(started)
        assert done.code == 0, done
        assert (job.state(), done.document["job_id_before"], done.document["warnings"]) == ("FINISHED", job.id, [])
        again = Job(cluster, spec, done.document["job_id"], job.output)
        try:
            assert again.vertex(vertex).parallelism == 4
            again.finish()
            again.assert_never_failed()
            again.assert_exact()
        finally:
            cluster.end(again.id)


@pytest.mark.covers("directions: by the adaptive scheduler, which restarts the whole job", path=(2, 3))
def test_the_adaptive_scheduler_does_what_it_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = JobSpec("count", 2, Workload(events=4_000), options={"drrs.enabled": "false"})
    with one_jvm.started(tmp_path, task_managers=1, slots=3, plugin=False, options=SOON) as cluster:
        pyctl = Pyctl(cluster.address, capsys)
        with running(cluster, spec, tmp_path) as job:
            await_until(lambda: job.state() == "RUNNING" and len(job.rows()) > 200, "rows", LIMIT_S)
            await_until(lambda: job.checkpoints("COMPLETED"), "a checkpoint", LIMIT_S)
            change = ("rescale", job.id, "running count", "--strategy", "adaptive")
            (sentence,) = pyctl(*change, "-p", "4").refusals()
            assert "4 slots" in sentence
            done = pyctl(*change, "-p", "3", "--wait", "--timeout", str(LIMIT_S), "--json")
            assert done.code == 0, done
            assert {v.name: v.parallelism for v in cluster.rest.job(job.id).vertices}["running count"] == 3
            job.finish()
            job.assert_exact_but_repeated()
