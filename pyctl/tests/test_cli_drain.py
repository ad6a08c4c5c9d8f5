"""`drain` and `undrain` against a fake JobManager."""

from __future__ import annotations

from typing import Any

import pytest

from command import Cli
from fake_jobmanager import JOB, VERTEX, FakeJobManager, refusal, status, vertex, vertices

ACCEPTED = (202, {"request_id": "r1"})
VALID = (200, {"valid": True})


def overview(*, drained: tuple[str, ...] = (), free: int = 2, **changes: Any) -> dict[str, Any]:
    """Three TaskManagers, `free` slots on each."""
    base = {
        "version": "1",
        "flink_version": "2.3.0",
        "armed": True,
        "reason": None,
        "join_points": [],
        "task_managers": [
            {
                "id": f"tm-{i}", "address": f"10.0.0.{i}:6122", "armed": True, "drained": f"tm-{i}" in drained,
                "slots": 3, "free_slots": free,
            }
            for i in range(3)
        ],
        "drains": [{"task_manager": name, "since": 1} for name in drained],
        "starts_task_managers": False,
    }  # fmt: skip
    return {**base, **changes}


def placed(*dormant: str | None, on: tuple[str, ...] = ("tm-0", "tm-1"), **changes: Any) -> dict[str, Any]:
    """The vertex with its active subtasks on these TaskManagers, and where its dormant ones would go."""
    subtasks = [
        {"index": i, "task_manager": tm, "host": "h", "key_groups": 4, "slots": [{"group": i, "task_manager": tm}]}
        for i, tm in enumerate(on)
    ]
    first = len(on)
    asleep = [{"index": first + i, "slots": [{"group": first + i, "task_manager": tm}]} for i, tm in enumerate(dormant)]
    return vertex(subtasks=subtasks, dormant=asleep, ceiling=first + len(dormant), **changes)


def job(*found: dict[str, Any], fixed: str | None = None) -> dict[str, Any]:
    """The job's answer; with a source on TaskManager `fixed`."""
    task = {"name": "Source: bids", "subtask": 0, "reason": "it is not a keyed operator"}
    used = [{"id": f"tm-{i}", "drained": False, "unused_slots": 0, "fixed": []} for i in range(3)]
    for one in used:
        if one["id"] == fixed:
            one["fixed"] = [task]
    return vertices(*found, task_managers=used)


@pytest.fixture
def cluster(jobmanager: FakeJobManager) -> FakeJobManager:
    """A cluster on which a drain of tm-1 works."""
    jobmanager.on("GET /drrs/overview", overview())
    jobmanager.on("POST /drrs/drains", {"task_manager": "tm-1", "drained": True, "before": False})
    before, after = job(placed(None, None), fixed="tm-1"), job(placed(None, None, on=("tm-0", "tm-2")), fixed="tm-1")
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", before, after)
    jobmanager.on_rescale(VALID, ACCEPTED)
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales/r1", status("MIGRATING", 1), status("COMPLETED", 4))
    return jobmanager


def writes(jobmanager: FakeJobManager) -> list[tuple[str, str]]:
    """What may have changed something, in order."""
    return [
        (method, path)
        for method, path, body in jobmanager.requests
        if method != "GET" and not (isinstance(body, dict) and body.get("dry_run"))
    ]


def test_a_dormant_subtask_takes_over_all_key_groups(pyctl: Cli, cluster: FakeJobManager) -> None:
    result = pyctl("drain", "tm-1")
    assert result.code == 0, result
    check, request = cluster.posted()
    assert check["dry_run"]
    assert check["placement"] == request["placement"] == [0, 0, 0, 0, 2, 2, 2, 2]
    assert request["parallelism"] == 2
    assert request["vertex"] == VERTEX
    assert request["cause"] == "drain of tm-1"
    assert {(s["from"], s["to"]) for s in request["subscales"]} == {(1, 2)}
    assert sorted(g for s in request["subscales"] for g in s["key_groups"]) == [4, 5, 6, 7]
    assert writes(cluster) == [("POST", "/drrs/drains"), ("POST", f"/jobs/{JOB}/drrs/rescales")]
    assert result.out.splitlines()[0] == "tm-1 is drained"
    assert "count of job nexmark: subtask 1 to subtask 2" in result.out
    assert "stays: Source: bids (0) of job nexmark: it is not a keyed operator" in result.out


@pytest.mark.usefixtures("cluster")
def test_json_says_what_moved_and_what_stays(pyctl: Cli) -> None:
    result = pyctl("drain", "tm-1", "--json")
    assert (result.code, result.err) == (0, "")
    (handover,) = result.json["handovers"]
    assert (handover["retiring"], handover["activated"], handover["phase"]) == ([1], [2], "COMPLETED")
    (staying,) = result.json["staying"]
    assert (staying["name"], staying["subtask"]) == ("Source: bids", 0)
    assert result.json["drained"] is True


@pytest.mark.parametrize("text", ["tm-1", "10.0.0.1:6122"])
def test_a_dry_run_touches_nothing(pyctl: Cli, cluster: FakeJobManager, text: str) -> None:
    result = pyctl("drain", text, "--dry-run", "--json")
    assert result.code == 0
    assert result.json["valid"] is True
    assert result.json["handovers"][0]["activated"] == [2]
    assert writes(cluster) == []


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [("tm-7", "UNKNOWN_TASK_MANAGER", "tm-0, tm-1, tm-2"), ("tm", "AMBIGUOUS_TASK_MANAGER", "fits 3")],
)
def test_what_is_not_one_task_manager_is_refused(
    pyctl: Cli, cluster: FakeJobManager, text: str, code: str, words: str
) -> None:
    for command in ("drain", "undrain"):
        result = pyctl(command, text, "--json")
        assert (result.code, result.error_codes) == (3, [code])
        assert words in result.json["errors"][0]["message"]
    assert writes(cluster) == []


def test_a_dormant_subtask_whose_slot_is_on_a_drained_one_does_not_take_over(
    pyctl: Cli, cluster: FakeJobManager
) -> None:
    cluster.on("GET /drrs/overview", overview(drained=("tm-2",)))
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", job(placed("tm-1", "tm-2", "tm-0", None)))
    result = pyctl("drain", "tm-1", "--dry-run", "--json")
    # One that shares a slot which is there needs no new one.
    assert result.json["handovers"][0]["activated"] == [4]


def test_all_faults_come_in_one_answer_before_anything_is_touched(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on("GET /drrs/overview", overview(free=0))
    stuck = placed(on=("tm-1", "tm-1"), vertex_id="d" * 32, uid="full")
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", job(placed(None), stuck))
    cluster.on_rescale(refusal("RESCALE_IN_PROGRESS", "NOT_ENOUGH_SLOTS"))
    result = pyctl("drain", "tm-1", "--json")
    assert result.code == 3
    assert sorted(result.error_codes) == ["NOT_ENOUGH_SLOTS", "NO_DORMANT_SUBTASK", "RESCALE_IN_PROGRESS"]
    messages = {error["code"]: error["message"] for error in result.json["errors"]}
    assert "full of job nexmark has 2 subtasks there, and only 0 dormant" in messages["NO_DORMANT_SUBTASK"]
    assert "drrs.ceiling" in messages["NO_DORMANT_SUBTASK"]
    assert "needs 1 more slots on other TaskManagers, 0 are free: 1 missing" in messages["NOT_ENOUGH_SLOTS"]
    assert writes(cluster) == []


def test_free_slots_of_drained_task_managers_do_not_count(pyctl: Cli, cluster: FakeJobManager) -> None:
    picture = overview(drained=("tm-2",), free=2)
    picture["task_managers"][0]["free_slots"] = 0
    cluster.on("GET /drrs/overview", picture)
    assert pyctl("drain", "tm-1", "--json").error_codes == ["NOT_ENOUGH_SLOTS"]
    cluster.on("GET /drrs/overview", {**picture, "starts_task_managers": True})
    assert pyctl("drain", "tm-1", "--dry-run").code == 0


def test_without_a_dormant_subtask_the_remaining_take_over_if_allowed(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", job(placed()))
    refused = pyctl("drain", "tm-1")
    assert refused.code == 3
    assert "--onto-remaining" in refused.err
    result = pyctl("drain", "tm-1", "--onto-remaining", "--dry-run", "--json")
    assert result.code == 0
    (handover,) = result.json["handovers"]
    assert (handover["retiring"], handover["activated"], handover["to_parallelism"]) == ([1], [], 1)


def test_without_a_slot_the_remaining_take_over_if_allowed(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on("GET /drrs/overview", overview(free=0))
    (handover,) = pyctl("drain", "tm-1", "--onto-remaining", "--dry-run", "--json").json["handovers"]
    assert (handover["activated"], handover["to_parallelism"]) == ([], 1)


def test_if_all_are_there_and_nobody_can_take_over_it_is_refused_in_any_case(
    pyctl: Cli, cluster: FakeJobManager
) -> None:
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", job(placed(on=("tm-1", "tm-1"))))
    assert pyctl("drain", "tm-1", "--onto-remaining", "--json").error_codes == ["NO_DORMANT_SUBTASK"]


def test_two_operators_that_share_a_slot_need_one(pyctl: Cli, cluster: FakeJobManager) -> None:
    second = placed(None, None, vertex_id="d" * 32, uid="second")
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", job(placed(None, None), second))
    picture = overview(free=0)
    picture["task_managers"][0]["free_slots"] = 1
    cluster.on("GET /drrs/overview", picture)
    cluster.on_rescale(VALID)
    result = pyctl("drain", "tm-1", "--dry-run", "--json")
    assert result.code == 0
    assert [handover["activated"] for handover in result.json["handovers"]] == [[2], [2]]


def test_a_job_that_is_not_elastic_is_named(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", refusal("NOT_ELASTIC"))
    result = pyctl("drain", "tm-1", "--json")
    assert result.code == 0
    assert result.json["handovers"] == []
    (staying,) = result.json["staying"]
    assert (staying["job_name"], staying["name"], staying["reason"]) == (
        "nexmark",
        None,
        "Sentence about NOT_ELASTIC.",
    )
    cluster.slots_of("tm-1")
    assert pyctl("drain", "tm-1", "--json").json["staying"] == []


def test_a_handover_that_is_rolled_back_is_a_failure_that_says_what_to_do(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on(f"GET /jobs/{JOB}/drrs/rescales/r1", status("ABORTED", reason="a slot did not come"))
    result = pyctl("drain", "tm-1")
    assert result.code == 4
    assert "was rolled back: a slot did not come" in result.err
    assert "`pyctl undrain tm-1`" in result.err


def test_a_handover_that_is_refused_after_the_drain_has_begun_is_a_failure(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on_rescale(VALID, refusal("RESCALE_IN_PROGRESS"))
    result = pyctl("drain", "tm-1", "--json")
    assert (result.code, result.error_codes) == (4, ["RESCALE_IN_PROGRESS", "DRAIN_INCOMPLETE"])


def test_what_is_left_there_in_the_end_is_a_failure(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", job(placed(None, None)))
    result = pyctl("drain", "tm-1", "--json")
    assert (result.code, result.error_codes) == (4, ["NOT_EMPTY"])
    assert "count (1) of job nexmark" in result.json["errors"][0]["message"]


def test_a_timeout_has_exit_code_5(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on(f"GET /jobs/{JOB}/drrs/rescales/r1", status("MIGRATING", 1))
    result = pyctl("drain", "tm-1", "--timeout", "0.3")
    assert result.code == 5
    assert "still in phase MIGRATING" in result.err
    assert pyctl("drain", "tm-1", "--timeout", "0").code == 2


def test_undrain_finds_also_one_that_is_gone(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    picture = overview(drained=("10.0.0.9:6122-ab",))
    jobmanager.on("GET /drrs/overview", picture)
    state = {"task_manager": "10.0.0.9:6122-ab", "drained": False, "before": True}
    jobmanager.on("DELETE /drrs/drains/10.0.0.9%3A6122-ab", state)
    result = pyctl("undrain", "10.0.0.9")
    assert (result.code, result.out) == (0, "10.0.0.9:6122-ab is in use again\n")
    jobmanager.on("DELETE /drrs/drains/tm-1", refusal("NOT_DRAINED"))
    assert pyctl("undrain", "tm-1", "--json").error_codes == ["NOT_DRAINED"]
