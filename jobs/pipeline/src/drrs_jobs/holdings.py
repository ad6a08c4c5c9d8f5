"""What a local cluster holds at a moment: everything that a rescale must give back."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from pyctl.client import Client
from pyctl.flink_home import find_java
from pyctl.local_cluster import LocalCluster
from pyctl.local_cluster.process import JvmProcess

from drrs_jobs.waiting import await_until

_SEGMENTS = "Status.Shuffle.Netty.UsedMemorySegments"
_NUMBER = re.compile(r"\d+")
_TASK = re.compile(r"\(\d+/\d+\)#\d+")
_HISTOGRAM_LINE = re.compile(r"^ *\d+: +(\d+) +\d+ +(\S+)", re.MULTILINE)

# Of these a running job has a fixed number. What remembers (attempts, histories, statistics) is bounded, and not here.
_TASK_CLASSES = (
    "org.apache.flink.runtime.taskmanager.Task",
    "org.apache.flink.streaming.runtime.tasks.OneInputStreamTask",
    "org.apache.flink.runtime.io.network.partition.PipelinedResultPartition",
    "org.apache.flink.runtime.io.network.partition.PipelinedSubpartition",
    "org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate",
    "org.apache.flink.runtime.io.network.partition.consumer.LocalInputChannel",
    "org.apache.flink.runtime.io.network.partition.consumer.RemoteInputChannel",
    "org.apache.flink.runtime.io.network.buffer.LocalBufferPool",
    "org.apache.flink.runtime.state.heap.HeapKeyedStateBackend",
    "org.apache.flink.runtime.taskexecutor.slot.TaskSlot",
    "org.apache.flink.streaming.api.operators.InternalTimerServiceImpl",
)
# A subtask keeps the serializers it has read state with: one set for each state and transfer at a time.
_CACHED = tuple(
    f"objects dev.drrs.runtime.heap.{name}"
    for name in ("HeapInstaller$", "HeapKeyedStateMover$", "ReaderPool$", "StateDescription", "StateEntryReader")
)
_CACHE = 50
# Slots are objects of the TaskManager, whether taken or not.
_OF_JOBS = frozenset(_TASK_CLASSES) - {"org.apache.flink.runtime.taskexecutor.slot.TaskSlot"}
_SEGMENTS_TEXT = "network memory segments"
_BUFFERS_PER_CHANNEL = 2
_PLUGIN_PACKAGES = ("dev.drrs.runtime.", "dev.drrs.protocol.", "dev.drrs.instrumentation.")
# More than its histories (of rescales, attempts, checkpoints) take once they are full.
_JOB_MANAGER_GROWTH = 16 * 1024 * 1024


@dataclass(frozen=True)
class Holdings:
    """How many of each thing, over all JVMs of the cluster.

    `objects` are those that are left after a full garbage collection: tasks, partitions, channels, buffer pools and
    state backends in the TaskManagers, and every class of the plug-in there. `threads` are those of tasks and of the
    plug-in, by name without numbers. `job_manager_bytes` is its whole heap: what it remembers is bounded, not fixed.
    """

    network_segments: int
    taken_slots: int
    files: int
    descriptors: int
    threads: Mapping[str, int]
    objects: Mapping[str, int]
    job_manager_bytes: int

    @property
    def lent(self) -> Lent:
        """What the cluster says itself."""
        return Lent(self.network_segments, self.taken_slots)

    def more_than(self, other: Holdings) -> dict[str, int]:
        """What is here that was not there, and how much of it."""
        now, then = self._counts(), other._counts()
        more = {name: count - then[name] for name, count in sorted(now.items()) if count > then[name]}
        if more.get(_SEGMENTS_TEXT, 0) <= self._explained_by_placement():
            more.pop(_SEGMENTS_TEXT, None)
        more = {name: count for name, count in more.items() if count > _CACHE or not _of_cache(name)}
        grown = self.job_manager_bytes - other.job_manager_bytes
        return more | ({"bytes in the JobManager's heap": grown} if grown > _JOB_MANAGER_GROWTH else {})

    def without_job(self) -> dict[str, int]:
        """What is here of jobs, and how much of it; nothing must be if none runs."""
        kept = self.lent.counts()
        kept |= {f"threads {name}": count for name, count in self.threads.items()}
        kept |= {f"objects {name}": count for name, count in self.objects.items() if name in _OF_JOBS}
        return {name: count for name, count in kept.items() if count > 0}

    def _explained_by_placement(self) -> int:
        # A channel to another TaskManager has buffers of its own, one within a TaskManager has none.
        return _BUFFERS_PER_CHANNEL * sum(
            count for name, count in self.objects.items() if name.endswith("InputChannel")
        )

    def _counts(self) -> Counter[str]:
        counts = Counter(
            {
                _SEGMENTS_TEXT: self.network_segments, "slots": self.taken_slots,
                "files below io.tmp.dirs": self.files, "open file descriptors": self.descriptors,
            }
        )  # fmt: skip
        counts.update({f"threads {name}": count for name, count in self.threads.items()})
        counts.update({f"objects {name}": count for name, count in self.objects.items()})
        return counts


@dataclass(frozen=True)
class Lent:
    """What a cluster says itself that jobs have of it; costs two or three requests."""

    network_segments: int
    slots: int

    @staticmethod
    def now(client: Client) -> Lent:
        """Ask it."""
        overview = client.get("/overview")
        return Lent(
            network_segments=sum(_segments(client, one["id"]) for one in client.get("/taskmanagers")["taskmanagers"]),
            slots=overview["slots-total"] - overview["slots-available"],
        )

    def counts(self) -> dict[str, int]:
        """What there is of it, by name."""
        named = {_SEGMENTS_TEXT: self.network_segments, "slots": self.slots}
        return {name: count for name, count in named.items() if count}


def holdings(client: Client, cluster: LocalCluster) -> Holdings:
    """Count now; runs a full garbage collection in each JVM."""
    lent = Lent.now(client)
    managers = cluster.task_managers
    objects: Counter[str] = Counter()
    threads: Counter[str] = Counter()
    for manager in managers:
        shown = _shown(manager)
        objects.update(_objects(shown))
        threads.update(_threads(shown))
    master = cluster.job_manager
    of_master = _shown(master)
    return Holdings(
        network_segments=lent.network_segments,
        taken_slots=lent.slots,
        files=sum(path.is_file() for path in cluster.layout.tmp.rglob("*")),
        descriptors=sum(_descriptors(one) for one in (*managers, master)),
        threads=threads + _threads(of_master),
        objects=objects,
        job_manager_bytes=_heap_bytes(of_master),
    )


def _of_cache(name: str) -> bool:
    return name.startswith(_CACHED)


def _segments(client: Client, manager: str) -> int:
    """Return the segments in use; the JobManager fetches metrics only when somebody asks, and answers later."""
    path = f"/taskmanagers/{manager}/metrics?get={_SEGMENTS}"
    return int(await_until(lambda: client.get(path), f"metrics of {manager}", 30)[0]["value"])


def _descriptors(jvm: JvmProcess) -> int:
    """Return the open descriptors of files and pipes; connections come and go with whoever asks."""
    links = (_target(path) for path in Path(f"/proc/{jvm.pid}/fd").iterdir())
    return sum(link is not None and not link.startswith("socket:") for link in links)


def _target(path: Path) -> str | None:
    try:
        return str(path.readlink())
    except FileNotFoundError:  # closed meanwhile
        return None


def _shown(jvm: JvmProcess) -> str:
    """Return all threads and, after a full garbage collection, all classes with their objects."""
    with NamedTemporaryFile("w", suffix=".jcmd") as commands:
        commands.write("Thread.print\nGC.class_histogram\n")  # in one go: each start of jcmd is that of a JVM
        commands.flush()
        return jcmd(jvm, "-f", commands.name)


def _threads(shown: str) -> Counter[str]:
    names = re.findall(r'^"([^"]*)"', shown, re.MULTILINE)
    # Pools of the JVM and of Flink grow up to a bound as they are used; threads of tasks are named `name (1/4)#0`.
    counted = (name for name in names if name.startswith("drrs-") or _TASK.search(name))
    return Counter(_NUMBER.sub("#", name) for name in counted)


def _objects(shown: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for count, name in _HISTOGRAM_LINE.findall(shown):
        if name in _TASK_CLASSES or name.startswith(_PLUGIN_PACKAGES):
            # Lambdas are named by the order in which they were made.
            counts[name.partition("$$Lambda")[0]] += int(count)
    return counts


def heap_bytes(jvm: JvmProcess) -> int:
    """Return the bytes of all objects after a full garbage collection."""
    return _heap_bytes(jcmd(jvm, "GC.class_histogram"))


def _heap_bytes(shown: str) -> int:
    total = shown.splitlines()[-1].split()
    if total[0] != "Total":
        raise ValueError(f"not a class histogram: {' '.join(total)}")
    return int(total[2])


def jcmd(jvm: JvmProcess, *command: str) -> str:
    """Ask a JVM something; raises CalledProcessError."""
    program = find_java().resolve().with_name("jcmd")
    done = subprocess.run([program, str(jvm.pid), *command], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout
