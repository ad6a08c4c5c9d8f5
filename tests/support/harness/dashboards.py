"""What the dashboards of `docker/grafana` ask Prometheus for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cluster import ROOT

FOLDER = ROOT / "docker/grafana/dashboards"
_SELECTOR = re.compile(r"\b(flink_\w+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring) \(([^)]*)\)")
_NAMED = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class Asked:
    """A metric that somebody asks for, and the labels that it must have."""

    where: str
    metric: str
    labels: frozenset[str]


def dashboards() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Each dashboard with its file."""
    for file in sorted(FOLDER.glob("*.json")):
        yield file, json.loads(file.read_text(encoding="utf-8"))


def asked(dashboard: dict[str, Any]) -> list[Asked]:
    """All that the panels and the variables of a dashboard ask for; raises AssertionError for one without a metric."""
    found = [
        _of(panel["title"], target["expr"], target["legendFormat"])
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
    ]
    found += [
        _of(f"variable {variable['name']}", *_label_values(variable["query"]["query"]))
        for variable in dashboard["templating"]["list"]
        if variable["type"] == "query"
    ]
    return [one for some in found for one in some]


def _of(where: str, expression: str, legend: str) -> list[Asked]:
    selectors = _SELECTOR.findall(expression)
    assert selectors, f"{where}: {expression} names no metric of Flink"
    grouping = _GROUPING.findall(expression)
    by = {label.strip() for labels in grouping for label in labels.split(",")} | set(_NAMED.findall(legend))
    return [Asked(where, metric, frozenset(by | set(_MATCHER.findall(matchers)))) for metric, matchers in selectors]


def _label_values(query: str) -> tuple[str, str]:
    """The metric of a `label_values(METRIC, LABEL)`, and the label as a legend would name it."""
    of = re.fullmatch(r"label_values\((.+), (\w+)\)", query)
    assert of, query
    return of[1], f"{{{{{of[2]}}}}}"
