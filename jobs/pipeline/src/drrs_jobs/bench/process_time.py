"""CPU time of processes (Linux), sampled so that it can be told for any period afterwards."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pids: Sequence[int], proc: Path = Path("/proc")) -> float:
    """Return user and system time of the processes so far, all their threads together, in seconds."""
    return sum(_ticks((proc / str(pid) / "stat").read_text(encoding="ascii")) for pid in pids) / _TICKS


def session_cpu_seconds(session: int, proc: Path = Path("/proc")) -> float:
    """Return the same of all processes that are in a session now."""
    ticks = 0
    for stat in proc.glob("[0-9]*/stat"):
        with suppress(OSError):  # a process may end meanwhile
            text = stat.read_text(encoding="ascii", errors="replace")
            # The fourth field after the name.
            ticks += _ticks(text) if int(text.rpartition(")")[2].split()[3]) == session else 0
    return ticks / _TICKS


def _ticks(stat: str) -> int:
    # The process's name, in parentheses, may hold blanks; the two times are the 12th and 13th field after it.
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


class CpuSamples:
    """CPU time of some processes at moments; straight lines between them."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._pids = pids
        self._samples: list[tuple[float, float]] = []

    def sample(self) -> None:
        """Take a sample now."""
        self.add(time.time() * 1000, cpu_seconds(self._pids))

    def add(self, at: float, seconds: float) -> None:
        """Add a sample of the moment ``at``, epoch milliseconds; later than those before."""
        self._samples.append((at, seconds))

    def between(self, begin: float, end: float) -> float:
        """Return the CPU seconds of a period in epoch milliseconds that lies within the samples."""
        return self._seconds(end) - self._seconds(begin)

    def _seconds(self, at: float) -> float:
        after = bisect_left(self._samples, (at, 0.0))
        if after == 0 or after == len(self._samples):
            raise ValueError("the period is not within the samples")
        (at_0, seconds_0), (at_1, seconds_1) = self._samples[after - 1 : after + 1]
        return seconds_0 + (seconds_1 - seconds_0) * (at - at_0) / (at_1 - at_0)
