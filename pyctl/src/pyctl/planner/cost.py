"""How long a move is expected to take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pyctl.model import Phase, Rescale
from pyctl.planner.subscales import Subscale


@dataclass(frozen=True)
class CostModel:
    """Figures of the machine; the defaults are cautious, `learned` replaces them by what this job has shown."""

    bytes_per_s: float = 60e6
    """State that one subtask takes out, sends, receives and puts in, per second."""
    subscale_s: float = 0.04
    """Fixed cost of a subscale: signals, detach, settle."""
    provisioning_s: float = 0.5
    """Slots, deployment, channels of new subtasks; only if there are new ones."""
    concurrency: int = 2
    """Subscales in which one subtask takes part at a time."""

    def seconds(self, subscales: Sequence[Subscale], sizes: Sequence[int], new_subtasks: int) -> float:
        """Expected duration: the subtask with the most bytes and subscales through it sets the pace."""
        if not subscales:
            return 0.0
        through: dict[int, tuple[int, int]] = {}
        for subscale in subscales:
            weight = sum(sizes[g] for g in subscale.key_groups)
            for end in (subscale.old_owner, subscale.new_owner):
                before, count = through.get(end, (0, 0))
                through[end] = (before + weight, count + 1)
        pace = max(
            weight / self.bytes_per_s + count * self.subscale_s / self.concurrency for weight, count in through.values()
        )
        return pace + (self.provisioning_s if new_subtasks else 0.0)

    def learned(self, history: Iterable[Rescale]) -> CostModel:
        """The model with the throughput of the newest completed rescale that moved at least a megabyte."""
        for past in history:
            if past.phase is Phase.COMPLETED and past.exchange.busy_ms > 0 and past.exchange.bytes >= 1_000_000:
                return replace(self, bytes_per_s=past.exchange.bytes / past.exchange.busy_ms * 1000)
        return self
