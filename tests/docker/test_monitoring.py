"""Prometheus asks all processes of Flink, Grafana asks Prometheus.

That there is what it asks for is shown on a cluster: `e2e/test_dashboards.py`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from harness import compose
from harness.cluster import ROOT
from harness.dashboards import asked, dashboards

SERVICES: dict[str, dict[str, Any]] = compose.compose()["services"]
DASHBOARDS = [pytest.param(dashboard, id=file.stem) for file, dashboard in dashboards()]


def read(path: str) -> Any:
    return YAML(typ="safe").load(ROOT / path)


def inside(service: str, path: str) -> Path:
    """The file of the repository that a service has at a path."""
    for mount in SERVICES[service]["volumes"]:
        source, destination = str(mount).split(":")[:2]
        if path == destination or path.startswith(f"{destination}/"):
            return ROOT / source / path[len(destination) :].lstrip("/")
    raise AssertionError(f"{service} has nothing at {path}")


def test_prometheus_asks_each_jobmanager_and_taskmanager_where_its_reporter_is() -> None:
    (flag,) = [word for word in SERVICES["prometheus"]["command"] if word.startswith("--config.file=")]
    document = YAML(typ="safe").load(inside("prometheus", flag.partition("=")[2]))
    (found,) = [one for job in document["scrape_configs"] for one in job["dns_sd_configs"]]
    assert (found["names"], found["type"]) == (["jobmanager", "taskmanager"], "A")
    for name in found["names"]:
        properties = compose.properties(SERVICES[name])
        assert properties["metrics.reporter.prom.port"] == str(found["port"])
        assert properties["metrics.reporter.prom.factory.class"].endswith(".PrometheusReporterFactory")


def test_grafana_finds_its_data_source_and_its_dashboards() -> None:
    (source,) = read("docker/grafana/provisioning/datasources/prometheus.yml")["datasources"]
    assert (source["type"], source["isDefault"]) == ("prometheus", True)
    assert source["url"] == "http://prometheus:9090"
    (provider,) = read("docker/grafana/provisioning/dashboards/files.yml")["providers"]
    assert list(inside("grafana", provider["options"]["path"]).glob("*.json"))
    assert inside("grafana", "/etc/grafana/provisioning") == ROOT / "docker/grafana/provisioning"
    assert inside("grafana", SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]).is_file()


@pytest.mark.parametrize("dashboard", DASHBOARDS)
def test_a_dashboard_answers_the_three_questions(dashboard: dict[str, Any]) -> None:
    rows = [panel["title"] for panel in dashboard["panels"] if panel["type"] == "row"]
    assert rows == ["Is it moving?", "What does it cost?", "Is it even?"]


@pytest.mark.parametrize("dashboard", DASHBOARDS)
def test_each_panel_asks_for_something_with_a_unit_and_of_the_data_source_chosen(dashboard: dict[str, Any]) -> None:
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    assert {one.where for one in asked(dashboard)} >= {panel["title"] for panel in panels}
    for panel in panels:
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}"
        assert all(target["datasource"] == panel["datasource"] for target in panel["targets"])


@pytest.mark.parametrize("dashboard", DASHBOARDS)
def test_panels_have_numbers_and_places_of_their_own(dashboard: dict[str, Any]) -> None:
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(ids)) == len(ids)
    places = [panel["gridPos"] for panel in dashboard["panels"]]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    covered = Counter(
        (x, y)
        for place in places
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    )
    assert [cell for cell, times in covered.items() if times > 1] == []


@pytest.mark.parametrize("dashboard", DASHBOARDS)
def test_each_variable_that_is_used_is_declared(dashboard: dict[str, Any]) -> None:
    declared = {variable["name"] for variable in dashboard["templating"]["list"]}
    assert declared == {"datasource", "job", "operator"}
    used = {
        word
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
        for word in ("job", "operator")
        if f'"${word}"' in target["expr"]
    }
    assert used == {"job", "operator"}
