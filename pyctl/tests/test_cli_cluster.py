"""`jobs` and the parts of `local` that need no cluster."""

from __future__ import annotations

from pathlib import Path

from command import Cli
from fake_jobmanager import JOB, FakeJobManager, vertex, vertices


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
