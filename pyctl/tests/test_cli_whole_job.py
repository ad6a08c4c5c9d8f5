"""`plan` and `rescale` with the strategies `restart` and `adaptive`, on a Flink without the plug-in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import responses

from command import Cli, Result
from fake_flink import SAVEPOINT, FakeFlink
from fake_jobmanager import JOB
from pyctl.clock import SYSTEM

RESTART = ("-p", "4", "--strategy", "restart", "--wait")
ADAPTIVE = ("-p", "4", "--strategy", "adaptive")


@pytest.fixture
def flink() -> Iterator[FakeFlink]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        fake = FakeFlink(SYSTEM, savepoint_takes_s=0.1)
        fake.serve(mock)
        yield fake


@pytest.fixture
def submission(tmp_path: Path) -> str:
    file = tmp_path / "submission.json"
    document = {"jar_id": "job.jar", "arguments": ["--count", "{parallelism}"], "options": {}}
    file.write_text(json.dumps(document))
    return str(file)


@pytest.fixture
def call(cli: Cli) -> Any:
    def run(command: str, *arguments: str) -> Result:
        return cli(command, "-m", "jm:8081", JOB, *arguments)

    return run


def test_a_restart_prints_what_it_did(call: Any, flink: FakeFlink, submission: str) -> None:
    done = call("rescale", *RESTART, "--submission", submission)
    assert done.code == 0, done
    (new,) = flink.started
    change, how_on = done.err.splitlines()
    assert change == "running count | parallelism 2 -> 4"
    assert how_on == f"restart {new} of {JOB}: if this is broken off, --id goes on with it"
    head, phases, savepoint = done.out.splitlines()
    assert head.startswith(f"{new} | restart | COMPLETED | ")
    assert "STOPPING" in phases
    assert savepoint == f"  from the savepoint {SAVEPOINT}"


def test_a_restart_is_one_json_document(call: Any, flink: FakeFlink, submission: str) -> None:
    done = call("rescale", *RESTART, "--submission", submission, "--json", "--cause", "load")
    assert done.code == 0
    assert done.json["outcome"]["reached"] is True
    assert done.json["request_id"] in done.err
    assert done.json["job_id"] == done.json["request_id"] == next(iter(flink.started))


def test_a_failure_has_exit_code_4_and_the_ids_beside_it(call: Any, flink: FakeFlink, submission: str) -> None:
    flink.refuse_run = "no such bucket"
    done = call("rescale", *RESTART, "--submission", submission, "--json")
    assert (done.code, done.error_codes, done.json["savepoint"]) == (4, ["RESCALE_FAILED"], SAVEPOINT)
    assert done.json["job_id"] == JOB
    flink.refuse_run = None
    again = call("rescale", *RESTART, "--submission", submission, "--json", "--id", done.json["request_id"])
    assert (again.code, again.json["savepoint"]) == (0, SAVEPOINT)


def test_a_time_out_has_exit_code_5(call: Any, flink: FakeFlink, submission: str) -> None:
    flink.savepoint_takes_s = 1e9
    done = call("rescale", *RESTART, "--submission", submission, "--json", "--timeout", "0.2")
    assert (done.code, done.error_codes) == (5, ["TIMEOUT"])
    assert len(done.json["request_id"]) == 32


@pytest.mark.parametrize("command", [("plan",), ("rescale", "--dry-run")])
def test_a_plan_touches_nothing(call: Any, flink: FakeFlink, submission: str, command: tuple[str, ...]) -> None:
    done = call(command[0], *command[1:], "-p", "4", "--strategy", "restart", "--submission", submission, "--json")
    assert done.code == 0, done
    (plan,) = done.json["plans"]
    assert (plan["vertex"], plan["from_parallelism"], plan["to_parallelism"]) == ("running count", 2, 4)
    flink.scheduler = "Adaptive"
    assert call(command[0], *command[1:], *ADAPTIVE).code == 0
    assert flink.sent == []


def test_the_adaptive_scheduler_is_told_without_waiting(call: Any, flink: FakeFlink) -> None:
    flink.scheduler = "Adaptive"
    done = call("rescale", *ADAPTIVE, "--json")
    assert (done.code, done.json) == (0, {"job_id": JOB, "request_id": None})
    assert [method for method, _ in flink.changing()] == ["PUT"]


def test_another_scheduler_has_exit_code_3(call: Any, flink: FakeFlink) -> None:
    done = call("rescale", *ADAPTIVE, "--json")
    assert (done.code, done.error_codes) == (3, ["NOT_ADAPTIVE"])
    assert flink.sent == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (RESTART, "--submission"),
        (("-p", "4", "--strategy", "restart", "--submission", "FILE"), "--wait"),
        ((*RESTART, "--submission", "FILE", "--sample", "2"), "--sample"),
        ((*RESTART, "--submission", "FILE", "--id", "zz"), "32 hexadecimal digits"),
        ((*ADAPTIVE, "--submission", "FILE"), "--submission"),
        (("-p", "4", "--id", "a" * 32), "--id"),
    ],
)
def test_what_has_no_meaning_is_usage(
    call: Any, flink: FakeFlink, submission: str, arguments: tuple[str, ...], named: str
) -> None:
    done = call("rescale", *(submission if one == "FILE" else one for one in arguments))
    assert (done.code, named in done.err) == (2, True), done
    assert flink.sent == []


@pytest.mark.usefixtures("flink")
def test_a_rebalance_is_no_restart(call: Any) -> None:
    assert call("rebalance", "--strategy", "restart").code == 2
