"""How much a rescale has to do, in the measures that its duration goes by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyctl.model import Rescale
from pyctl.planner.subscales import Subscale

DEFAULT_CONCURRENCY = 2


@dataclass(frozen=True)
class Work:
    """Bytes of state and subscales are those of the subtask that takes part in most of them: it sets the pace."""

    bytes: float
    subscales: float
    concurrency: int = DEFAULT_CONCURRENCY
    """Subscales in which one subtask takes part at a time."""
    new_subtasks: int = 0
    retiring: int = 0

    @property
    def rounds(self) -> float:
        """How often one subscale follows another, where several run side by side."""
        return self.subscales / self.concurrency


def work_of_plan(
    subscales: Sequence[Subscale], sizes: Sequence[int], new_subtasks: int, retiring: int, concurrency: int
) -> Work:
    """The work of a plan; `sizes` are bytes by key group."""
    through: dict[int, tuple[int, int]] = {}
    for subscale in subscales:
        weight = sum(sizes[g] for g in subscale.key_groups)
        for end in (subscale.old_owner, subscale.new_owner):
            before, count = through.get(end, (0, 0))
            through[end] = (before + weight, count + 1)
    most_bytes = max((weight for weight, _ in through.values()), default=0)
    most = max((count for _, count in through.values()), default=0)
    return Work(most_bytes, most, concurrency, new_subtasks, retiring)


def work_of_past(past: Rescale) -> Work:
    """What a rescale that has completed had to do, as far as its status tells.

    It has sums only; they are taken to have been spread evenly over the fewer of the old and the new owners.
    """
    before, after = past.from_parallelism or 1, past.to_parallelism or 1
    lanes = max(1, min(before, after, abs(after - before)))
    return Work(
        past.bytes.moved / lanes,
        past.subscales.total / lanes,
        new_subtasks=max(0, after - before),
        retiring=max(0, before - after),
    )
