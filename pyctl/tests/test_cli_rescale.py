"""`plan`, `rescale`, `status`, `history`, `abort` against a fake JobManager."""

from __future__ import annotations

import json

import pytest

from command import Cli
from fake_jobmanager import JOB, VERTEX, FakeJobManager, refusal, status, vertex, vertices

ACCEPTED = (202, {"request_id": "r1"})
VALID = (200, {"valid": True})


def test_rescale_sends_a_plan_and_prints_the_id_only(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(ACCEPTED)
    result = pyctl("rescale", "-p", "4", "--cause", "more load", "-D", "drrs.x=1")
    assert (result.code, result.out) == (0, "r1\n")
    assert "count | parallelism 2 -> 4 | key groups 4/8 move | 400 B | 2." in result.err
    assert "  this rests on defaults, as there is no history yet: provisioning 2.0 s to 10.0 s, moving" in result.err
    (body,) = jobmanager.posted()
    assert body["vertex"] == VERTEX
    assert body["cause"] == "more load"
    assert body["options"] == {"drrs.x": "1"}
    assert sorted(set(body["placement"])) == [0, 1, 2, 3]
    assert sorted(g for s in body["subscales"] for g in s["key_groups"]) == [
        g for g, owner in enumerate(body["placement"]) if owner > 1
    ]


def test_rescale_waits_through_the_phases_until_completed(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(
        f"GET /jobs/{JOB}/drrs/rescales/r1",
        status("PROVISIONING"),
        status("MIGRATING", 2),
        status("COMPLETED", 4, ended_at=1_700_000_000_900),
    )
    result = pyctl("rescale", "nexmark", "count", "-p", "4", "--wait", "--json")
    assert result.code == 0
    assert result.json["phase"] == "COMPLETED"
    assert result.err == ""


@pytest.mark.parametrize(("phase", "word"), [("FAILED", "failed"), ("ABORTED", "was rolled back")])
def test_rescale_that_ends_badly_has_exit_code_4(pyctl: Cli, jobmanager: FakeJobManager, phase: str, word: str) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales/r1", status(phase, reason="a task was lost"))
    result = pyctl("rescale", "-p", "4", "--wait")
    assert result.code == 4
    assert f"error: The rescale r1 {word}: a task was lost." in result.err
    as_json = pyctl("rescale", "-p", "4", "--wait", "--json")
    assert (as_json.code, as_json.error_codes, as_json.json["phase"]) == (4, ["RESCALE_FAILED"], phase)


def test_a_timeout_has_exit_code_5_and_says_that_the_rescale_goes_on(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(ACCEPTED)
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales/r1", status("MIGRATING", 1))
    result = pyctl("rescale", "-p", "4", "--wait", "--timeout", "0.3")
    assert result.code == 5
    assert "still in phase MIGRATING" in result.err
    assert "it goes on" in result.err


@pytest.mark.parametrize("parallelism", ["0", "-3", "2", "9", "1000"])
def test_what_cannot_be_planned_is_sent_without_a_plan_for_all_its_faults(
    pyctl: Cli, jobmanager: FakeJobManager, parallelism: str
) -> None:
    jobmanager.on_rescale(refusal("ABOVE_CEILING", "UNKNOWN_STRATEGY"))
    result = pyctl("rescale", "-p", parallelism, "--strategy", "nonsense", "--json")
    assert (result.code, result.error_codes) == (3, ["ABOVE_CEILING", "UNKNOWN_STRATEGY"])
    (body,) = jobmanager.posted()
    assert "placement" not in body
    assert body["parallelism"] == int(parallelism)


def test_each_fault_is_one_line_for_people(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(refusal("ABOVE_CEILING", "NOT_ENOUGH_SLOTS"))
    result = pyctl("rescale", "-p", "9")
    assert result.code == 3
    assert result.out == ""
    assert result.err.splitlines() == [
        "error: Sentence about ABOVE_CEILING.",
        "error: Sentence about NOT_ENOUGH_SLOTS.",
    ]


def test_an_unknown_vertex_is_left_to_the_jobmanager(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(refusal("UNKNOWN_VERTEX"))
    result = pyctl("rescale", "nexmark", "nosuch", "-p", "4", "--json")
    assert result.error_codes == ["UNKNOWN_VERTEX"]
    assert jobmanager.posted()[0]["vertex"] == "nosuch"


def test_an_unknown_full_job_id_is_left_to_the_jobmanager(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    other = "d" * 32
    jobmanager.on(f"GET /jobs/{other}/drrs/vertices", refusal("UNKNOWN_JOB"))
    jobmanager.on(f"POST /jobs/{other}/drrs/rescales", refusal("UNKNOWN_JOB", "PARALLELISM_BELOW_ONE"))
    result = pyctl("rescale", other, "count", "-p", "0", "--json")
    assert result.error_codes == ["UNKNOWN_JOB", "PARALLELISM_BELOW_ONE"]


def test_an_unknown_job_name_lists_what_runs(pyctl: Cli) -> None:
    result = pyctl("rescale", "nosuch", "-p", "4")
    assert result.code == 3
    assert "running: aaaaaaaa (nexmark)" in result.err


def test_two_jobs_or_two_vertices_must_be_named(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    two = {"jobs": [{"jid": c * 32, "name": "q5", "state": "RUNNING"} for c in "ae"]}
    jobmanager.on("GET /jobs/overview", two)
    assert pyctl("rescale", "-p", "4", "--json").error_codes == ["AMBIGUOUS_JOB"]
    assert pyctl("rescale", "q5", "-p", "4", "--json").error_codes == ["AMBIGUOUS_JOB"]
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(), vertex(vertex_id="e" * 32, uid="other")))
    ambiguous = pyctl("rescale", "aaaa", "-p", "0", "--json")
    assert ambiguous.error_codes == ["AMBIGUOUS_VERTEX", "PARALLELISM_BELOW_ONE"]
    assert "count, other" in ambiguous.json["errors"][0]["message"]


def test_a_job_that_is_not_elastic_says_why(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on(
        f"GET /jobs/{JOB}/drrs/vertices", vertices(elastic=False, reason="drrs.enabled is not set for this job.")
    )
    result = pyctl("rescale", "-p", "4")
    assert result.code == 3
    assert result.err == "error: The job 'nexmark' cannot be rescaled: drrs.enabled is not set for this job.\n"


def test_plan_prints_a_line_per_vertex_and_touches_nothing(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    second = vertex(vertex_id="e" * 32, uid=None, name="window")
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(), second))
    jobmanager.on_rescale(VALID)
    result = pyctl("plan", "-p", "4")
    assert result.code == 0
    heads = [line for line in result.out.splitlines() if not line.startswith(" ")]
    assert [head.split(" | ")[:3] for head in heads] == [
        ["count", "parallelism 2 -> 4", "key groups 4/8 move"],
        ["window", "parallelism 2 -> 4", "key groups 4/8 move"],
    ]
    assert "warning: The operator 'window' has no uid" in result.out
    assert all(body["dry_run"] for body in jobmanager.posted())


def test_plan_names_what_scales_together(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    group = ["count", "sink"]
    follower = vertex(
        vertex_id="e" * 32, uid="sink", name="sink", group=group, supported=False, placement=[],
        reason="it scales together with count; name count",
    )  # fmt: skip
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(group=group), follower))
    jobmanager.on_rescale(VALID)
    result = pyctl("plan", "-p", "4")
    assert result.code == 0
    assert "  scales together with it: sink\n" in result.out


def test_plan_as_json_has_everything_and_a_refusal_has_exit_code_3(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on_rescale(VALID, refusal("NOT_ENOUGH_SLOTS"))
    good = pyctl("plan", "-p", "3", "--json", "--balance", "load")
    assert good.code == 0
    (plan,) = good.json["plans"]
    assert len(plan["placement"]) == 8
    assert {s["to"] for s in plan["subscales"]} == {2}
    assert 1_000 < plan["expected"]["low_ms"] < plan["expected"]["high_ms"] < 20_000
    assert (plan["expected"]["basis"], plan["expected"]["rescales"]) == ("defaults, as there is no history yet", 0)
    assert set(plan["expected"]["phases"]) == {"PROVISIONING", "MIGRATING", "RETIRING"}
    bad = pyctl("rescale", "--dry-run", "-p", "3", "--json")
    assert (bad.code, bad.error_codes, bad.json["valid"]) == (3, ["NOT_ENOUGH_SLOTS"], False)
    assert bad.json["plans"][0]["moves"] == 2


def test_the_reference_is_planned_by_ranges_unless_a_balance_is_asked_for(
    pyctl: Cli, jobmanager: FakeJobManager
) -> None:
    jobmanager.on_rescale(VALID)
    (plan,) = pyctl("plan", "-p", "4", "--strategy", "reference", "--json").json["plans"]
    assert plan["placement"] == [0, 0, 1, 1, 2, 2, 3, 3]
    (by_load,) = pyctl("plan", "-p", "4", "--strategy", "reference", "--balance", "load", "--json").json["plans"]
    assert by_load["placement"] != plan["placement"]


def test_plan_says_what_the_strategy_makes_of_it(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    moves = {"vertex_id": vertex()["vertex_id"], "key_groups": 4, "subscales": 4}
    jobmanager.on_rescale((200, {"valid": True, "operators": [moves]}))
    shown = pyctl("plan", "-p", "4", "--strategy", "megaphone")
    assert "  the strategy megaphone makes 4 subscales of them\n" in shown.out
    (plan,) = pyctl("plan", "-p", "4", "--strategy", "megaphone", "--json").json["plans"]
    assert (plan["strategy"], plan["strategy_subscales"]) == ("megaphone", 4)


def test_a_sample_measures_the_load_instead_of_taking_the_counters(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    later = vertex(key_groups=[{"id": g, "records": 10 + (990 if g == 0 else 10)} for g in range(8)])
    jobmanager.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex()), vertices(later))
    jobmanager.on_rescale(VALID)
    result = pyctl("plan", "nexmark", "count", "-p", "4", "--sample", "0.01")
    assert "Key group 0 takes 93% of the records" in result.out


def test_status_shows_the_newest_and_its_phases(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    newest, older = status("MIGRATING", 2, request_id="r2"), status("COMPLETED", 4)
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales", {"rescales": [newest, older]})
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales/r2", newest)
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales/r1", older)
    result = pyctl("status")
    assert result.out.startswith("r2 | count | parallelism 2 -> 4 | MIGRATING | key groups 2/4 | 200 B of 400 B")
    assert "longest suspension: 14 ms at subtask 2" in result.out
    assert (
        "  waits, mean / longest: propagation 25 / 40 ms, alignment 2 / 4 ms, dependency of a key group 20 / 32 ms\n"
        in result.out
    )
    kinds = [line.split(": ")[0] for line in result.out.splitlines() if "in mailboxes" in line]
    assert kinds == [f"  in mailboxes, {kind}" for kind in ("Start", "OpenReader", "Register")]
    assert "Start: 8 times, 99 % within 0.9 ms, longest 12.3 ms" in result.out
    assert "garbage collection on tm-1: 3 pauses, 120 ms in all, longest 85 ms" in result.out
    assert pyctl("status", "--id", "r1", "--json").json["phase"] == "COMPLETED"


def test_status_watch_as_json_is_one_line_a_change(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales", {"rescales": [status("PLANNED")]})
    jobmanager.on(
        f"GET /jobs/{JOB}/drrs/rescales/r1",
        status("MIGRATING", 1),
        status("MIGRATING", 1),
        status("FAILED", 1),
    )
    result = pyctl("status", "--watch", "--json")
    assert [json.loads(line)["phase"] for line in result.out.splitlines()] == ["MIGRATING", "FAILED"]
    assert result.code == 4


def test_abort_and_wait_until_rolled_back(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales", {"rescales": [status("MIGRATING", 2)]})
    jobmanager.on(f"POST /jobs/{JOB}/drrs/rescales/r1/abort", ACCEPTED)
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales/r1", status("ABORTING", 2), status("ABORTED", 2, reason="asked for"))
    assert pyctl("abort").code == 0
    assert pyctl("abort", "--wait").code == 0


def test_abort_that_came_too_late_fails(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales", {"rescales": [status("RETIRING", 4)]})
    jobmanager.on(f"POST /jobs/{JOB}/drrs/rescales/r1/abort", ACCEPTED, refusal("NOT_ABORTABLE"))
    jobmanager.on(f"GET /jobs/{JOB}/drrs/rescales/r1", status("COMPLETED", 4))
    assert pyctl("abort", "--wait").code == 4
    assert pyctl("abort", "--json").error_codes == ["NOT_ABORTABLE"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("rescale",),
        ("rescale", "-p", "four"),
        ("rescale", "-p", "4", "-D", "novalue"),
        ("rescale", "-p", "4", "--timeout", "5"),
        ("rescale", "-p", "4", "--wait", "--timeout", "0"),
        ("rescale", "-p", "4", "--wait", "--dry-run"),
        ("nosuch",),
    ],
)
def test_a_command_line_that_cannot_be_meant_has_exit_code_2_and_sends_nothing(
    cli: Cli, jobmanager: FakeJobManager, arguments: tuple[str, ...]
) -> None:
    assert cli(*arguments).code == 2
    as_json = cli(*arguments, "--json")
    assert (as_json.code, as_json.error_codes) == (2, ["USAGE"])
    assert jobmanager.requests == []


def test_nobody_listening_has_exit_code_6(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyctl.rest.RETRY_S", 0.1)
    result = cli("rescale", "-m", "127.0.0.1:1", "-p", "4", "--json")
    assert (result.code, result.error_codes) == (6, ["NOT_REACHABLE"])


def test_a_bug_is_one_sentence_and_exit_code_1(pyctl: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("pyctl.cli.rescale.prepare", broken)
    result = pyctl("rescale", "-p", "4")
    assert result.code == 1
    assert result.err == "error: Internal error of pyctl (RuntimeError): boom\n"
