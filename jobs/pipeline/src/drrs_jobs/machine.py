"""How busy the machine was, since a latency on an overloaded machine says nothing."""

from __future__ import annotations

from pathlib import Path

_STAT = Path("/proc/stat")


class CpuMeter:
    """Share of busy CPU time of the whole machine since it was made (Linux); 0..1."""

    def __init__(self, stat: Path = _STAT) -> None:
        self._stat = stat
        self._busy, self._total = self._read()

    def share(self) -> float:
        """Return the busy share since the meter was made."""
        busy, total = self._read()
        return (busy - self._busy) / max(total - self._total, 1)

    def _read(self) -> tuple[int, int]:
        # user nice system idle iowait irq softirq steal; guest times are in user already.
        times = [int(field) for field in self._stat.read_text(encoding="ascii").splitlines()[0].split()[1:9]]
        return sum(times) - times[3] - times[4], sum(times)
