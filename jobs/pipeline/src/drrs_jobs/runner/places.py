"""Where runs take place: a cluster for each, one that is kept for a workload, or one that was given."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from pyctl.client import Client
from pyctl.errors import ClusterError
from pyctl.local_cluster import LocalCluster

from drrs_jobs.machine import CpuMeter
from drrs_jobs.runner.strategies import ADAPTIVE, Strategy
from drrs_jobs.workloads.model import Cluster, Workload

_FOLDER = "cluster"
_OPTIONS = {
    "web.refresh-interval": "50 ms",
    "web.checkpoints.history": "100",
    "metrics.fetcher.update-interval": "500 ms",
    # At these rates buffers are never full, so the default of 100 ms would be most of the steady latency.
    "execution.buffer-timeout.interval": "10 ms",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A cluster, and its processes (pid by name); None of one that was given.

    ``cold``: it was started just now and is kept, so that later runs find it warmer than this one.
    """

    client: Client
    pids: Mapping[str, int] | None
    cold: bool = False

    def meter(self, session: int | None = None) -> CpuMeter:
        """Begin to measure what the cluster, this process and a session take of the processors, and what others do."""
        return CpuMeter(None if self.pids is None else list(self.pids.values()), session=session)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a run needs; a cluster that was started for the same is one for it too."""

    workload: str
    size: Cluster
    adaptive: bool

    @property
    def options(self) -> dict[str, str]:
        """Flink's options."""
        memory = {"taskmanager.memory.process.size": f"{self.size.memory_mb}m"}
        scheduler = {"jobmanager.scheduler": "adaptive"} if self.adaptive else {}
        return {**_OPTIONS, **memory, **self.size.options, **scheduler}


class Places:
    """Clusters for the runs of a bench, which come one after the other. Not thread-safe.

    ``address`` is a cluster that is there already: it must see the folders of the runs under the same paths, and have
    the slots. ``keep``: a cluster stays for all runs of a workload that can use it. The folder of a cluster is removed
    with it, unless a run fails: its logs tell why. ``beside`` are processes (pid by name) that belong to each of them.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        *,
        address: str | None = None,
        keep: bool = False,
        beside: Mapping[str, int] | None = None,
    ) -> None:
        self._say, self._address, self._keep, self._beside = say, address, keep, dict(beside or {})
        self._cluster: LocalCluster | None = None
        self._started_for: _Wanted | None = None

    @property
    def pids(self) -> Sequence[int]:
        """Processes of a cluster that is kept; they run between runs too."""
        cluster = [] if self._cluster is None else [process.pid for process in self._cluster.state.processes]
        return [*cluster, *self._beside.values()]

    @contextmanager
    def of(self, workload: Workload, strategy: Strategy, folder: Path) -> Iterator[Place]:
        """The place of a run with this folder; that of its cluster is beside those of the workload's rounds."""
        if self._address is not None:
            yield Place(Client(self._address), None)
            return
        wanted = _Wanted(workload.name, workload.cluster, strategy.name == ADAPTIVE)
        cold = self._cluster is None or self._started_for != wanted
        if cold:
            self._stop()
            self._start(wanted, folder.parents[1] / _FOLDER)
        assert self._cluster is not None
        pids = {process.name: process.pid for process in self._cluster.state.processes} | self._beside
        yield Place(Client(self._cluster.rest_address), pids, cold and self._keep)
        if not self._keep:
            self._stop()

    def _start(self, wanted: _Wanted, folder: Path) -> None:
        self._say(f"starting a cluster: 1 JobManager, {wanted.size.task_managers} TaskManagers")
        with suppress(ClusterError):
            # Of a bench that was killed.
            LocalCluster.attach(folder).stop()
        shutil.rmtree(folder, ignore_errors=True)
        cluster = LocalCluster(
            folder, task_managers=wanted.size.task_managers, slots=wanted.size.slots, options=wanted.options
        )
        self._cluster, self._started_for = cluster.start(), wanted

    def _stop(self, *, keep_logs: bool = False) -> None:
        if self._cluster is None:
            return
        cluster, self._cluster, self._started_for = self._cluster, None, None
        cluster.stop()
        if not keep_logs:
            shutil.rmtree(cluster.layout.root)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop(keep_logs=error is not None)
