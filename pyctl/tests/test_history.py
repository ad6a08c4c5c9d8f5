"""`history`: of running jobs, of ended ones, from a history server."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from command import Cli
from fake_jobmanager import JOB, FakeJobManager, status

ROUTE = f"GET /jobs/{JOB}/drrs/rescales"


@pytest.fixture(autouse=True)
def time_zone() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Kathmandu")
        time.tzset()
        yield
    time.tzset()


def ended(*states: str) -> dict[str, object]:
    return {"jobs": [{"jid": c * 32, "name": f"job-{c}", "state": s} for c, s in zip("ab", states, strict=False)]}


def test_each_rescale_has_its_start_duration_way_phase_cause_and_reason(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    rescales = [
        status("MIGRATING", 1, request_id="r3", duration_ms=1_500, accepted_at=1_700_000_300_000),
        status("COMPLETED", 4, request_id="r1-after-failover-1", from_parallelism=3, accepted_at=1_700_000_200_000),
        status(
            "FAILED", 2, request_id="r1", cause="more load", reason="a task was lost", duration_ms=65_000,
            continued_by=["r1-after-failover-1"],
        ),
    ]  # fmt: skip
    jobmanager.on(ROUTE, {"rescales": rescales})
    result = pyctl("history")
    assert result.code == 0
    assert result.out.splitlines() == [
        "2023-11-15 04:03:20 +0545 | r3 | count | parallelism 2 -> 4 | MIGRATING | for 1.5 s | key groups 1/4 | 100 B",
        "2023-11-15 04:01:40 +0545 | r1-after-failover-1 | count | parallelism 3 -> 4 | COMPLETED | took 900 ms | "
        "key groups 4/4 | 400 B",
        "2023-11-15 03:58:20 +0545 | r1 | count | parallelism 2 -> 4 | FAILED | took 65.0 s | key groups 2/4 | 200 B | "
        "cause: more load | reason: a task was lost | continued by r1-after-failover-1",
    ]
    as_json = pyctl("history", "--json").json
    assert (as_json["job_id"], len(as_json["rescales"])) == (JOB, 3)


def test_a_strategy_that_is_not_the_usual_one_is_named_with_its_subscales(
    pyctl: Cli, jobmanager: FakeJobManager
) -> None:
    steps = {"open": 0, "done": 4, "total": 4}
    jobmanager.on(ROUTE, {"rescales": [status("COMPLETED", 4, strategy="megaphone", subscales=steps)]})
    assert " | strategy: megaphone, 4 subscales" in pyctl("history").out


def test_it_says_when_there_is_none(pyctl: Cli) -> None:
    assert pyctl("history").out == "no rescales so far\n"
    assert pyctl("status", "--json").error_codes == ["UNKNOWN_RESCALE"]


def test_the_history_of_a_job_that_has_ended_is_shown(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on("GET /jobs/overview", ended("FINISHED"))
    jobmanager.on(ROUTE, {"rescales": [status("COMPLETED", 4)]})
    for arguments in ((), ("job-a",), ("aaaa",)):
        assert "COMPLETED" in pyctl("history", *arguments).out


def test_of_several_ended_jobs_one_has_to_be_named(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on("GET /jobs/overview", ended("FINISHED", "FAILED"))
    assert pyctl("history", "--json").error_codes == ["AMBIGUOUS_JOB"]
    jobmanager.on(ROUTE, {"rescales": []})
    assert pyctl("history", "job-a").code == 0
    jobmanager.on("GET /jobs/overview", {"jobs": []})
    assert pyctl("history", "--json").error_codes == ["UNKNOWN_JOB"]


def test_a_running_job_comes_before_ended_ones(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on("GET /jobs/overview", ended("RUNNING", "FINISHED"))
    assert pyctl("history", "--json").json["job_id"] == JOB


def test_a_history_server_says_what_it_does_not_have(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    missing = (404, {"errors": ["File not found."]})
    for route in (ROUTE, f"GET /jobs/{JOB}/drrs/vertices", "GET /drrs/overview"):
        jobmanager.on(route, missing)
    jobmanager.on("GET /config", {"flink-version": "2.3.0", "features": {"web-history": True}})
    jobmanager.on("GET /jobs/overview", ended("FINISHED"))
    history = pyctl("history", "--json")
    assert (history.code, history.error_codes) == (3, ["NO_HISTORY"])
    doctor = pyctl("doctor", "--json")
    assert (doctor.code, doctor.error_codes) == (3, ["HISTORY_SERVER"])
    rescale = pyctl("rescale", JOB, "count", "-p", "3", "--json")
    assert (rescale.code, rescale.error_codes, jobmanager.posted()) == (3, ["HISTORY_SERVER"], [])
    jobmanager.on("GET /config", {"flink-version": "2.3.0", "features": {"web-history": False}})
    assert pyctl("history", "--json").error_codes == ["NOT_PLUGGED"]
