"""Of placements that are as even and move as many key groups, one whose moves disturb less.

What a move costs is taken to be load times size: a key group pauses while its state travels, and its load is what
waits meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_LOOKED_AT = 32
"""How many of the cheapest that stay are tried for each that moves: enough, and linear."""

_HOT = 4.0
"""A key group is hot from so many times the mean load of a key group on."""

_NAMED = 8
"""How many hot key groups a plan speaks of, the hottest."""

_SLACK = 0.02
"""By what part the busiest subtask may get busier for a cheaper move: less than a measured load is worth."""


@dataclass(frozen=True)
class HotKeyGroup:
    """What a plan does with a key group that takes much of the load."""

    key_group: int
    share: float
    """Its part of the whole load, 0 to 1."""
    owner: int
    new_owner: int | None
    """None: it stays."""
    reason: str

    def sentence(self) -> str:
        """For people, without a full stop."""
        what = f"stays at {self.owner}" if self.new_owner is None else f"moves {self.owner} -> {self.new_owner}"
        return f"hot key group {self.key_group} ({self.share:.0%} of the load) {what}: {self.reason}"


def cheaper(
    before: Sequence[int],
    after: Sequence[int],
    loads: Sequence[float],
    sizes: Sequence[int],
    limit: float = 0.0,
) -> list[int]:
    """`after`, with key groups that move exchanged for cheaper ones of the same old owner that would have stayed.

    Each subtask gets and gives as many key groups as in `after`, no subtask gets more load than the busiest one of
    `after` has (within 2 %), or than `limit` if that is more, and the sum of load times size that moves does not grow.
    `sizes` are bytes.
    """
    result = list(after)
    totals: dict[int, float] = {}
    for group, owner in enumerate(after):
        totals[owner] = totals.get(owner, 0.0) + loads[group]
    highest = max(limit, max(totals.values()) * (1 + _SLACK))

    def cost(group: int) -> tuple[float, int, float]:
        return loads[group] * max(sizes[group], 1), sizes[group], loads[group]

    staying: dict[int, list[int]] = {}
    moving: list[int] = []
    for group, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new:
            staying.setdefault(old, []).append(group)
        elif old in totals:  # else all of it goes
            moving.append(group)
    for groups in staying.values():
        groups.sort(key=lambda g: (cost(g), -g))
    for group in sorted(moving, key=lambda g: (cost(g), g), reverse=True):
        home, target = before[group], result[group]
        candidates = staying.get(home, [])
        for place, other in enumerate(candidates[:_LOOKED_AT]):
            if cost(other) >= cost(group):
                break
            more = loads[group] - loads[other]
            if totals[home] + more <= highest and totals[target] - more <= highest:
                result[group], result[other] = home, target
                totals[home] += more
                totals[target] -= more
                del candidates[place]  # and `group`, which is dearer than what moves, is no candidate for it
                break
    return result


def hot_key_groups(
    before: Sequence[int],
    after: Sequence[int],
    loads: Sequence[float],
    active: Sequence[int],
) -> list[HotKeyGroup]:
    """The hottest key groups, what the plan does with each, and why; none without measured load.

    `active` are the subtasks afterwards.
    """
    total = sum(loads)
    if total <= 0:
        return []
    hot = [g for g in range(len(loads)) if loads[g] >= _HOT * total / len(loads)]
    hot = sorted(hot, key=lambda g: (-loads[g], g))[:_NAMED]
    leaving: dict[int, int] = {}
    totals: dict[int, float] = dict.fromkeys(active, 0.0)
    for group, (old, new) in enumerate(zip(before, after, strict=True)):
        totals[new] += loads[group]
        leaving[old] = leaving.get(old, 0) + (old != new)
    mean = total / len(active)
    found = []
    for group in hot:
        old, new = before[group], after[group]
        moves = old != new
        reason = _with_it(old, loads[group], totals, mean) if moves else _instead(old, leaving)
        found.append(HotKeyGroup(group, loads[group] / total, old, new if moves else None, reason))
    return found


def _with_it(old: int, load: float, totals: Mapping[int, float], mean: float) -> str:
    if old not in totals:
        return f"subtask {old} is to own nothing"
    ratio, busiest = (totals[old] + load) / mean, max(totals.values()) / mean
    if ratio <= busiest:
        return f"the placement lets others stay at subtask {old}"
    return f"with it subtask {old} would take {ratio:.2f} times the mean load, and now no subtask over {busiest:.2f}"


def _instead(old: int, leaving: Mapping[int, int]) -> str:
    gone = leaving.get(old, 0)
    if not gone:
        return f"nothing leaves subtask {old}"
    return "1 other leaves instead" if gone == 1 else f"{gone} others leave instead"
