"""Minimal-move placement: balance with the fewest key groups on the road.

A placement is a sequence: `placement[g]` is the subtask that owns key group g. Subtask indices need not be
contiguous, since a subtask that was retired leaves a gap.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

Placement = list[int]


class Occupied(IntEnum):
    """What a TaskManager runs besides the subtasks of the vertex that is planned for."""

    NOTHING = 0
    ELASTIC = 1
    """Subtasks that other rescales of the job could take away."""
    OTHERS = 2
    """Something that stays: sources, sinks, other jobs."""


@dataclass(frozen=True)
class Surroundings:
    """Where subtasks run. What is not known is left out."""

    hosts: Mapping[int, str] = field(default_factory=dict)
    """Active subtask -> TaskManager."""
    occupied: Mapping[str, Occupied] = field(default_factory=dict)
    """TaskManager -> what else it runs."""
    avoid: frozenset[int] = frozenset()
    """Dormant subtasks that would be put where nothing may be placed."""


def choose_active(
    placement: Sequence[int],
    active: Sequence[int],
    parallelism: int,
    ceiling: int,
    around: Surroundings | None = None,
) -> list[int]:
    """The subtasks that are active at `parallelism`, sorted.

    Scale out adds the lowest dormant indices, those to avoid last. Scale in makes as many whole TaskManagers free as it
    can, even if another choice would move fewer key groups: state moves once, a machine is paid for all the time. Among
    as good TaskManagers those with the fewest key groups go. What is left to retire does not free one: there few key
    groups come first, then the TaskManager that is nearest to being free, then the highest index.
    """
    around = around or Surroundings()
    current = sorted(active)
    if parallelism < 1 or parallelism > ceiling:
        raise ValueError(f"parallelism {parallelism} is not between 1 and the ceiling {ceiling}")
    if parallelism < len(current):
        retired = _retired(placement, current, len(current) - parallelism, around)
        return [index for index in current if index not in retired]
    dormant = sorted(set(range(ceiling)) - set(current), key=lambda index: (index in around.avoid, index))
    return sorted(current + dormant[: parallelism - len(current)])


def _retired(placement: Sequence[int], current: Sequence[int], count: int, around: Surroundings) -> set[int]:
    owned = _counts(placement, current)
    # A subtask whose TaskManager is not known counts as alone on one.
    host_of = {index: around.hosts.get(index, f"#{index}") for index in current}
    on_host: dict[str, set[int]] = {}
    for index, host in host_of.items():
        on_host.setdefault(host, set()).add(index)
    occupied = {host: around.occupied.get(host, Occupied.NOTHING) for host in on_host}
    retired: set[int] = set()
    # Smallest first frees the most.
    for host in sorted(
        on_host, key=lambda h: (occupied[h], len(on_host[h]), sum(owned[i] for i in on_host[h]), -max(on_host[h]))
    ):
        if occupied[host] < Occupied.OTHERS and len(on_host[host]) <= count - len(retired):
            retired |= on_host[host]
    share = len(placement) / len(current)
    while len(retired) < count:
        left = Counter(host_of[index] for index in current if index not in retired)
        retired.add(
            min(
                (index for index in current if index not in retired),
                # Numbers that balance by count makes differ by one: the same here.
                key=lambda i: (round(4 * owned[i] / share), occupied[host_of[i]], left[host_of[i]], owned[i], -i),
            )
        )
    return retired


def quotas(placement: Sequence[int], active: Sequence[int]) -> dict[int, int]:
    """Key groups per active subtask after balancing by count.

    All get the same number, or one more; the extra ones go to who owns most already, which is what keeps the number
    of moves minimal.
    """
    base, extra = divmod(len(placement), len(active))
    owned = _counts(placement, active)
    richest = sorted(active, key=lambda index: (-owned[index], index))
    return {index: base + (rank < extra) for rank, index in enumerate(richest)}


def least_moves(placement: Sequence[int], active: Sequence[int]) -> int:
    """How many key groups have to move at least until `active` is balanced by count."""
    owned = _counts(placement, active)
    stay = sum(min(owned[index], quota) for index, quota in quotas(placement, active).items())
    return len(placement) - stay


def by_count(placement: Sequence[int], active: Sequence[int], loads: Sequence[float] | None = None) -> Placement:
    """Balance the *number* of key groups with exactly `least_moves` moves.

    `loads` (one per key group) decide which of an old owner's key groups go, so that the load gets even as far as
    that costs no further move. Few (old, new) pairs are formed: each is a peer exchange.
    """
    weights = _weights(placement, loads)
    quota = quotas(placement, active)
    share = sum(weights) / len(active)
    owned = _groups(placement)
    leaving: dict[int, list[int]] = {}
    for owner, groups in owned.items():
        surplus = len(groups) - quota.get(owner, 0)
        if surplus > 0:
            excess = max(0.0, sum(weights[g] for g in groups) - share) if owner in quota else 0.0
            leaving[owner] = _pick(groups, surplus, excess, weights)
    deficit = {i: quota[i] - len(owned.get(i, [])) for i in quota if quota[i] > len(owned.get(i, []))}

    result = list(placement)
    going = {group for groups in leaving.values() for group in groups}
    loads_now = {i: sum(weights[g] for g in owned.get(i, []) if g not in going) for i in quota}
    for owner, share_of in _flow({o: len(groups) for o, groups in leaving.items()}, deficit).items():
        # Heaviest first to the lightest receiver that still has room.
        for group in sorted(leaving[owner], key=lambda g: (-weights[g], g)):
            target = min((i for i in share_of if share_of[i] > 0), key=lambda i: (loads_now[i], i))
            share_of[target] -= 1
            loads_now[target] += weights[group]
            result[group] = target
    return result


def by_ranges(key_groups: int, active: Sequence[int]) -> Placement:
    """Where Flink puts key groups when a job starts with as many subtasks: a range for each, in their order."""
    ordered = sorted(active)
    return [ordered[group * len(ordered) // key_groups] for group in range(key_groups)]


def by_load(
    placement: Sequence[int], active: Sequence[int], loads: Sequence[float], tolerance: float = 0.1
) -> Placement:
    """Balance the measured load with few moves; every active subtask owns at least one key group.

    Subtasks end below (1 + `tolerance`) times their fair share where key groups allow it, and the busiest one is never
    busier than with `by_count`, beyond that tolerance. The fair share is the mean without the key groups that are
    heavier than it, each of which fills a subtask of its own.
    """
    weights = _weights(placement, loads)
    fair = _fair_share(weights, len(active))
    limit = load_limit(weights, len(active), tolerance)
    candidate = _shed(placement, active, weights, fair, tolerance)
    fallback = _repair(by_count(placement, active, weights), placement, active, weights, limit)

    def cost(result: Placement) -> tuple[float, float, int]:
        # Within the limit fewer moves win; beyond it the lower peak does, then the smaller overload of all.
        totals = _totals(result, active, weights)
        over = sum(max(0.0, total - limit) for total in totals.values())
        return max(limit, *totals.values()), over, len(moved(placement, result))

    return min(candidate, fallback, key=cost)


def load_limit(weights: Sequence[float], parallelism: int, tolerance: float) -> float:
    """What `by_load` lets a subtask have, where key groups allow it."""
    return (1 + tolerance) * _fair_share(weights, parallelism)


def handed_over(
    placement: Sequence[int],
    active: Sequence[int],
    retiring: Sequence[int],
    activated: Sequence[int],
    loads: Sequence[float] | None = None,
) -> Placement:
    """`retiring` own nothing any more, and only what they own moves: all of one to one of `activated`.

    If there are fewer of these, those that own most are paired, and the key groups of the others go one by one, the
    heaviest first, to whom is busy least then. Raises ValueError if nobody is left.
    """
    weights = _weights(placement, loads)
    target = sorted({*active, *activated} - set(retiring))
    if not target:
        raise ValueError("no subtask is left to hand over to")
    owned = _groups(placement)
    richest = sorted(retiring, key=lambda index: (-len(owned.get(index, [])), index))
    heirs = dict(zip(richest, activated, strict=False))
    result = [heirs.get(owner, owner) for owner in placement]
    totals = {index: sum(weights[g] for g, owner in enumerate(result) if owner == index) for index in target}
    idlest = [(total, owner) for owner, total in totals.items()]
    heapq.heapify(idlest)
    homeless = [g for g, owner in enumerate(result) if owner not in totals]
    for group in sorted(homeless, key=lambda g: (-weights[g], g)):
        total, heir = idlest[0]
        heapq.heapreplace(idlest, (total + weights[group], heir))
        result[group] = heir
    return result


def rebalanced(
    placement: Sequence[int], active: Sequence[int], loads: Sequence[float], tolerance: float = 0.1
) -> Placement:
    """`by_load` over the same subtasks, but only if that makes the busiest one less busy; else all stays where it is.

    So a placement that is balanced within `tolerance` moves nothing, nor does one whose peak is a single key group.
    """
    weights = _weights(placement, loads)
    if peak(placement, active, weights) <= (1 + tolerance) * sum(weights) / len(active):
        return list(placement)
    after = by_load(placement, active, loads, tolerance)
    return after if peak(after, active, weights) < peak(placement, active, weights) else list(placement)


def peak(placement: Sequence[int], active: Sequence[int], weights: Sequence[float]) -> float:
    """Load of the busiest active subtask."""
    return max(_totals(placement, active, weights).values())


def moved(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """The key groups that change their owner."""
    return [group for group, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]


# -- parts ---------------------------------------------------------------------------------------------------------


def _fair_share(weights: Sequence[float], parallelism: int) -> float:
    """The load of a subtask in the best case, leaving out those that a single heavy key group fills."""
    rest, subtasks = sum(weights), parallelism
    for weight in sorted(weights, reverse=True):
        if subtasks == 1 or weight <= rest / subtasks:
            break
        rest -= weight
        subtasks -= 1
    return max(rest, 0.0) / subtasks


def _shed(
    placement: Sequence[int], active: Sequence[int], weights: Sequence[float], fair: float, tolerance: float
) -> Placement:
    """Take from who has too much, give to who has least, heaviest first."""
    owned = _groups(placement)
    totals = {i: sum(weights[g] for g in owned.get(i, [])) for i in active}
    pool = [g for owner, groups in owned.items() if owner not in totals for g in groups]
    for owner in active:
        if totals[owner] <= (1 + tolerance) * fair:
            continue
        left = len(owned[owner])
        for group in sorted(owned[owner], key=lambda g: (-weights[g], g)):
            if left > 1 and 0 < weights[group] <= totals[owner] - fair * (1 - tolerance / 2):
                pool.append(group)
                totals[owner] -= weights[group]
                left -= 1
    result = list(placement)
    idlest = [(total, owner) for owner, total in totals.items()]
    heapq.heapify(idlest)
    for group in sorted(pool, key=lambda g: (-weights[g], g)):
        total, target = idlest[0]
        heapq.heapreplace(idlest, (total + weights[group], target))
        result[group] = target
    return _repair(result, placement, active, weights, (1 + tolerance) * fair)


def _repair(
    result: Placement, before: Sequence[int], active: Sequence[int], weights: Sequence[float], limit: float
) -> Placement:
    """Three passes: nobody is empty, the peak is lowered while one move can, moves that bring nothing are undone."""
    result = list(result)
    owned: dict[int, list[int]] = {i: [] for i in active}
    for group, owner in enumerate(result):
        owned[owner].append(group)
    totals = {i: sum(weights[g] for g in owned[i]) for i in active}

    def move(group: int, target: int) -> None:
        source = result[group]
        owned[source].remove(group)
        owned[target].append(group)
        totals[source] -= weights[group]
        totals[target] += weights[group]
        result[group] = target

    for empty in (i for i in active if not owned[i]):
        donor = max(active, key=lambda i: (len(owned[i]) > 1, totals[i], -i))
        move(min(owned[donor], key=lambda g: (weights[g], -g)), empty)

    for _ in range(len(result)):
        busiest = max(active, key=lambda i: (totals[i], -i))
        idlest = min(active, key=lambda i: (totals[i], i))
        room = totals[busiest] - totals[idlest]
        useful = [g for g in owned[busiest] if 0 < weights[g] < room]
        if totals[busiest] <= limit or not useful or len(owned[busiest]) < 2:
            break
        # What halves the difference is best.
        move(min(useful, key=lambda g: (abs(room / 2 - weights[g]), before[g] == busiest, g)), idlest)

    for group in sorted(moved(before, result), key=lambda g: (weights[g], g)):
        home = before[group]
        if home in totals and len(owned[result[group]]) > 1 and totals[home] + weights[group] <= limit:
            move(group, home)
    return result


def _pick(groups: Sequence[int], count: int, target: float, weights: Sequence[float]) -> list[int]:
    """`count` of `groups` whose weights sum up as near to `target` as one pass over the sorted groups finds.

    Among equals the highest numbers leave, so without loads a contiguous range stays contiguous.
    """
    ranked = sorted(groups, key=lambda g: (weights[g], g))
    total = sum(weights[g] for g in ranked[:count])
    best, best_at = abs(total - target), 0
    for at in range(1, len(ranked) - count + 1):
        total += weights[ranked[at + count - 1]] - weights[ranked[at - 1]]
        if abs(total - target) <= best:
            best, best_at = abs(total - target), at
    chosen = ranked[best_at : best_at + count]
    total = sum(weights[g] for g in chosen)
    rest = ranked[:best_at] + ranked[best_at + count :]
    # One swap closes most of the gap that a window of neighbours leaves.
    swaps = [
        (abs(total - weights[out] + weights[into] - target), out, into) for out in chosen[:64] for into in rest[:64]
    ]
    if swaps:
        gap, out, into = min(swaps)
        if gap < abs(total - target) * 0.999:
            chosen[chosen.index(out)] = into
    return chosen


def _flow(surplus: Mapping[int, int], deficit: Mapping[int, int]) -> dict[int, dict[int, int]]:
    """How many key groups go from whom to whom, in few pairs: exact fits first, then the greatest to the greatest."""
    have, need = dict(surplus), dict(deficit)
    flow: dict[int, dict[int, int]] = {owner: {} for owner in have}
    while have:
        owner = max(have, key=lambda o: (have[o] in need.values(), have[o], -o))
        target = max(need, key=lambda t: (need[t] == have[owner], need[t], -t))
        amount = min(have[owner], need[target])
        flow[owner][target] = flow[owner].get(target, 0) + amount
        have[owner] -= amount
        need[target] -= amount
        have = {o: n for o, n in have.items() if n}
        need = {t: n for t, n in need.items() if n}
    return flow


def _totals(placement: Sequence[int], active: Sequence[int], weights: Sequence[float]) -> dict[int, float]:
    totals = dict.fromkeys(active, 0.0)
    for group, owner in enumerate(placement):
        totals[owner] += weights[group]
    return totals


def _counts(placement: Sequence[int], active: Sequence[int]) -> dict[int, int]:
    counts = dict.fromkeys(active, 0)
    for owner in placement:
        if owner in counts:
            counts[owner] += 1
    return counts


def _groups(placement: Sequence[int]) -> dict[int, list[int]]:
    owned: dict[int, list[int]] = {}
    for group, owner in enumerate(placement):
        owned.setdefault(owner, []).append(group)
    return owned


def _weights(placement: Sequence[int], loads: Sequence[float] | None) -> list[float]:
    """Loads as weights; without any load all key groups weigh the same."""
    if loads is None or not any(loads):
        return [1.0] * len(placement)
    if len(loads) != len(placement) or min(loads) < 0:
        raise ValueError("there must be one load, not negative, for each key group")
    return [float(load) for load in loads]
