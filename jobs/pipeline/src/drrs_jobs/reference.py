"""What each query must put out, as plain sequential loops over the events.

Each function takes the events in any order and returns the multiset of result rows; a row is a tuple in the order of
the query's ``fields``, which are named as in the JSON records that a job writes. For a query with a ``counter`` the
rows are those with each key's last number, the table after the last update.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from drrs_jobs.generator import Bid, Event

Row = tuple[int | str, ...]
Rows = Counter[Row]
Key = Literal["auction", "bidder"]

_RANK_LOW = 10_000
_RANK_HIGH = 1_000_000
_SECOND_MS = 1_000
_STATES_LIST = 16
_STATES_SLOTS = 8
_STATES_LATE_FROM = 5
_RULE_EVERY = 20


def count(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Running count and sum of prices per key; the job writes a row per bid, so each key's ``n`` goes 1, 2, 3 .."""
    counts: Counter[int] = Counter()
    sums: Counter[int] = Counter()
    for bid in _bids(events):
        counts[_key(bid, key)] += 1
        sums[_key(bid, key)] += bid.price
    return Counter((value, n, sums[value]) for value, n in counts.items())


def event_timers(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Timers of ``count``: at each whole second after a bid of the key, the number of its bids before that second."""
    rows: Rows = Counter()
    for value, per_second in _bids_per_second(events, key).items():
        before = 0
        for end in sorted(per_second):
            before += per_second[end]
            rows[(value, end, before)] += 1
    return rows


def processing_timers(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Timers of ``count`` in processing time: each event timer sets one, and each numbers its firing.

    A bounded job ends without the last ones: compare runs that hold on after the last event.
    """
    return Counter((value, len(per_second)) for value, per_second in _bids_per_second(events, key).items())


def q5(events: Iterable[Event], size_ms: int = 10_000, slide_ms: int = 2_000) -> Rows:
    """Hot auctions: per hop window all auctions with the most bids; windows are aligned to the epoch."""
    if size_ms % slide_ms:
        raise ValueError(f"the window of {size_ms} ms must be a multiple of its slide of {slide_ms} ms")
    windows: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for bid in _bids(events):
        latest = bid.ts // slide_ms * slide_ms
        for start in range(latest, latest - size_ms, -slide_ms):
            windows[start][bid.auction] += 1
    rows: Rows = Counter()
    for start, per_auction in windows.items():
        most = max(per_auction.values())
        for auction, bids in per_auction.items():
            if bids == most:
                rows[(auction, bids, start, start + size_ms)] += 1
    return rows


def q11(events: Iterable[Event], gap_ms: int = 10_000) -> Rows:
    """Bids per bidder and session; as in Flink, sessions that merely touch are one session."""
    times: defaultdict[int, list[int]] = defaultdict(list)
    for bid in _bids(events):
        times[bid.bidder].append(bid.ts)
    rows: Rows = Counter()
    for bidder, stamps in times.items():
        stamps.sort()
        start, last, bids = stamps[0], stamps[0], 0
        for stamp in stamps:
            if stamp > last + gap_ms:
                rows[(bidder, bids, start, last + gap_ms)] += 1
                start, bids = stamp, 0
            last, bids = stamp, bids + 1
        rows[(bidder, bids, start, last + gap_ms)] += 1
    return rows


def q17(events: Iterable[Event]) -> Rows:
    """Statistics per auction and day (UTC): the table after the last bid. The average is rounded down."""
    prices: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for bid in _bids(events):
        day = datetime.fromtimestamp(bid.ts / 1000, UTC).strftime("%Y-%m-%d")
        prices[(bid.auction, day)].append(bid.price)
    rows: Rows = Counter()
    for (auction, day), all_prices in prices.items():
        low = sum(price < _RANK_LOW for price in all_prices)
        high = sum(price >= _RANK_HIGH for price in all_prices)
        bids, total = len(all_prices), sum(all_prices)
        rows[
            (
                auction,
                day,
                bids,
                low,
                bids - low - high,
                high,
                min(all_prices),
                max(all_prices),
                total // bids,
                total,
            )
        ] += 1
    return rows


def states(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Every kind of keyed state per key, as a digest that depends on which bids came and not on their order."""
    bids: defaultdict[int, list[Bid]] = defaultdict(list)
    for bid in _bids(events):
        bids[_key(bid, key)].append(bid)
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


def fan(events: Iterable[Event]) -> Rows:
    """Per key and second: how many bids have the key as auction, and how many as bidder; ``at`` is the second's end."""
    events = list(events)
    left, right = _bids_per_second(events, "auction"), _bids_per_second(events, "bidder")
    rows: Rows = Counter()
    for value in left.keys() | right.keys():
        auctions, bidders = left.get(value, Counter()), right.get(value, Counter())
        for end in auctions.keys() | bidders.keys():
            rows[(value, end, auctions[end], bidders[end])] += 1
    return rows


def fan_numbers(events: Iterable[Event]) -> Rows:
    """Each number 1, 2, 3 .. of each auction's bids."""
    counts = Counter(bid.auction for bid in _bids(events))
    return Counter((auction, n) for auction, last in counts.items() for n in range(1, last + 1))


def fan_audit(events: Iterable[Event]) -> Rows:
    """Auction and event time of each bid."""
    return Counter((bid.auction, bid.ts) for bid in _bids(events))


def fan_attributes(events: Iterable[Event]) -> Rows:
    """What each of three subtasks hears of a source with a backlog at the start: first that there is one, then none.

    The events do not matter.
    """
    del events
    return Counter((subtask, n, backlog) for subtask in range(3) for n, backlog in ((1, 1), (2, 0)))


def rules(events: Iterable[Event], key: Key = "auction") -> Rows:
    """Bids per key, and the rules that each key has been shown by the end: all of them."""
    prices = [bid.price for bid in _bids(events) if bid.number % _RULE_EVERY == 0]
    total = len(prices)
    return Counter((value, n, total, total, sum(prices)) for value, n, _ in count(events, key))


def parity(events: Iterable[Event]) -> Rows:
    """Running count of bids per auction."""
    return Counter((value, n) for value, n, _ in count(events))


@dataclass(frozen=True, slots=True)
class Query:
    """How a query's result records look and how they are compared.

    A result record is one of this query if it has the values of ``where``. ``key`` fields name the key. If ``counter``
    is set, the job writes a row per input record and ``counter`` numbers the rows of a key 1, 2, 3 ..; only a key's
    last row is compared by its values, since the rows between depend on the order of arrival.
    """

    name: str
    fields: tuple[str, ...]
    key: tuple[str, ...]
    reference: Callable[..., Rows]
    counter: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)


_Q17_FIELDS = (
    "auction",
    "day",
    "total_bids",
    "rank1_bids",
    "rank2_bids",
    "rank3_bids",
    "min_price",
    "max_price",
    "avg_price",
    "sum_price",
)

QUERIES: dict[str, Query] = {
    query.name: query
    for query in (
        Query("count", ("key", "n", "sum"), ("key",), count, counter="n", where={"q": "count"}),
        Query("event-timers", ("key", "at", "n"), ("key",), event_timers, where={"q": "timer", "kind": "event"}),
        Query(
            "processing-timers",
            ("key", "n"),
            ("key",),
            processing_timers,
            counter="n",
            where={"q": "timer", "kind": "processing"},
        ),
        Query(
            "q5",
            ("auction", "num", "window_start", "window_end"),
            ("auction", "window_start"),
            q5,
            where={"q": "q5"},
        ),
        Query(
            "q11",
            ("bidder", "bid_count", "start_time", "end_time"),
            ("bidder", "start_time"),
            q11,
            where={"q": "q11"},
        ),
        Query("states", ("key", "n", "digest"), ("key",), states, counter="n", where={"q": "states"}),
        Query("fan", ("key", "at", "left", "right"), ("key", "at"), fan, where={"q": "fan"}),
        Query("fan-side", ("key", "n"), ("key", "n"), fan_numbers, where={"q": "fan-side"}),
        Query("fan-placed", ("key", "n"), ("key", "n"), fan_numbers, where={"q": "fan-placed"}),
        Query("fan-audit", ("key", "at"), ("key", "at"), fan_audit, where={"q": "fan-audit"}),
        Query(
            "fan-attributes",
            ("subtask", "n", "backlog"),
            ("subtask", "n"),
            fan_attributes,
            where={"q": "fan-attributes"},
        ),
        Query("many", ("key", "n", "sum"), ("key",), count, counter="n", where={"q": "many"}),
        Query("rules", ("key", "n", "shown", "rules", "sum"), ("key",), rules, where={"q": "rules"}),
        Query("parity", ("key", "n"), ("key",), parity, counter="n", where={"q": "parity"}),
        Query("q17", _Q17_FIELDS, ("auction", "day"), q17, counter="total_bids", where={"q": "q17"}),
    )
}


def _bids(events: Iterable[Event]) -> Iterable[Bid]:
    return (event for event in events if isinstance(event, Bid))


def _key(bid: Bid, key: Key) -> int:
    return bid.auction if key == "auction" else bid.bidder


def _bids_per_second(events: Iterable[Event], key: Key) -> Mapping[int, Counter[int]]:
    """Return the bids per key and end of the second that they lie in."""
    seconds: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for bid in _bids(events):
        seconds[_key(bid, key)][bid.ts // _SECOND_MS * _SECOND_MS + _SECOND_MS] += 1
    return seconds


def _digest(values: Iterable[int]) -> int:
    """Fold values as ``31 * digest + value``, as a signed 64-bit number."""
    digest = 17
    for value in values:
        digest = (31 * digest + value) % (1 << 64)
    return digest - (1 << 64) if digest >= 1 << 63 else digest
