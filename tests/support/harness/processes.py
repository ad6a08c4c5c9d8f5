"""The real thing: each JobManager and TaskManager a JVM of its own, from the PyPI distribution of Flink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.cluster import JOB_JAR, OPTIONS, PLUGIN_JAR, QUICK, Cluster
from pyctl.local_cluster import LocalCluster

MAIN_CLASS = "dev.drrs.nexmark.NexmarkJob"
JVMS = {
    "taskmanager.memory.process.size": "1200m", "jobmanager.memory.process.size": "1200m",
    **{f"env.java.opts.{role}": " ".join(QUICK) for role in ("taskmanager", "jobmanager")},
}  # fmt: skip
REPORTING = {
    "metrics.reporter.prom.factory.class": "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
    # Each process takes the first that is free, and says in its log which that was.
    "metrics.reporter.prom.port": "9249-9449",
}
"""Of a cluster that Prometheus could ask, as docker-compose.yml has it."""


class ProcessCluster(Cluster):
    """A LocalCluster with the job's jar uploaded: submitting over REST costs no JVM of its own."""

    def __init__(self, local: LocalCluster) -> None:
        super().__init__(local.leader_address, local.layout.log)
        self.local = local
        self._jars: dict[tuple[str, Path], str] = {}

    @property
    def url(self) -> str:
        return self.local.rest_url

    def submit(self, arguments: Sequence[str], options: Mapping[str, str], jar: Path = JOB_JAR) -> str:
        return self.rest.run_jar(self._uploaded(jar), arguments, options, entry_class=MAIN_CLASS)

    def _uploaded(self, jar: Path) -> str:
        # Each JobManager keeps what was uploaded to it for itself.
        at = (self.url, jar)
        if at not in self._jars:
            self._jars[at] = self.rest.upload_jar(jar)
        return self._jars[at]


@contextmanager
def started(
    directory: Path, *, task_managers: int, slots: int, job_managers: int = 1, options: Mapping[str, str] | None = None
) -> Iterator[ProcessCluster]:
    """A cluster of JVMs with the plug-in; `directory` holds its logs, `options` are Flink's beside the usual ones."""
    with LocalCluster(
        directory, task_managers=task_managers, slots=slots, job_managers=job_managers, jar=PLUGIN_JAR,
        options={**OPTIONS, **JVMS, **(options or {})},
    ) as local:  # fmt: skip
        yield ProcessCluster(local)
