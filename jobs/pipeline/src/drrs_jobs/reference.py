"""What each query must put out, as plain sequential loops over the events.

Each function takes the events in any order and returns the multiset of result rows; a row is a tuple in the order of
the query's ``fields``. The names in ``fields`` are those of the JSON records a job writes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from drrs_jobs.generator import Bid, Event

Row = tuple[int | str, ...]
Rows = Counter[Row]

_RANK_LOW = 10_000
_RANK_HIGH = 1_000_000


def count(events: Iterable[Event]) -> Rows:
    """Running count of bids per auction: one row for each bid, so each key's ``n`` goes 1, 2, 3 .."""
    rows: Rows = Counter()
    counts: Counter[int] = Counter()
    for bid in _bids(events):
        counts[bid.auction] += 1
        rows[(bid.auction, counts[bid.auction])] += 1
    return rows


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


@dataclass(frozen=True, slots=True)
class Query:
    """How a query's result records look and how they are compared.

    ``key`` fields name the key. If ``counter`` is set, the job writes a row per input record and ``counter`` numbers
    the rows of a key 1, 2, 3 ..; if ``final_only`` is set as well, only a key's row with the highest number counts
    for the values (the table after the last update), since the rows between depend on the order of arrival.
    """

    name: str
    fields: tuple[str, ...]
    key: tuple[str, ...]
    reference: Callable[[Iterable[Event]], Rows]
    counter: str | None = None
    final_only: bool = False


QUERIES: dict[str, Query] = {
    query.name: query
    for query in (
        Query("count", ("auction", "n"), ("auction",), count, counter="n"),
        Query("q5", ("auction", "num", "window_start", "window_end"), ("auction", "window_start"), q5),
        Query("q11", ("bidder", "bid_count", "start_time", "end_time"), ("bidder", "start_time"), q11),
        Query(
            "q17",
            (
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
            ),
            ("auction", "day"),
            q17,
            counter="total_bids",
            final_only=True,
        ),
    )
}


def _bids(events: Iterable[Event]) -> Iterable[Bid]:
    return (event for event in events if isinstance(event, Bid))
