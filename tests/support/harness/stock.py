"""A TaskManager without the plug-in on a cluster that has it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from drrs_jobs.waiting import await_until
from harness.limits import LIMIT_S
from pyctl.flink_home import JAR_NAME, find_java
from pyctl.local_cluster import LocalCluster, jvm, process

NAME = "stock-taskmanager"


@contextmanager
def stock_task_manager(local: LocalCluster) -> Iterator[str]:
    """Start one, wait until it has registered and yield its resource id; it is stopped in the end."""
    java = find_java()
    resource = jvm.resources(java, local.home, local.layout, "taskmanager")
    log = local.layout.log / f"{NAME}.log"
    command = jvm.command(
        java, local.layout, "taskmanager", resource, log, ["-D", f"taskmanager.resource-id={NAME}"]
    )  # fmt: skip
    plugin = str(local.layout.lib / JAR_NAME)
    plain = [word.replace(f"{plugin}:", "") for word in command if not word.startswith("-javaagent:")]
    assert not any(JAR_NAME in word for word in plain)
    started = process.start(
        "taskmanager", NAME, plain, local.environment, local.layout.root, log, log.with_suffix(".out")
    )  # fmt: skip
    try:
        local.await_task_manager(NAME)
        yield NAME
    finally:
        process.stop_all([started], 20.0)
        await_until(lambda: NAME not in _ids(local), f"{NAME} to be gone", LIMIT_S)


def _ids(local: LocalCluster) -> list[str]:
    return [tm["id"] for tm in local.get("/taskmanagers")["taskmanagers"]]
