"""What cannot be done is refused at once, with all reasons in plain sentences, and the job runs on untouched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from harness.cluster import Cluster
from harness.command import Pyctl, assert_plain
from harness.contract import MECHANISMS, OPTIONS
from harness.job import Job, JobSpec, running
from harness.plans import planned, post
from harness.workload import Workload

NOWHERE = "0" * 32

# 9 slots, 2 of them taken: 7 are free. All of ceiling, max parallelism and slots can be exceeded one by one.
SPEC = JobSpec(
    "count",
    2,
    replace(Workload(), events=8_000),
    arguments=("--max-parallelism", "16"),
    options={"drrs.ceiling": "12", "drrs.rest.max-request-size": "1 mb"},
)


@pytest.fixture(scope="module")
def job(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    """The job that all bad requests are for. In the end it must have run as if there had been none."""
    with running(cluster, SPEC, tmp_path_factory.mktemp("refused")) as one:
        one.await_records("count", 1)
        yield one
        assert one.attempts() == {0}
        assert one.vertex("count").parallelism == 2
        assert cluster.client.history(one.id) == []
        one.finish()
        one.assert_never_failed()
        one.assert_exact()


# -- parallelism -----------------------------------------------------------------------------------------------------

PARALLELISM: list[tuple[int, dict[str, list[str]]]] = [
    (0, {"PARALLELISM_BELOW_ONE": ["0", "1"]}),
    (-3, {"PARALLELISM_BELOW_ONE": ["-3", "1"]}),
    (2, {"PARALLELISM_UNCHANGED": ["2"]}),
    (10, {"NOT_ENOUGH_SLOTS": ["10", "7", "1 missing"]}),
    (12, {"NOT_ENOUGH_SLOTS": ["12", "7", "3 missing"]}),
    (13, {"ABOVE_CEILING": ["13", "12"], "NOT_ENOUGH_SLOTS": ["11", "7", "4 missing"]}),
    (
        17,
        {
            "ABOVE_CEILING": ["17", "12"],
            "ABOVE_MAX_PARALLELISM": ["17", "16"],
            "NOT_ENOUGH_SLOTS": ["15", "7", "8 missing"],
        },
    ),
]


@pytest.mark.parametrize(("parallelism", "faults"), PARALLELISM)
@pytest.mark.refuses("requests: a parallelism above ceiling, max parallelism or free slots, or no change")
@pytest.mark.refuses("reports: T11, more subtasks than the max parallelism")
@pytest.mark.refuses("reports: T12, more subtasks than there are slots")
def test_parallelism_out_of_bounds(
    cluster: Cluster, job: Job, pyctl: Pyctl, parallelism: int, faults: dict[str, list[str]]
) -> None:
    status, found = post(cluster, job.id, {"vertex": "count", "parallelism": parallelism})
    assert 400 <= status < 500
    assert set(found) == set(faults)
    for code, numbers in faults.items():
        assert all(number in found[code] for number in numbers), found[code]

    sentences = pyctl("rescale", job.id, "count", "-p", str(parallelism)).refusals()
    assert sorted(sentences) == sorted(found.values())

    errors = pyctl("rescale", job.id, "count", "-p", str(parallelism), "--json").document["errors"]
    assert {error["code"]: error["message"] for error in errors} == found


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unknown", [NOWHERE, "no-job"])
@pytest.mark.refuses("requests: an unknown job")
def test_unknown_job(cluster: Cluster, job: Job, pyctl: Pyctl, unknown: str) -> None:
    assert job.state() == "RUNNING"
    status, found = post(cluster, unknown, {"vertex": "count", "parallelism": 4})
    assert status == 404
    assert unknown in found["UNKNOWN_JOB"]
    (sentence,) = pyctl("rescale", unknown, "count", "-p", "4").refusals()
    assert_plain(sentence)
    assert unknown in sentence


@pytest.mark.parametrize("unknown", ["nope", "source", NOWHERE])
@pytest.mark.refuses("requests: an unknown operator")
def test_unknown_vertex_names_those_there_are(cluster: Cluster, job: Job, pyctl: Pyctl, unknown: str) -> None:
    status, found = post(cluster, job.id, {"vertex": unknown, "parallelism": 4})
    assert 400 <= status < 500
    assert set(found) == {"UNKNOWN_VERTEX"}
    assert unknown in found["UNKNOWN_VERTEX"]
    assert "count" in found["UNKNOWN_VERTEX"]
    assert pyctl("rescale", job.id, unknown, "-p", "4").refusals() == [found["UNKNOWN_VERTEX"]]


# -- form ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [b"", b"{", b'{"vertex": count}', b"\xff\xfe{}", b'{"a":1} x'])
@pytest.mark.refuses("requests: malformed JSON")
def test_malformed_json(cluster: Cluster, job: Job, text: bytes) -> None:
    status, found = post(cluster, job.id, text)
    assert status == 400
    assert set(found) == {"MALFORMED_JSON"}


@pytest.mark.parametrize(
    ("request_body", "part"),
    [
        ([1], "object"),
        ({"vertex": 7, "parallelism": 4}, "vertex"),
        ({"vertex": "count"}, "parallelism"),
        ({"vertex": "count", "parallelism": "4"}, "parallelism"),
        ({"vertex": "count", "parallelism": 4.5}, "parallelism"),
        ({"vertex": "count", "parallelism": 4, "paralellism": 5}, "paralellism"),
        ({"vertex": "count", "parallelism": 4, "request_id": "a/b"}, "request_id"),
        ({"vertex": "count", "parallelism": 4, "cause": "x" * 1001}, "1001"),
        ({"vertex": "count", "parallelism": 4, "placement": "all"}, "placement"),
        ({"vertex": "count", "parallelism": 4, "subscales": [7]}, "subscales"),
        ({"vertex": "count", "parallelism": 4, "dry_run": "yes"}, "dry_run"),
    ],
)
@pytest.mark.refuses("requests: a field that is unknown, missing or of the wrong type")
def test_malformed_request_names_the_field(cluster: Cluster, job: Job, request_body: Any, part: str) -> None:
    status, found = post(cluster, job.id, request_body)
    assert status == 400
    assert set(found) == {"MALFORMED_REQUEST"}
    assert part in found["MALFORMED_REQUEST"]


@pytest.mark.refuses("requests: a body above the maximal size")
def test_body_too_large(cluster: Cluster, job: Job) -> None:
    status, found = post(cluster, job.id, b" " * (1024 * 1024 + 1))
    assert status == 413
    assert set(found) == {"TOO_LARGE"}


# -- plans -----------------------------------------------------------------------------------------------------------


def without_a_key_group(plan: dict[str, Any]) -> None:
    plan["placement"].pop()


def one_key_group_too_many(plan: dict[str, Any]) -> None:
    plan["placement"].append(0)


def moved_twice(plan: dict[str, Any]) -> None:
    plan["subscales"][0]["key_groups"].append(plan["subscales"][0]["key_groups"][0])


def placed_but_not_moved(plan: dict[str, Any]) -> None:
    plan["subscales"].pop()


def moved_to_another_place(plan: dict[str, Any]) -> None:
    plan["subscales"][0]["to"] = 1 - plan["subscales"][0]["from"]


def placed_outside(plan: dict[str, Any]) -> None:
    plan["placement"][0] = 9


def without_subscales(plan: dict[str, Any]) -> None:
    del plan["subscales"]


def from_where_it_is_not(plan: dict[str, Any]) -> None:
    plan["subscales"][0]["from"] = 1 - plan["subscales"][0]["from"]


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (without_a_key_group, "PLAN_INCOMPLETE"),
        (placed_but_not_moved, "PLAN_INCOMPLETE"),
        (without_subscales, "PLAN_INCOMPLETE"),
        (one_key_group_too_many, "PLAN_INVALID"),
        (moved_twice, "PLAN_INVALID"),
        (moved_to_another_place, "PLAN_INVALID"),
        (placed_outside, "PLAN_INVALID"),
        (from_where_it_is_not, "PLAN_INVALID"),
    ],
)
@pytest.mark.refuses("requests: a plan that does not fit the present placement")
def test_plan_that_does_not_fit(cluster: Cluster, job: Job, spoil: Callable[[dict[str, Any]], None], code: str) -> None:
    plan = planned(job, "count", 4)
    spoil(plan)
    status, found = post(cluster, job.id, plan)
    assert 400 <= status < 500
    assert code in found


# -- all at once -----------------------------------------------------------------------------------------------------


def test_all_faults_of_a_request_in_one_answer(cluster: Cluster, job: Job) -> None:
    wrong = {
        "vertex": "count",
        "parallelism": 17,
        "strategy": "magic",
        "colour": "red",
        "placement": [0] * 16,
    }
    _, found = post(cluster, job.id, wrong)
    assert set(found) == {
        "ABOVE_CEILING",
        "ABOVE_MAX_PARALLELISM",
        "NOT_ENOUGH_SLOTS",
        "UNKNOWN_STRATEGY",
        "MALFORMED_REQUEST",
        "PLAN_INCOMPLETE",
    }
    assert "drrs" in found["UNKNOWN_STRATEGY"]


def test_faults_of_form_and_an_unknown_job_in_one_answer(cluster: Cluster, job: Job) -> None:
    assert job.state() == "RUNNING"
    _, found = post(cluster, NOWHERE, {"vertex": "count", "parallelism": "many"})
    assert set(found) == {"UNKNOWN_JOB", "MALFORMED_REQUEST"}


@pytest.mark.refuses("requests: an unknown option, or a bad value")
def test_unknown_option_and_bad_value(cluster: Cluster, job: Job, pyctl: Pyctl) -> None:
    options = {"drrs.no-such": "1", "drrs.strategy.pull-window": "none"}
    _, found = post(cluster, job.id, planned(job, "count", 4, options=options))
    assert "drrs.no-such" in found["UNKNOWN_OPTION"]
    assert "drrs.strategy.pull-window" in " ".join(found.values())
    sentences = pyctl("rescale", job.id, "count", "-p", "4", *(f"-D{k}={v}" for k, v in options.items())).refusals()
    assert any("drrs.no-such" in sentence for sentence in sentences)


@pytest.mark.parametrize("strategy", OPTIONS)
@pytest.mark.refuses("requests: an option that the strategy does not have")
def test_an_option_that_the_strategy_has_not_is_answered_with_those_it_has(
    cluster: Cluster, job: Job, strategy: str
) -> None:
    (foreign,) = OPTIONS["megaphone"] if strategy != "megaphone" else {"drrs.copy-ahead"}
    wrong = {"vertex": "count", "parallelism": 4, "strategy": strategy, "options": {foreign: "1"}}
    _, found = post(cluster, job.id, wrong)
    has = ", ".join(sorted(OPTIONS[strategy])) or "none"
    assert found == {"UNKNOWN_OPTION": f"Strategy {strategy} has no option {foreign}; it has {has}."}


@pytest.mark.refuses("requests: a strategy that there is not")
def test_a_strategy_that_there_is_not_is_answered_with_those_there_are(cluster: Cluster, job: Job) -> None:
    _, found = post(cluster, job.id, {"vertex": "count", "parallelism": 4, "strategy": "rhino"})
    assert set(found) == {"UNKNOWN_STRATEGY"}
    listed = found["UNKNOWN_STRATEGY"].removesuffix(".").partition("there is drrs, ")[2]
    assert {"drrs", *listed.split(", ")} == set(OPTIONS) == {one.strategy for one in MECHANISMS}


# -- asking only -----------------------------------------------------------------------------------------------------


@pytest.mark.covers("requests: dry run")
def test_dry_run_says_valid_and_touches_nothing(cluster: Cluster, job: Job, pyctl: Pyctl) -> None:
    answer = cluster.post(f"/jobs/{job.id}/drrs/rescales", planned(job, "count", 4, dry_run=True))
    (moving,) = answer.json()["operators"]
    assert (answer.status_code, answer.json()["valid"], moving["key_groups"]) == (200, True, 8)
    shown = pyctl("rescale", job.id, "count", "-p", "4", "--dry-run", "--json")
    assert shown.code == 0
    assert shown.document["valid"] is True
    steps = pyctl("plan", job.id, "count", "-p", "4", "--strategy", "megaphone", "--json").document["plans"]
    assert [plan["strategy_subscales"] for plan in steps] == [8]
    assert cluster.client.vertices(job.id).rescale is None


def test_dry_run_of_a_bad_request_has_its_faults(cluster: Cluster, job: Job, pyctl: Pyctl) -> None:
    status, found = post(cluster, job.id, {"vertex": "count", "parallelism": 13, "dry_run": True})
    assert 400 <= status < 500
    assert "ABOVE_CEILING" in found
    shown = pyctl("rescale", job.id, "count", "-p", "13", "--dry-run")
    assert shown.code == 3
    assert "13" in shown.err
    assert "12" in shown.err


@pytest.mark.refuses("requests: an unknown rescale")
def test_unknown_rescale(cluster: Cluster, job: Job, pyctl: Pyctl) -> None:
    for command in ("status", "abort"):
        (sentence,) = pyctl(command, job.id, "--id", "no-such").refusals()
        assert_plain(sentence)
        assert "no-such" in sentence
    answer = cluster.post(f"/jobs/{job.id}/drrs/rescales/no-such/abort", {})
    assert answer.status_code == 404
    assert answer.json()["errors"][0]["code"] == "UNKNOWN_RESCALE"


def test_no_jobmanager_there(capsys: pytest.CaptureFixture[str], cluster: Cluster) -> None:
    assert cluster.address
    output = Pyctl("127.0.0.1:1", capsys)("rescale", NOWHERE, "count", "-p", "4")
    assert output.code == 6
    assert output.out == ""
    assert "127.0.0.1:1" in output.err
