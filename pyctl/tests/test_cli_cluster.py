"""`doctor`, `jobs` and the parts of `local` that need no cluster."""

from __future__ import annotations

from pathlib import Path

from command import Cli
from fake_jobmanager import JOB, FakeJobManager, vertex, vertices

OVERVIEW = {
    "version": "0.1.0",
    "flink_version": "2.3.0",
    "armed": True,
    "reason": None,
    "join_points": [{"name": "router", "target": "KeyGroupStreamPartitioner", "ok": True}],
    "task_managers": [{"id": f"tm-{i}", "address": f"h{i}:1", "armed": True} for i in range(2)],
}


def test_doctor_is_content_when_every_jvm_is_armed(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on("GET /drrs/overview", OVERVIEW)
    result = pyctl("doctor")
    assert result.code == 0
    assert "plug-in 0.1.0 on Flink 2.3.0, 1 of 1 join points fit" in result.err
    assert pyctl("doctor", "--json").json["faults"] == []


def test_doctor_names_the_task_managers_that_lack_the_plugin(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    managers = [{"id": i, "address": "h", "armed": a} for i, a in (("tm-0", True), ("tm-1", False), ("tm-2", None))]
    jobmanager.on("GET /drrs/overview", {**OVERVIEW, "task_managers": managers})
    result = pyctl("doctor")
    assert result.code == 3
    assert "error: The plug-in is missing or not armed on: tm-1." in result.err
    assert "not known yet (first metrics have not arrived): tm-2" in result.err


def test_doctor_shows_what_is_drained(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    managers = [{"id": "tm-0", "address": "h", "armed": True, "drained": True}]
    drains = [{"task_manager": name, "since": 1} for name in ("tm-0", "tm-gone")]
    jobmanager.on("GET /drrs/overview", {**OVERVIEW, "task_managers": managers, "drains": drains})
    result = pyctl("doctor")
    assert result.code == 0
    assert "armed, drained" in result.out
    assert "drained, but not registered: tm-gone" in result.err


def test_doctor_says_why_the_jobmanager_is_not_armed(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    points = [{"name": "router", "target": "a.B#c", "ok": False}]
    jobmanager.on("GET /drrs/overview", {**OVERVIEW, "armed": False, "reason": "Flink 2.4", "join_points": points})
    result = pyctl("doctor", "--json")
    assert result.code == 3
    assert result.json["faults"] == [
        "The JobManager's plug-in is not armed: Flink 2.4.",
        "Join point router does not fit this Flink: a.B#c.",
    ]


def test_doctor_recognises_a_stock_cluster(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    jobmanager.on("GET /config", {"flink-version": "2.3.0"})
    jobmanager.on("GET /taskmanagers", {"taskmanagers": [{"id": "tm-0"}]})
    result = pyctl("doctor", "--json")
    assert result.code == 3
    assert (result.json["armed"], result.json["flink_version"]) == (False, "2.3.0")
    assert [tm["id"] for tm in result.json["task_managers"]] == ["tm-0"]


def test_jobs_lists_elastic_vertices_and_reasons(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    old = {"jid": "f" * 32, "name": "old", "state": "FINISHED"}
    jobmanager.on("GET /jobs/overview", {"jobs": [{"jid": JOB, "name": "nexmark", "state": "RUNNING"}, old]})
    jobmanager.on(
        f"GET /jobs/{JOB}/drrs/vertices",
        vertices(vertex(), vertex(uid="join", supported=False, reason="two inputs")),
    )
    result = pyctl("jobs")
    assert "count 2/8, join 2/8 (not supported: two inputs)" in result.out
    assert "old" not in result.out
    both = pyctl("jobs", "--all", "--json").json["jobs"]
    assert [job["name"] for job in both] == ["nexmark", "old"]
    assert both[1]["reason"] == "the job has ended"


def test_jobs_works_on_a_stock_cluster(pyctl: Cli, jobmanager: FakeJobManager) -> None:
    del jobmanager.routes[f"GET /jobs/{JOB}/drrs/vertices"]
    result = pyctl("jobs", "--json")
    assert result.code == 0
    assert result.json["jobs"][0]["elastic"] is False


def test_local_down_without_a_cluster_does_nothing(cli: Cli, tmp_path: Path) -> None:
    result = cli("local", "down", "--dir", str(tmp_path), "--json")
    assert (result.code, result.json["stopped"]) == (0, [])


def test_local_status_without_a_cluster_says_so(cli: Cli, tmp_path: Path) -> None:
    result = cli("local", "status", "--dir", str(tmp_path))
    assert result.code == 4
    assert f"No cluster was started in {tmp_path}" in result.err


def test_local_up_names_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    result = cli("local", "up", "--dir", str(tmp_path / "c"), "--flink-home", str(tmp_path))
    assert result.code == 4
    assert "is not a Flink home: it has no bin, conf, lib folder." in result.err


def test_help_and_version_need_no_cluster(cli: Cli) -> None:
    assert cli("--help").code == 0
    assert cli("--version").out.startswith("pyctl ")
