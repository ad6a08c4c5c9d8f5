"""The query with keys of a skew of one's choice."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import accumulate

from drrs_jobs.generator import Event
from drrs_jobs.java_random import mix
from drrs_jobs.reference.model import Rows, bids_of

_UNIT = 1.0 / (1 << 53)


def synthetic(events: Iterable[Event], keys: int = 4_096, zipf_percent: int = 0) -> Rows:
    """Running count and sum of prices per key; each bid has a key that is drawn from its number."""
    counts: Counter[int] = Counter()
    sums: Counter[int] = Counter()
    for bid in bids_of(events):
        key = zipf_key(bid.number, keys, zipf_percent)
        counts[key] += 1
        sums[key] += bid.price
    return Counter((key, n, sums[key]) for key, n in counts.items())


def zipf_key(number: int, keys: int, zipf_percent: int) -> int:
    """Return the key of an event: of rank ``r`` (key ``r - 1``) as often as ``r`` to minus the exponent says."""
    weights = _sums(keys, zipf_percent)
    drawn = (mix(number) >> 11) * _UNIT * weights[-1]
    return min(bisect_right(weights, drawn), keys - 1)


@cache
def _sums(keys: int, zipf_percent: int) -> list[float]:
    return list(accumulate(rank ** -(zipf_percent / 100.0) for rank in range(1, keys + 1)))
