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

from drrs_jobs.bench.process_time import cpu_seconds

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
    """Shares 0..1 of the CPU time of the whole machine: all that was busy, and what other programs took of it."""

    busy: float
    others: float


class MachineBusyError(Exception):
    """The machine has too much else to do for a measurement."""


def await_quiet(most_busy: float, patience_s: float, sample_s: float = 3.0) -> float:
    """Wait until at most this share of the machine is busy, while nothing of ours runs, and return the share.

    Raises ``MachineBusyError`` when ``patience_s`` are over.
    """
    until = time.monotonic() + patience_s
    while True:
        before = MachineTime.read()
        time.sleep(sample_s)  # a share is one of a time
        share = MachineTime.read().busy_since(before)
        if share <= most_busy:
            return share
        if time.monotonic() >= until:
            raise MachineBusyError(
                f"Other programs keep {share:.0%} of the machine busy, at most {most_busy:.0%} may be for a "
                f"measurement: wait for them to end, or let such runs be marked (--busy mark)."
            )


class CpuMeter:
    """CPU time of the whole machine since it was made, and of this process with the processes ``own``."""

    def __init__(self, own: Sequence[int] = (), stat: Path = _STAT) -> None:
        self._stat, self._pids = stat, own
        self._begun = MachineTime.read(stat)
        self._ours = self._own()

    def use(self) -> CpuUse:
        """Return the shares since the meter was made; all of ``own`` must still run."""
        now = MachineTime.read(self._stat)
        ours = (self._own() - self._ours) * _TICKS
        share, elapsed = now.busy_since(self._begun), max(now.total - self._begun.total, 1)
        return CpuUse(share, max(0.0, share - ours / elapsed))

    def _own(self) -> float:
        return sum(os.times()[:4]) + cpu_seconds(self._pids)


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
