"""What the JVMs of a cluster hold after a full garbage collection, and outside of their heaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyctl.client import Client
from pyctl.local_cluster.process import JvmProcess

from drrs_jobs.holdings import heap_bytes
from drrs_jobs.waiting import await_until

_MIB = 1 << 20
_DIRECT = "Status.JVM.Memory.Direct.MemoryUsed"


@dataclass(frozen=True)
class LiveMemory:
    """Bytes of live objects and of direct memory, over some JVMs."""

    heap: int
    direct: int

    def flat_since(self, before: LiveMemory, part: float, slack: int) -> bool:
        """Whether neither has grown by more than ``part`` of what it was plus ``slack`` bytes."""
        pairs = ((self.heap, before.heap), (self.direct, before.direct))
        return all(now <= then * (1 + part) + slack for now, then in pairs)

    def __str__(self) -> str:
        return f"heap {self.heap / _MIB:.1f} MiB, direct {self.direct / _MIB:.1f} MiB"


def task_managers(client: Client, processes: Sequence[JvmProcess]) -> LiveMemory:
    """Measure all TaskManagers together: state moves among them."""
    direct = [_metric(client, f"/taskmanagers/{process.name}/metrics?get={_DIRECT}") for process in processes]
    return LiveMemory(sum(heap_bytes(process) for process in processes), sum(direct))


def job_manager(client: Client, process: JvmProcess) -> LiveMemory:
    """Measure the JobManager."""
    return LiveMemory(heap_bytes(process), _metric(client, f"/jobmanager/metrics?get={_DIRECT}"))


def _metric(client: Client, path: str) -> int:
    return int(await_until(lambda: client.get(path), path, 30)[0]["value"])
