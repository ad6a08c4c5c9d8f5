"""The most memory that processes have held since a moment (Linux)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_FORGET_THE_PEAK = "5"


class PeakMemory:
    """Resident memory of some processes, each at its own peak since this was made; they must be ours to look into."""

    def __init__(self, pids: Sequence[int], proc: Path = Path("/proc")) -> None:
        self._folders = [proc / str(pid) for pid in pids]
        for folder in self._folders:
            (folder / "clear_refs").write_text(_FORGET_THE_PEAK, encoding="ascii")

    def bytes(self) -> int:
        """Return the sum of the peaks; raises ``ValueError`` where the kernel tells none."""
        return sum(self._peak(folder / "status") for folder in self._folders)

    @staticmethod
    def _peak(status: Path) -> int:
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1_024
        raise ValueError(f"{status} has no VmHWM")
