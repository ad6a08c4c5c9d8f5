"""The queries that keep something of all bids of a key."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from drrs_jobs.generator import Bid, Event
from drrs_jobs.java_random import mix
from drrs_jobs.reference.model import Rows, bids_of, day_of, rank_of

_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
_SMALL_CHANNELS = 10_000
_TOP = 10
_DAY_MS = 86_400_000
_MINUTE_MS = 60_000


def q15(events: Iterable[Event]) -> Rows:
    """Bids, bidders and auctions of each day."""
    return _distinct((("", day_of(bid)), bid) for bid in bids_of(events))


def q16(events: Iterable[Event]) -> Rows:
    """Bids, bidders and auctions of each channel and day."""
    return _distinct(((channel(bid.number), day_of(bid)), bid) for bid in bids_of(events))


def channel(number: int) -> str:
    """Return the channel of a bid. The events have none, so it is made of the bid's number."""
    drawn = mix(number)
    return f"channel-{(drawn >> 1) % _SMALL_CHANNELS}" if drawn & 1 else _CHANNELS[drawn >> 1 & 3]


def q17(events: Iterable[Event]) -> Rows:
    """Statistics per auction and day (UTC): the table after the last bid. The average is rounded down."""
    prices: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for bid in bids_of(events):
        prices[(bid.auction, day_of(bid))].append(bid.price)
    rows: Rows = Counter()
    for (auction, day), of_day in prices.items():
        ranks = Counter(rank_of(price) for price in of_day)
        bids, total = len(of_day), sum(of_day)
        limits = (min(of_day), max(of_day), total // bids)
        rows[(auction, day, bids, ranks[1], ranks[2], ranks[3], *limits, total)] += 1
    return rows


def q18(events: Iterable[Event]) -> Rows:
    """The last bid of each bidder for each auction, and how many there were."""
    bids: defaultdict[tuple[int, int], list[Bid]] = defaultdict(list)
    for bid in bids_of(events):
        bids[bid.bidder, bid.auction].append(bid)
    last = {key: max(of_key, key=lambda bid: (bid.ts, bid.number, bid.price)) for key, of_key in bids.items()}
    return Counter((*key, len(bids[key]), bid.price, bid.ts) for key, bid in last.items())


def q19(events: Iterable[Event]) -> Rows:
    """The ten highest bids of each auction, of equal ones the earliest, as one text of prices and bidders."""
    bids: defaultdict[int, list[Bid]] = defaultdict(list)
    for bid in bids_of(events):
        bids[bid.auction].append(bid)
    rows: Rows = Counter()
    for auction, of_auction in bids.items():
        ranked = sorted(of_auction, key=lambda bid: (-bid.price, bid.ts, bid.number, bid.bidder))
        rows[(auction, len(ranked), " ".join(f"{bid.price}/{bid.bidder}" for bid in ranked[:_TOP]))] += 1
    return rows


def _distinct(keyed: Iterable[tuple[tuple[str, str], Bid]]) -> Rows:
    """Of each key: the last minute with a bid; bids, bidders, auctions, in all and of each rank of prices."""
    bids: defaultdict[tuple[str, str], list[Bid]] = defaultdict(list)
    for key, bid in keyed:
        bids[key].append(bid)
    rows: Rows = Counter()
    for key, of_key in bids.items():
        minute = max(bid.ts for bid in of_key) % _DAY_MS // _MINUTE_MS
        sets = [of_key, *([bid for bid in of_key if rank_of(bid.price) == rank] for rank in (1, 2, 3))]
        counts = [len(some) for some in sets]
        bidders = [len({bid.bidder for bid in some}) for some in sets]
        auctions = [len({bid.auction for bid in some}) for some in sets]
        rows[(*key, minute, *counts, *bidders, *auctions)] += 1
    return rows
