"""How a request ended that a failover fell into: what was wanted is there, or it is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from command import Cli
from fake_jobmanager import JOB, FakeJobManager, refusal, status, vertex, vertices

PATH = f"GET /jobs/{JOB}/drrs/rescales/"
NEXT = "r1-after-failover-1"
FAILED = status("FAILED", reason="a task was lost", continued_by=[NEXT])


@pytest.fixture
def failover(jobmanager: FakeJobManager) -> FakeJobManager:
    """The operator is where the request wanted it as soon as that has been sent."""
    jobmanager.on_rescale((202, {"request_id": "r1"}))
    jobmanager.on(PATH + "r1", status("MIGRATING", 1), FAILED)
    jobmanager.on(PATH + NEXT, status("COMPLETED", 4, request_id=NEXT, from_parallelism=4))

    def now(_: object) -> tuple[int, Any]:
        posted = jobmanager.posted()
        if not posted:
            return 200, vertices(vertex())
        placement = posted[-1]["placement"]
        active = sorted(set(placement))
        return 200, vertices(vertex(placement=placement, active=active, parallelism=len(active)))

    jobmanager.routes[f"GET /jobs/{JOB}/drrs/vertices"] = now
    return jobmanager


def stays(failover: FakeJobManager, **changes: Any) -> None:
    failover.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex()), vertices(vertex(**changes)))


@pytest.mark.usefixtures("failover")
def test_a_rescale_that_is_continued_to_the_wanted_placement_says_what_happened(pyctl: Cli) -> None:
    result = pyctl("rescale", "-p", "4", "--wait")
    assert result.code == 0
    assert "r1 | count | parallelism 2 -> 4 | FAILED" in result.out
    assert f"{NEXT} | count | parallelism 4 -> 4 | COMPLETED" in result.out
    assert result.out.endswith(
        f"The rescale r1 failed: a task was lost. It was continued by {NEXT} (COMPLETED). "
        "Now count has parallelism 4: as wanted.\n"
    )


@pytest.mark.usefixtures("failover")
def test_programs_get_the_same_as_json(pyctl: Cli) -> None:
    as_json = pyctl("rescale", "-p", "4", "--wait", "--json")
    assert as_json.json["outcome"] == {
        "request_id": "r1",
        "phase": "FAILED",
        "reason": "a task was lost",
        "continued_by": [{"request_id": NEXT, "phase": "COMPLETED", "reason": None}],
        "parallelism": {"count": 4},
        "reached": True,
    }
    assert (as_json.code, as_json.json["request_id"]) == (0, NEXT)


def test_one_that_completed_somewhere_else_is_a_failure(pyctl: Cli, failover: FakeJobManager) -> None:
    stays(failover, parallelism=5)
    result = pyctl("rescale", "-p", "4", "--wait")
    assert result.code == 4
    assert result.err.endswith(
        f"error: The rescale r1 failed: a task was lost. It was continued by {NEXT} (COMPLETED). "
        "Now count has parallelism 5: not what was wanted.\n"
    )
    stays(failover, parallelism=5)
    as_json = pyctl("rescale", "-p", "4", "--wait", "--json")
    assert (as_json.code, as_json.error_codes, as_json.json["outcome"]["reached"]) == (4, ["RESCALE_FAILED"], False)


def test_the_right_parallelism_with_another_placement_is_a_failure(pyctl: Cli, failover: FakeJobManager) -> None:
    stays(failover, parallelism=4, active=[0, 1, 2, 3], placement=[0, 0, 1, 1, 2, 2, 3, 3])
    assert pyctl("rescale", "-p", "4", "--wait").code == 4


def test_a_continuation_that_fails_too_has_both_reasons(pyctl: Cli, failover: FakeJobManager) -> None:
    failover.on(PATH + NEXT, status("ABORTED", request_id=NEXT, reason="no slots"))
    stays(failover)
    result = pyctl("rescale", "-p", "4", "--wait")
    assert result.code == 4
    assert f"failed: a task was lost. It was continued by {NEXT} (ABORTED: no slots)." in result.err
    assert "Now count has parallelism 2: not what was wanted." in result.err


def test_one_that_had_nothing_left_to_do_after_the_failover_is_done(pyctl: Cli, failover: FakeJobManager) -> None:
    failover.on(PATH + "r1", status("MIGRATING", 1), FAILED, {**FAILED, "continued_by": []})
    failover.on(PATH + NEXT, refusal("UNKNOWN_RESCALE"))
    result = pyctl("rescale", "-p", "4", "--wait")
    assert result.code == 0
    assert result.out.endswith("The rescale r1 failed: a task was lost. Now count has parallelism 4: as wanted.\n")


def test_the_job_may_have_ended_meanwhile(pyctl: Cli, failover: FakeJobManager) -> None:
    route = f"GET /jobs/{JOB}/drrs/vertices"
    failover.on(route, vertices(vertex()), refusal("JOB_NOT_RUNNING"))
    assert pyctl("rescale", "-p", "4", "--wait").code == 0
    failover.on(route, vertices(vertex()), refusal("JOB_NOT_RUNNING"))
    failover.on(PATH + NEXT, status("FAILED", request_id=NEXT, reason="the job ended"))
    assert pyctl("rescale", "-p", "4", "--wait").code == 4


def test_a_plain_failure_is_not_looked_into(pyctl: Cli, failover: FakeJobManager) -> None:
    failover.on(PATH + "r1", status("FAILED", reason="a task was lost"))
    result = pyctl("rescale", "-p", "4", "--wait")
    assert (result.code, result.err.splitlines()[-1]) == (4, "error: The rescale r1 failed: a task was lost.")
    assert len([path for _, path, _ in failover.requests if path.endswith("/vertices")]) == 1


def test_watching_tells_the_same(pyctl: Cli, failover: FakeJobManager) -> None:
    failover.on(f"GET /jobs/{JOB}/drrs/rescales", {"rescales": [FAILED]})
    stays(failover, parallelism=4)
    failover.routes[f"GET /jobs/{JOB}/drrs/vertices"].pop(0)  # type: ignore[union-attr]
    result = pyctl("status", "--watch")
    assert result.code == 0
    assert "Now count has parallelism 4: as wanted." in result.out
    failover.on(PATH + "r1", FAILED)
    stays(failover, parallelism=3)
    failover.routes[f"GET /jobs/{JOB}/drrs/vertices"].pop(0)  # type: ignore[union-attr]
    as_json = pyctl("status", "--watch", "--json")
    assert as_json.code == 4
    assert [json.loads(line)["phase"] for line in as_json.out.splitlines()] == ["FAILED", "COMPLETED"]
