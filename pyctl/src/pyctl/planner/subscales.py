"""Division of a move into subscales, and the order in which they start."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

MOST = 512
"""From so many subscales on they get larger, not more, as the JobManager's own do."""


@dataclass(frozen=True)
class Bounds:
    """Upper bounds of one subscale. A key group that is greater by itself is a subscale of its own.

    `max_key_groups` is `drrs.strategy.subscale-key-groups`: the JobManager divides further what has more. It holds
    where no more than `MOST` subscales come of it.
    """

    max_bytes: int = 4 << 20
    max_entries: int = 200_000
    max_key_groups: int = 4

    def __post_init__(self) -> None:
        if min(self.max_bytes, self.max_entries, self.max_key_groups) < 1:
            raise ValueError("bounds of a subscale must be positive")


@dataclass(frozen=True)
class Subscale:
    """Key groups that move together from `old_owner` to `new_owner`, hottest first."""

    old_owner: int
    new_owner: int
    key_groups: tuple[int, ...]


def divide(
    before: Sequence[int],
    after: Sequence[int],
    loads: Sequence[float],
    sizes: Sequence[int],
    entries: Sequence[int],
    bounds: Bounds,
) -> list[Subscale]:
    """Split each (old owner, new owner) pair's key groups so that each part stays within the bounds.

    Hottest key groups come first, so the load leaves a busy old owner with the first subscale. `sizes` are bytes.
    """
    pairs: dict[tuple[int, int], list[int]] = {}
    for group, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            pairs.setdefault((old, new), []).append(group)
    most = max(bounds.max_key_groups, math.ceil(sum(map(len, pairs.values())) / MOST))
    result: list[Subscale] = []
    for (old, new), groups in sorted(pairs.items()):
        part: list[int] = []
        weight = count = 0
        for group in sorted(groups, key=lambda g: (-loads[g], g)):
            full = (
                weight + sizes[group] > bounds.max_bytes
                or count + entries[group] > bounds.max_entries
                or len(part) >= most
            )
            if part and full:
                result.append(Subscale(old, new, tuple(part)))
                part, weight, count = [], 0, 0
            part.append(group)
            weight += sizes[group]
            count += entries[group]
        result.append(Subscale(old, new, tuple(part)))
    return result


def order(subscales: Sequence[Subscale], loads: Sequence[float], owned: Mapping[int, float]) -> list[Subscale]:
    """The order of start: always the hottest subscale of the new owner that has least so far.

    `owned` is the load that each new owner has already. A cold start therefore fills all new owners side by side.
    """
    heat = {subscale: sum(loads[g] for g in subscale.key_groups) for subscale in subscales}
    waiting: dict[int, list[Subscale]] = {}
    for subscale in sorted(subscales, key=lambda s: (-heat[s], s.old_owner, s.key_groups)):
        waiting.setdefault(subscale.new_owner, []).append(subscale)
    total = {owner: owned.get(owner, 0.0) for owner in waiting}
    result: list[Subscale] = []
    while waiting:
        owner = min(waiting, key=lambda o: (total[o], o))
        subscale = waiting[owner].pop(0)
        if not waiting[owner]:
            del waiting[owner]
        # A subscale without load still counts as something given, or one owner would get all of them first.
        total[owner] += heat[subscale] or len(subscale.key_groups) * 1e-9
        result.append(subscale)
    return result


def warmed_up(ordered: Sequence[Subscale], lead: int = 2) -> list[Subscale]:
    """The same order, but each (old owner, new owner) pair begins with its `lead` coolest key groups, one by one.

    What moves first meets code that no JVM has compiled yet and exchanges that have not sent anything; that took a hot
    key group many times as long as later ones, and several at a time wait for each other. Pairs with fewer than twice
    as many subscales stay as they are.
    """
    pairs: dict[tuple[int, int], list[Subscale]] = {}
    for subscale in ordered:
        pairs.setdefault((subscale.old_owner, subscale.new_owner), []).append(subscale)
    first = [
        Subscale(old, new, (group,))
        for (old, new), subscales in pairs.items()
        if len(subscales) >= 2 * lead
        for group in [g for s in subscales for g in s.key_groups][: -lead - 1 : -1]
    ]
    alone = {group for subscale in first for group in subscale.key_groups}
    rest = [replace(s, key_groups=tuple(g for g in s.key_groups if g not in alone)) for s in ordered]
    return first + [subscale for subscale in rest if subscale.key_groups]
