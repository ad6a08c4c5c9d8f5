"""What a cluster without a job still holds of one."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from chaos.cluster import ChaosCluster
from drrs_jobs.holdings import Holdings, Lent, holdings, jcmd
from drrs_jobs.waiting import await_until
from pyctl.client import Client

_SETTLE_S = 90.0
"""Longer than a TaskManager may take to rehearse a rescale."""
_TASKS = "org.apache.flink."
"""Tasks, partitions, channels, buffer pools, state backends. Objects of the plug-in stay: it is part of each JVM."""

_NEVER_STARTED = re.compile(r" switched from CREATED to (?:CANCELING|FAILED)\b")
"""Flink's Task leaves at once when it is cancelled before its thread has begun, and closes no gate. The TaskManager has
a table of gates, which keeps that Task with its gates and partitions until the JVM ends; it does so without a plug-in.
"""
_TASK_CLASS = "org.apache.flink.runtime.taskmanager.Task"
_OF_NEVER_STARTED = frozenset(
    f"objects org.apache.flink.runtime.{name}"
    for name in (
        "taskmanager.Task",
        "io.network.partition.consumer.SingleInputGate",
        "io.network.partition.PipelinedResultPartition",
        "io.network.partition.PipelinedSubpartition",
    )
)


def leaked(cluster: ChaosCluster) -> dict[str, int]:
    """What is left over, by name; asked again for a while, since much is given back soon after the end of a job."""
    seen = [_left(cluster)]

    def nothing() -> bool:
        seen.append(_left(cluster))
        return not seen[-1]

    if seen[0]:
        with contextlib.suppress(TimeoutError):
            await_until(nothing, "everything to be released", _SETTLE_S, 2.0)
    return seen[-1]


def keep_heaps(cluster: ChaosCluster, folder: Path) -> None:
    """Write the reachable objects of each TaskManager to `folder`, for whoever looks for what holds them."""
    folder.mkdir(parents=True, exist_ok=True)
    for manager in cluster.local.task_managers:
        jcmd(manager, "GC.heap_dump", str(folder / f"{manager.name}.hprof"))


def _left(cluster: ChaosCluster) -> dict[str, int]:
    with Client(cluster.url, timeout_s=30) as client:
        lent = Lent.now(client).counts()
        if lent:
            return lent  # heaps are not worth a look yet: that costs a garbage collection in each JVM
        held = holdings(client, cluster.local)
    left = _of_jobs(held)
    if 0 < held.objects.get(_TASK_CLASS, 0) <= _never_started(cluster):
        left = {name: count for name, count in left.items() if name not in _OF_NEVER_STARTED}
    return left


def _never_started(cluster: ChaosCluster) -> int:
    """How many tasks the present TaskManagers were told to cancel before they had begun."""
    return sum(
        len(_NEVER_STARTED.findall(manager.log.read_text(errors="replace"))) for manager in cluster.local.task_managers
    )


def _of_jobs(held: Holdings) -> dict[str, int]:
    counts = held.lent.counts()
    counts |= {f"threads {name}": count for name, count in held.threads.items()}
    counts |= {f"objects {name}": count for name, count in held.objects.items() if name.startswith(_TASKS)}
    return {name: count for name, count in counts.items() if count}
