"""`doctor`: exit code 0 only if all JVMs are known to be armed with one plug-in."""

from __future__ import annotations

from typing import Any

import pytest

from command import Cli
from fake_jobmanager import JOB, VERTEX, FakeJobManager, refusal, vertex, vertices
from pyctl import __version__


def task_manager(name: str, armed: bool | None = True, **changes: Any) -> dict[str, Any]:
    identity = {"version": None, "build": None} if armed is None else {"version": __version__, "build": "abc"}
    base = {"id": name, "address": f"{name}:1", "armed": armed, "drained": False, "slots": 3, "free_slots": 1}
    return {**base, **identity, **changes}


def overview(*task_managers: dict[str, Any], **changes: Any) -> dict[str, Any]:
    base = {
        "version": __version__,
        "build": "abc",
        "flink_version": "2.3.0",
        "armed": True,
        "reason": None,
        "join_points": [{"name": "router", "target": "KeyGroupStreamPartitioner", "ok": True}],
        "task_managers": list(task_managers) or [task_manager("tm-0"), task_manager("tm-1")],
        "drains": [],
    }
    return {**base, **changes}


def codes(result: Any) -> list[str]:
    return [error["code"] for error in result.json["errors"]]


@pytest.fixture
def cluster(jobmanager: FakeJobManager) -> FakeJobManager:
    jobmanager.on("GET /drrs/overview", overview())
    return jobmanager


@pytest.mark.usefixtures("cluster")
def test_it_is_content_when_every_jvm_is_armed(pyctl: Cli) -> None:
    result = pyctl("doctor")
    assert result.code == 0
    assert f"plug-in {__version__}, build abc on Flink 2.3.0, 1 of 1 join points fit; pyctl {__version__}" in result.err
    as_json = pyctl("doctor", "--json")
    assert (as_json.code, as_json.json["errors"], as_json.json["pyctl_version"]) == (0, [], __version__)


@pytest.mark.parametrize(
    ("managers", "changes", "code", "words"),
    [
        ([task_manager("tm-0"), task_manager("tm-9", None)], {}, "NOT_KNOWN_YET", "not known yet of: tm-9"),
        (
            [task_manager("tm-0"), task_manager("tm-9", False, version=None, build=None)], {},
            "PLUGIN_MISSING_ON_TASKMANAGER", "The plug-in is missing, not armed or too old",
        ),
        (
            [task_manager("tm-9", False)], {}, "PLUGIN_MISSING_ON_TASKMANAGER", "to tell its version on: tm-9.",
        ),
        (
            [task_manager("tm-0"), task_manager("tm-9", False, version="0.0.9")], {},
            "PLUGIN_VERSION", "on: tm-9 (0.0.9, build abc); put the same jar there",
        ),
        ([task_manager("tm-9", False, build="def")], {}, "PLUGIN_VERSION", "build abc) is on: tm-9"),
        ([], {"armed": False, "reason": "Flink 2.4."}, "NOT_ARMED", "is not armed: Flink 2.4."),
        (
            [], {"join_points": [{"name": "router", "target": "a.B#c", "ok": False}]},
            "JOIN_POINT", "Join point router does not fit this Flink: a.B#c.",
        ),
        (
            [task_manager("tm-0", version="9.9.9")], {"version": "9.9.9"},
            "PYCTL_VERSION", f"pyctl is version {__version__} and the plug-in 9.9.9",
        ),
    ],
)  # fmt: skip
def test_what_is_not_known_to_be_right_has_exit_code_3_and_a_code(
    pyctl: Cli,
    jobmanager: FakeJobManager,
    managers: list[dict[str, Any]],
    changes: dict[str, Any],
    code: str,
    words: str,
) -> None:
    jobmanager.on("GET /drrs/overview", overview(*managers, **changes))
    result = pyctl("doctor")
    assert result.code == 3
    assert words in result.err
    as_json = pyctl("doctor", "--json")
    assert (as_json.code, codes(as_json)) == (3, [code])


def test_all_faults_are_told_together(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    managers = [task_manager("tm-0", None), task_manager("tm-1", False, version="0.0.1"), task_manager("tm-2", False)]
    jobmanager.on("GET /drrs/overview", overview(*managers, armed=False))
    assert codes(pyctl("doctor", "--json")) == [
        "NOT_ARMED", "PLUGIN_MISSING_ON_TASKMANAGER", "PLUGIN_VERSION", "NOT_KNOWN_YET"
    ]  # fmt: skip


def test_what_is_drained_is_shown(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    managers = [task_manager("tm-0", drained=True, free_slots=2), task_manager("tm-1")]
    drains = [{"task_manager": name, "since": 1} for name in ("tm-0", "tm-gone")]
    jobmanager.on("GET /drrs/overview", overview(*managers, drains=drains))
    result = pyctl("doctor")
    assert result.code == 0
    assert "armed, drained" in result.out
    assert "slots: 1 of 6 free, 2 more on drained TaskManagers, where nothing is placed\n" in result.out
    assert "drained, but not registered: tm-gone" in result.err


def test_a_rehearsal_is_shown_and_one_that_failed_with_its_reason_which_is_no_fault(
    pyctl: Cli, jobmanager: FakeJobManager
) -> None:
    managers = [
        task_manager("tm-0", rehearsal="done in 9100 ms"),
        task_manager("tm-1", rehearsal="failed: java.io.IOException: no connection"),
        task_manager("tm-2", rehearsal="stopped: a rescale began"),
        task_manager("tm-3"),
    ]
    jobmanager.on("GET /drrs/overview", overview(*managers, rehearsal="failed: java.lang.NoSuchMethodError: a"))
    result = pyctl("doctor")
    assert result.code == 0
    assert "done in 9100 ms" in result.out
    assert "rehearsal on the JobManager failed: java.lang.NoSuchMethodError: a" in result.err
    assert "rehearsal on TaskManager tm-1 failed: java.io.IOException: no connection" in result.err
    assert "rehearsal on TaskManager tm-2 stopped: a rescale began" in result.err
    assert "tm-0" not in result.err
    assert [tm["rehearsal"] for tm in pyctl("doctor", "--json").json["task_managers"]][2:] == [
        "stopped: a rescale began", None
    ]  # fmt: skip


def test_slots_are_shown_with_what_they_are_needed_for(pyctl: Cli, cluster: FakeJobManager) -> None:
    dormant = [
        {"index": 2, "slots": [{"group": 0, "task_manager": "tm-0"}, {"group": 1, "task_manager": None}]},
        {"index": 3, "slots": [{"group": 2, "task_manager": None}, {"group": 3, "task_manager": None}]},
        {"index": 4, "slots": [{"group": 2, "task_manager": None}, {"group": 4, "task_manager": None}]},
    ]
    full = vertex(vertex_id="e" * 32, uid="full", parallelism=8)
    rigid = vertex(vertex_id="d" * 32, uid="rigid", supported=False)
    using = [{"id": "tm-0", "unused_slots": 1}, {"id": "tm-1", "drained": True, "unused_slots": 5}]
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", vertices(vertex(dormant=dormant), full, rigid, task_managers=using))
    result = pyctl("doctor")
    assert result.code == 0
    assert "slots: 2 of 6 free\n" in result.out
    assert "  count of job nexmark (2 of at most 8): one more subtask needs 0, the ceiling needs 3\n" in result.out
    assert "full" not in result.out
    as_json = pyctl("doctor", "--json").json
    assert as_json["slots"] == {"total": 6, "free": 2, "free_on_drained": 0}
    assert [need["vertex"] for need in as_json["needs"]] == ["count"]
    assert VERTEX not in str(as_json["needs"])


def test_a_job_that_is_not_elastic_needs_nothing(pyctl: Cli, cluster: FakeJobManager) -> None:
    cluster.on(f"GET /jobs/{JOB}/drrs/vertices", refusal("NOT_ELASTIC"))
    assert pyctl("doctor", "--json").json["needs"] == []


def test_a_stock_cluster_is_recognised(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on("GET /config", {"flink-version": "2.3.0"})
    jobmanager.on("GET /taskmanagers", {"taskmanagers": [{"id": "tm-0"}]})
    result = pyctl("doctor", "--json")
    assert result.code == 3
    assert (result.json["armed"], result.json["flink_version"]) == (False, "2.3.0")
    assert codes(result) == ["NOT_PLUGGED"]
    assert [tm["id"] for tm in result.json["task_managers"]] == ["tm-0"]
