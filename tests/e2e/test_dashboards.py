"""What Grafana shows is there: in what Prometheus gets of a JobManager and a TaskManager of a job that is rescaled."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from harness.dashboards import asked, dashboards
from harness.job import JobSpec, running
from harness.processes import ProcessCluster

_STARTED = re.compile(r"Started PrometheusReporter HTTP server on port (\d+)")


def scraped(cluster: ProcessCluster) -> dict[str, dict[frozenset[str], list[float]]]:
    """What the reporters of all processes say: the values by metric and by names of labels."""
    found: dict[str, dict[frozenset[str], list[float]]] = defaultdict(lambda: defaultdict(list))
    processes = [*cluster.local.job_managers, *cluster.local.task_managers]
    ports = [match[1] for one in processes if (match := _STARTED.search(one.log.read_text()))]
    assert len(ports) > 1, "a JobManager and TaskManagers with a reporter"
    for port in ports:
        text = requests.get(f"http://127.0.0.1:{port}/metrics", timeout=30).text
        for sample in (sample for family in text_string_to_metric_families(text) for sample in family.samples):
            found[sample.name][frozenset(sample.labels)].append(sample.value)
    return found


@pytest.mark.covers("reports: each metric of the Grafana dashboards, as Prometheus gets it")
def test_each_metric_of_a_panel_is_reported_with_its_labels(cluster: ProcessCluster, tmp_path: Path) -> None:
    with running(cluster, JobSpec("count", 2, options={"drrs.ceiling": "4"}), tmp_path) as job:
        job.await_records("count", 1_000)
        job.rescale("count", 3)
        found = scraped(cluster)
        job.finish()
    wanted = [one for _, dashboard in dashboards() for one in asked(dashboard)]
    assert wanted
    missing = [one for one in wanted if not any(one.labels <= labels for labels in found[one.metric])]
    assert missing == []
    # They are of this job: its one rescale is counted.
    assert sum(sum(values) for values in found["flink_jobmanager_job_drrs_numCompleted"].values()) == 1
    assert sum(sum(values) for values in found["flink_jobmanager_job_drrs_movedKeyGroups"].values()) > 0
