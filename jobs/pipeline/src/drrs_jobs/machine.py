"""What machine this is and how busy it was, since a latency on an overloaded machine says nothing (Linux)."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyctl.flink_home import find_java

from drrs_jobs.bench.process_time import cpu_seconds, session_cpu_seconds

_STAT = Path("/proc/stat")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class MachineTime:
    """CPU time of the whole machine since its start, in ticks: what was busy, and all."""

    busy: int
    total: int

    @classmethod
    def read(cls, stat: Path = _STAT) -> MachineTime:
        """Read it as of now."""
        # user nice system idle iowait irq softirq steal; guest times are in user already.
        times = [int(field) for field in stat.read_text(encoding="ascii").splitlines()[0].split()[1:9]]
        return cls(sum(times) - times[3] - times[4], sum(times))

    def busy_since(self, before: MachineTime) -> float:
        """Return the busy share 0..1 of the time since then."""
        # The kernel's time of waiting for disks may go back.
        return min(1.0, max(0.0, (self.busy - before.busy) / max(self.total - before.total, 1)))


@dataclass(frozen=True, slots=True)
class CpuUse:
    """Shares 0..1 of the CPU time of the whole machine: all that was busy, and what other programs took of it.

    ``others`` is None where the run's own processes are not known, as on a cluster that was given.
    """

    busy: float
    others: float | None

    @property
    def own(self) -> float | None:
        """What the run took itself."""
        return None if self.others is None else self.busy - self.others


class MachineBusyError(Exception):
    """The machine has too much else to do for a measurement."""


def await_quiet(most: float, patience_s: float, own: Sequence[int] = (), sample_s: float = 3.0) -> float:
    """Wait until other programs than the processes ``own`` take at most this share of the machine, and return theirs.

    Raises ``MachineBusyError`` when ``patience_s`` are over.
    """
    until = time.monotonic() + patience_s
    while True:
        meter = CpuMeter(own)
        time.sleep(sample_s)  # a share is one of a time
        share = meter.use().others or 0.0
        if share <= most:
            return share
        if time.monotonic() >= until:
            raise MachineBusyError(
                f"Other programs keep {share:.0%} of the machine busy, at most {most:.0%} may be for a "
                f"measurement: wait for them to end, let such runs be marked (--busy mark), or allow more "
                f"(--others-limit)."
            )


class CpuMeter:
    """CPU time of the whole machine since it was made, and of this process with the processes ``own``.

    ``own`` is None where they are not known. ``session``: number of a session whose processes are among them. Time
    that a hypervisor took away counts as others'.
    """

    def __init__(self, own: Sequence[int] | None = (), stat: Path = _STAT, *, session: int | None = None) -> None:
        self._stat, self._pids, self._session = stat, own, session
        self._begun = MachineTime.read(stat)
        self._ours = self._own()

    def use(self) -> CpuUse:
        """Return the shares since the meter was made; all of ``own`` must still run."""
        now = MachineTime.read(self._stat)
        share, elapsed = now.busy_since(self._begun), max(now.total - self._begun.total, 1)
        if self._pids is None:
            return CpuUse(share, None)
        ours = (self._own() - self._ours) * _TICKS
        return CpuUse(share, max(0.0, share - ours / elapsed))

    def _own(self) -> float:
        session = 0.0 if self._session is None else session_cpu_seconds(self._session)
        return sum(os.times()[:4]) + cpu_seconds(self._pids or ()) + session


def load_average() -> float:
    """Return the load average of the last minute."""
    return os.getloadavg()[0]


def describe_machine() -> str:
    """Return processors, memory and system in words."""
    models = re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    memory = re.search(r"MemTotal:\s*(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
    cores = len(os.sched_getaffinity(0))
    parts = [f"{cores} cores{f' ({models[0].strip()})' if models else ''}"]
    if memory:
        parts.append(f"{int(memory[1]) / 1e6:.0f} GB")
    return ", ".join([*parts, f"{platform.system()} {platform.release()}"])


def java_version() -> str:
    """Return the version of the Java that the clusters run on."""
    told = subprocess.run([str(find_java()), "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "([^"]+)"', told)
    return found[1] if found else "unknown"
