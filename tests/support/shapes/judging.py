"""Comparing what a job has put out with what stock Flink puts out.

A line is `lane|key|number|text`; a lane is `judge.branch.name`, and its judge a letter that says what stock Flink
determines (`Result.java`). Where the way to the sink does not keep the order, less of it is left to be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Group = tuple[str, str]
"""Lane and key."""


@dataclass(frozen=True)
class Line:
    """A result."""

    number: int
    text: str


Lines = Sequence[Line]
Compare = Callable[[Lines, Lines, bool], str]
"""Of the reference's results of a key in a lane, and the job's, and whether they are in order: "" or what is wrong."""

LIMIT = 12

COUNTING = frozenset(
    {"value", "value-ttl", "value-lazy", "list", "map", "map-ttl", "map-lazy", "reducing", "aggregating"}
)
"""Heads with an accumulator of their events."""


def grouped(lines: Iterable[str]) -> dict[Group, list[Line]]:
    """The results of each key in each lane, in order."""
    groups: dict[Group, list[Line]] = {}
    for line in lines:
        lane, key, number, text = line.split("|", 3)
        groups.setdefault((lane, key), []).append(Line(int(number), text))
    return groups


def differences(reference: Iterable[str], seen: Iterable[str], ordered: Mapping[str, bool]) -> list[str]:
    """What is wrong, at most `LIMIT` sentences and how many more; `ordered`: by branch."""
    expected, found = grouped(reference), grouped(seen)
    wrong = []
    for group in sorted(expected.keys() | found.keys()):
        lane, key = group
        compare = JUDGES[lane[0]]
        problem = compare(expected.get(group, []), found.get(group, []), ordered[lane.split(".")[1]])
        if problem:
            wrong.append(f"{lane} of key {key}: {problem}")
    if len(wrong) > LIMIT:
        wrong[LIMIT:] = [f"and {len(wrong) - LIMIT} more"]
    return wrong


def miscounted(accumulators: Mapping[str, str], heads: Sequence[str], events: int) -> list[str]:
    """Of heads with an accumulator, whose is another number than that of the events."""
    found = {index: accumulators.get(f"events-{index}") for index, head in enumerate(heads) if head in COUNTING}
    return [
        f"the accumulator of branch {index} says {count}, not {events} events"
        for index, count in found.items()
        if count != str(events)
    ]


def _sequence(expected: Lines, found: Lines, ordered: bool) -> str:
    if _any(expected, found, ordered):
        return _any(expected, found, ordered)
    if not ordered or list(expected) == list(found):
        return ""
    at = next(index for index, (a, b) in enumerate(zip(expected, found, strict=True)) if a != b)
    return f"another order from place {at} of {len(found)} on: {_few(expected[at:])}, but came {_few(found[at:])}"


def _any(expected: Lines, found: Lines, _: bool) -> str:
    missing, more = Counter(expected) - Counter(found), Counter(found) - Counter(expected)
    if not missing and not more:
        return ""
    return (
        f"of {len(expected)} results {missing.total()} are missing ({_few(missing.elements())}), "
        f"{more.total()} are too many ({_few(more.elements())})"
    )


def _numbered(expected: Lines, found: Lines, ordered: bool) -> str:
    texts = _any([Line(0, line.text) for line in expected], [Line(0, line.text) for line in found], False)
    if texts:
        return texts
    numbers = [line.number for line in found]
    if not ordered:
        numbers.sort()
    wanted = [line.number for line in expected] if not ordered else list(range(1, len(expected) + 1))
    if not ordered:
        wanted.sort()
    return "" if numbers == wanted else f"not numbered one after the other: {_steps(numbers)}"


def _rising(expected: Lines, found: Lines, ordered: bool) -> str:
    if not expected or not found:
        return "" if len(expected) == len(found) else f"{len(found)} results, and not {len(expected)}"
    last, wanted = max(line.number for line in found), max(line.number for line in expected)
    if last != wanted:
        return f"ends with {last}, not {wanted}"
    return _upwards(expected, found, ordered)


def _upwards(_: Lines, found: Lines, ordered: bool) -> str:
    numbers = [line.number for line in found]
    return f"goes down: {_steps(numbers)}" if ordered and any(a > b for a, b in pairwise(numbers)) else ""


def _gapless(_: Lines, found: Lines, ordered: bool) -> str:
    numbers = [line.number for line in found]
    if not ordered:
        numbers.sort()
    return f"has gaps: {_steps(numbers)}" if any(b != a + 1 for a, b in pairwise(numbers)) else ""


JUDGES: Mapping[str, Compare] = {
    "s": _sequence, "m": _any, "n": _numbered, "r": _rising, "u": _upwards, "g": _gapless,
}  # fmt: skip


def _steps(numbers: Sequence[int]) -> str:
    """The numbers around the first that is not one more than the one before."""
    at = next((index for index, (a, b) in enumerate(pairwise([0, *numbers])) if b != a + 1), 0)
    return f"{len(numbers)} numbers, from place {at} on {list(numbers[max(0, at - 2) : at + 6])}"


def _few(lines: Iterable[Line]) -> str:
    texts = [f"{line.number}:{line.text}" for line in lines]
    return ", ".join(texts[:4]) + (", .." if len(texts) > 4 else "")
