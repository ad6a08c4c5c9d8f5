"""Several operators in one command: what is meant, what is sent, what is shown."""

from __future__ import annotations

import pytest

from command import Cli
from fake_jobmanager import JOB, VERTEX, FakeJobManager, refusal, status, vertex, vertices
from pyctl.cli._targets import Targets, targets
from pyctl.errors import UsageError

OTHER = "e" * 32
ACCEPTED = (202, {"request_id": "r1"})


@pytest.fixture
def two(jobmanager: FakeJobManager) -> FakeJobManager:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(), vertex(vertex_id=OTHER, uid="other")))
    return jobmanager


@pytest.mark.parametrize(
    ("names", "parallelism", "meant"),
    [
        ([], 4, Targets(None, [(None, 4)])),
        (["job"], 4, Targets("job", [(None, 4)])),
        (["job", "count"], 4, Targets("job", [("count", 4)])),
        (["job", "count=4"], None, Targets("job", [("count", 4)])),
        (["count=4"], None, Targets(None, [("count", 4)])),
        (["count=4", "other=-1"], None, Targets(None, [("count", 4), ("other", -1)])),
        (["job", "count", "other"], 4, Targets("job", [("count", 4), ("other", 4)])),
        (["job", "count=3", "other"], 4, Targets("job", [("count", 3), ("other", 4)])),
        (["job", "a=b=3"], None, Targets("job", [("a=b", 3)])),
    ],
)
def test_job_and_operators_are_told_apart(names: list[str], parallelism: int | None, meant: Targets) -> None:
    assert targets(names, parallelism) == meant


@pytest.mark.parametrize(
    ("names", "parallelism"),
    [([], None), (["job", "count"], None), (["job", "count=four"], None), (["count=4", "other"], None), (["a=1"], 4)],
)
def test_a_parallelism_too_few_or_too_many_is_not_guessed(names: list[str], parallelism: int | None) -> None:
    with pytest.raises(UsageError):
        targets(names, parallelism)


def test_one_request_with_a_plan_for_each(pyctl: Cli, two: FakeJobManager) -> None:
    two.on_rescale(ACCEPTED)
    result = pyctl("rescale", "nexmark", "count=4", "other=3", "--cause", "more load", "-D", "drrs.x=1")
    assert (result.code, result.out) == (0, "r1\n")
    assert "count | parallelism 2 -> 4" in result.err
    assert "other | parallelism 2 -> 3" in result.err
    (body,) = two.posted()
    assert (body["cause"], body["options"]) == ("more load", {"drrs.x": "1"})
    assert [(o["vertex"], o["parallelism"], len(set(o["placement"]))) for o in body["operators"]] == [
        (VERTEX, 4, 4),
        (OTHER, 3, 3),
    ]
    assert not {"vertex", "parallelism", "placement", "subscales"} & set(body)


def test_all_faults_come_in_one_answer(pyctl: Cli, two: FakeJobManager) -> None:
    two.on_rescale(refusal("ABOVE_CEILING", "UNKNOWN_VERTEX"))
    result = pyctl("rescale", "count=99", "nope=3", "--json")
    assert (result.code, result.error_codes) == (3, ["ABOVE_CEILING", "UNKNOWN_VERTEX"])
    (body,) = two.posted()
    assert [("placement" in o, o["vertex"]) for o in body["operators"]] == [(False, VERTEX), (False, "nope")]


def test_a_dry_run_shows_both_plans_and_the_faults_of_both_together(pyctl: Cli, two: FakeJobManager) -> None:
    two.on_rescale((200, {"valid": True}), refusal("NOT_ENOUGH_SLOTS"))
    good = pyctl("plan", "count=4", "other=3")
    assert good.code == 0
    assert [line.split(" | ")[0] for line in good.out.splitlines() if not line.startswith(" ")] == ["count", "other"]
    bad = pyctl("rescale", "count=4", "other=3", "--dry-run", "--json")
    assert (bad.code, bad.error_codes, bad.json["valid"], len(bad.json["plans"])) == (3, ["NOT_ENOUGH_SLOTS"], False, 2)
    assert [body["dry_run"] for body in two.posted()] == [True, True]


def test_one_sample_serves_all(pyctl: Cli, two: FakeJobManager) -> None:
    two.on_rescale((200, {"valid": True}))
    assert pyctl("plan", "count=4", "other=3", "--sample", "0.01").code == 0
    assert [path for _, path, _ in two.requests].count(f"/jobs/{JOB}/drrs/vertices") == 2


def test_the_status_has_a_part_for_each(pyctl: Cli, two: FakeJobManager) -> None:
    parts = [status("COMPLETED", 4), status("MIGRATING", 1, vertex_id=OTHER, vertex_name="other")]
    combined = status(
        "MIGRATING",
        5,
        vertex_id=None,
        vertex_name="count, other",
        from_parallelism=None,
        to_parallelism=None,
        suspension_ms={},
        parts=parts,
    )
    two.on(f"GET /jobs/{JOB}/drrs/rescales", {"rescales": [combined]})
    two.on(f"GET /jobs/{JOB}/drrs/rescales/r1", combined)
    lines = pyctl("status").out.splitlines()
    assert lines[0].startswith("r1 | count, other | 2 operators | MIGRATING | key groups 5/4")
    assert any(line.startswith("  r1 | other | parallelism 2 -> 4 | MIGRATING | key groups 1/4") for line in lines)
    assert len(pyctl("history", "nexmark", "other", "--json").json["rescales"]) == 1
    assert pyctl("history", "nexmark", "third").out == "no rescales so far\n"
    assert pyctl("status", "nexmark", "other", "--json").json["parts"][1]["vertex_name"] == "other"
