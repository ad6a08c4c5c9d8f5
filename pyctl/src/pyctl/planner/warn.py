"""What a user should know before a rescale that is possible but may disappoint."""

from __future__ import annotations

from collections.abc import Sequence

_UNEVEN = 1.2
_FEW_PER_SUBTASK = 4
_MANY = 4_096
_BYTES_OF_EMPTY = 12
"""Of an empty key group in a checkpoint of a subtask: its number, and its place in the file."""
_BYTES_PER_STATE = 6
_MIB = 2**20


def warnings_for(
    placement: Sequence[int], active: Sequence[int], loads: Sequence[float] | None, entries: Sequence[int]
) -> list[str]:
    """Sentences about a placement: hot key group, uneven counts, few keys, many key groups."""
    return [
        sentence
        for sentence in (
            _hot_key_group(active, loads),
            _uneven(len(placement), len(active)),
            _few_keys(placement, active, entries),
            _many_key_groups(len(placement), len(active)),
        )
        if sentence is not None
    ]


def _hot_key_group(active: Sequence[int], loads: Sequence[float] | None) -> str | None:
    total = sum(loads or ())
    parallelism = len(active)
    if not loads or total <= 0 or parallelism < 2:
        return None
    hottest = max(range(len(loads)), key=lambda g: loads[g])
    part = loads[hottest] / total
    if part <= 1 / parallelism:
        return None
    useful = max(1, int(1 / part))
    return (
        f"Key group {hottest} takes {part:.0%} of the records, more than 1/{parallelism}: "
        f"more than {useful} subtask{'s' if useful > 1 else ''} will not spread this load further."
    )


def _uneven(key_groups: int, parallelism: int) -> str | None:
    base, extra = divmod(key_groups, parallelism)
    if not extra or (base + 1) / (key_groups / parallelism) < _UNEVEN:
        return None
    return (
        f"{extra} of {parallelism} subtasks own {base + 1} key groups and the others {base}, so the load differs by up "
        f"to {(base + 1) / base:.2g} times: a divisor of {key_groups}, such as {_divisor(key_groups, parallelism)}, "
        "is even."
    )


def _few_keys(placement: Sequence[int], active: Sequence[int], entries: Sequence[int]) -> str | None:
    filled = [g for g, count in enumerate(entries) if count > 0]
    if not filled or len(filled) >= _FEW_PER_SUBTASK * len(active):
        return None
    busy = len({placement[g] for g in filled})
    idle = len(active) - busy
    tail = f", and {idle} of them get none" if idle else ""
    return (
        f"Only {len(filled)} of {len(placement)} key groups hold state: too few keys to spread well over "
        f"{len(active)} subtasks{tail}."
    )


def _many_key_groups(key_groups: int, parallelism: int) -> str | None:
    if key_groups < _MANY:
        return None
    total = key_groups * parallelism / _MIB
    return (
        f"Each of {parallelism} subtasks writes all {key_groups} key groups into a checkpoint, empty ones too: "
        f"{total * _BYTES_OF_EMPTY:.1f} MiB, and {total * _BYTES_PER_STATE:.1f} MiB for each state."
    )


def _divisor(key_groups: int, parallelism: int) -> int:
    """The divisor of the number of key groups that lies nearest to the parallelism."""
    divisors = [n for n in range(1, key_groups + 1) if key_groups % n == 0]
    return min(divisors, key=lambda n: (abs(n - parallelism), -n))
