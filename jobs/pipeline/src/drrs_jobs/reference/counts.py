"""The queries of our own that count bids per key."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from drrs_jobs.generator import Bid, Event
from drrs_jobs.reference.model import Key, Rows, bids_of, bids_per_second, key_of

_STATES_LIST = 16
_STATES_SLOTS = 8
_STATES_LATE_FROM = 5
_RULE_EVERY = 20


def count(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Running count and sum of prices per key; the job writes a row per bid, so each key's ``n`` goes 1, 2, 3 .."""
    counts: Counter[int] = Counter()
    sums: Counter[int] = Counter()
    for bid in bids_of(events):
        counts[key_of(bid, key)] += 1
        sums[key_of(bid, key)] += bid.price
    return Counter((value, n, sums[value]) for value, n in counts.items())


def event_timers(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Timers of ``count``: at each whole second after a bid of the key, the number of its bids before that second."""
    rows: Rows = Counter()
    for value, per_second in bids_per_second(events, key).items():
        before = 0
        for end in sorted(per_second):
            before += per_second[end]
            rows[(value, end, before)] += 1
    return rows


def processing_timers(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Timers of ``count`` in processing time: each event timer sets one, and each numbers its firing.

    A bounded job ends without the last ones: compare runs that hold on after the last event.
    """
    return Counter((value, len(per_second)) for value, per_second in bids_per_second(events, key).items())


def states(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Every kind of keyed state per key, as a digest that depends on which bids came and not on their order."""
    bids: defaultdict[int, list[Bid]] = defaultdict(list)
    for bid in bids_of(events):
        bids[key_of(bid, key)].append(bid)
    rows: Rows = Counter()
    for value, of_key in bids.items():
        n = len(of_key)
        latest = sorted(bid.number for bid in of_key)[-_STATES_LIST:]
        by_price = Counter(bid.price % _STATES_SLOTS for bid in of_key)
        kinds = [n, len(latest), sum(latest), *(by_price[slot] for slot in range(_STATES_SLOTS))]
        kinds += [max(bid.price for bid in of_key), sum(bid.price for bid in of_key) - n]
        # The same states twice, without and with TTL, and a counter that starts late.
        rows[(value, n, _digest([*kinds, *kinds, max(0, n - _STATES_LATE_FROM + 1)]))] += 1
    return rows


def rules(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Bids per key, and the rules that each key has been shown by the end: all of them."""
    prices = [bid.price for bid in bids_of(events) if bid.number % _RULE_EVERY == 0]
    total = len(prices)
    return Counter((value, n, total, total, sum(prices)) for value, n, _ in count(events, key))


def parity(events: Iterable[Event]) -> Rows:
    """Running count of bids per auction."""
    return Counter((value, n) for value, n, _ in count(events))


def _digest(values: Iterable[int]) -> int:
    """Fold values as ``31 * digest + value``, as a signed 64-bit number."""
    digest = 17
    for value in values:
        digest = (31 * digest + value) % (1 << 64)
    return digest - (1 << 64) if digest >= 1 << 63 else digest
