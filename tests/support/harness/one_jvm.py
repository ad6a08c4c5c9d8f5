"""A cluster inside one JVM behind a py4j gateway: quick to start and to submit to, for the many cases."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway, find_jar_path, launch_gateway

from harness.cluster import OPTIONS, PLUGIN_JAR, QUICK, ROOT, Cluster
from harness.gateway_classes import CLASSES, SOURCES, class_path
from pyctl import flink_config
from pyctl.flink_home import find_flink_home, find_java

LOGGING = ROOT / "tests/gateway/log4j2.properties"


class OneJvmCluster(Cluster):
    """Submits by calling the job's `build` in the cluster's JVM."""

    def __init__(self, gateway: JavaGateway, java_cluster: Any, logs: Path) -> None:
        super().__init__(str(java_cluster.restAddress()), logs)
        self._gateway = gateway
        self._cluster = java_cluster
        self.output = logs.with_name("output.txt")
        """Standard output of all of it."""
        shapes = gateway.jvm.dev.drrs.gateway.shapes
        self.gates = shapes.Gates
        """What jobs of `submit_shape` are told while they run, and asked: `Gates.java`."""
        self.results = shapes.Results
        """What they have put out: `Results.java`."""

    def submit(self, arguments: Sequence[str], options: Mapping[str, str]) -> str:
        return str(
            self._cluster.submit(java_map(self._gateway, options), java_list(self._gateway, arguments))
        )  # fmt: skip

    def submit_counted_bids(self, given: Mapping[str, str], options: Mapping[str, str]) -> str:
        """Submit the job with operator state and a committing sink (`CountedBids`); returns the job id."""
        return str(
            self._cluster.submitCountedBids(java_map(self._gateway, options), java_map(self._gateway, given))
        )  # fmt: skip

    def submit_sql(
        self,
        given: Mapping[str, str],
        options: Mapping[str, str],
        statements: Sequence[str],
        queries: Mapping[str, str],
    ) -> str:
        """Submit one job of these queries (`SqlQueries`); returns the job id."""
        return str(
            self._cluster.submitSql(
                java_map(self._gateway, options), java_map(self._gateway, given),
                java_list(self._gateway, statements), java_map(self._gateway, queries),
            )
        )  # fmt: skip

    def submit_shape(self, shape: str, options: Mapping[str, str]) -> str:
        """Submit the job of a shape (JSON, `Shape.java`); returns the job id."""
        return str(self._cluster.submitShape(java_map(self._gateway, options), shape))

    def release(self, name: str) -> None:
        """From here on the bids of such a job come as fast as they can."""
        self._cluster.release(name)

    def changes(self, name: str, query: str) -> list[str]:
        """The changes that a query of such a job has made so far: kind and columns, `+I|1|2`."""
        if query.startswith("printed"):
            found = re.finditer(rf"^{name}/{query}(?::\d+)?> (..)\[(.*)\]$", self.output.read_text(), re.MULTILINE)
            return ["|".join([one[1], *one[2].split(", ")]) for one in found]
        return str(self._cluster.changes(name, query)).splitlines()

    def given(self, name: str) -> dict[int, str]:
        """What the subtasks of such a job were given at their last start."""
        return {int(index): str(text) for index, text in self._cluster.given(name).items()}

    def forget(self, name: str) -> None:
        """Forget what they were given so far."""
        self._cluster.forget(name)

    def fail_once(self, name: str) -> None:
        """Make a task of such a job fail at its next checkpoint."""
        self._cluster.failOnce(name)

    def has_still_to_fail(self, name: str) -> bool:
        """Whether that is still to come."""
        return bool(self._cluster.hasStillToFail(name))


def java_map(gateway: JavaGateway, entries: Mapping[str, str]) -> Any:
    """A Java map with these entries."""
    result = gateway.jvm.java.util.HashMap()
    for key, value in entries.items():
        result.put(key, value)
    return result


def java_list(gateway: JavaGateway, elements: Sequence[str]) -> Any:
    """A Java list of these elements."""
    result = gateway.jvm.java.util.ArrayList()
    for element in elements:
        result.add(element)
    return result


@contextmanager
def started(
    directory: Path,
    *,
    task_managers: int,
    slots: int,
    plugin: bool = True,
    heap: str = "1200m",
    options: Mapping[str, str] | None = None,
) -> Iterator[OneJvmCluster]:
    """A cluster in a JVM of its own, under the plug-in's agent; that JVM ends with this process at the latest.

    Without `plugin` it is a stock one. `options` are Flink's, beside the usual ones.
    """
    home = find_flink_home()
    directory.mkdir(parents=True, exist_ok=True)
    assert CLASSES.is_dir(), f"{CLASSES} is missing: make tested"
    opens = str(flink_config.read(home.conf / "config.yaml").get(flink_config.OPTS_KEY, "")).split()
    log = directory / "cluster.log"
    with (directory / "output.txt").open("w", buffering=1) as output:
        port, secret = launch_gateway(
            jarpath=find_jar_path(),
            # The sources also for what is named in META-INF.
            classpath=os.pathsep.join(map(str, [*class_path(home), CLASSES, SOURCES])),
            javaopts=[
                *([f"-javaagent:{PLUGIN_JAR}"] if plugin else []), *opens, f"-Xmx{heap}", "-XX:+UseG1GC", *QUICK,
                f"-Dlog.file={log}", f"-Dlog4j2.configurationFile={LOGGING.as_uri()}",
            ],
            java_path=str(find_java()),
            die_on_exit=True, enable_auth=True, redirect_stdout=output, redirect_stderr=output,
        )  # fmt: skip
        gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=secret, auto_convert=False))
        try:
            usual = OPTIONS | {
                "rest.port": "0", "rest.bind-port": "0", "rest.address": "127.0.0.1", "rest.bind-address": "127.0.0.1",
                "io.tmp.dirs": str(directory),
                # In its memory a JobManager takes no more than 5 MB a task.
                "execution.checkpointing.dir": (directory / "checkpoints").as_uri(),
                "execution.checkpointing.savepoint-dir": (directory / "savepoints").as_uri(),
                "taskmanager.memory.network.min": "32m", "taskmanager.memory.network.max": "32m",
                "taskmanager.memory.managed.size": "8m",
            }  # fmt: skip
            of_all = java_map(gateway, usual | dict(options or {}))
            cluster = gateway.jvm.dev.drrs.gateway.OneJvmCluster(task_managers, slots, of_all)
            try:
                yield OneJvmCluster(gateway, cluster, log)
            finally:
                cluster.close()
        finally:
            gateway.shutdown()
