"""The queries about how auctions end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from drrs_jobs.generator import Auction, Bid, Event
from drrs_jobs.reference.model import Rows, auctions_of, bids_of


def q4(events: Iterable[Event]) -> Rows:
    """Number and mean, rounded down, of the winning prices of each category."""
    prices: defaultdict[int, list[int]] = defaultdict(list)
    for auction, bid in _won(events):
        prices[auction.category].append(bid.price)
    return Counter((category, len(won), sum(won) // len(won)) for category, won in prices.items())


def q9(events: Iterable[Event]) -> Rows:
    """Each auction that somebody wins, with the winning bid."""
    return Counter(
        (auction.id, auction.seller, auction.category, auction.expires, bid.bidder, bid.price, bid.ts)
        for auction, bid in _won(events)
    )


def _won(events: Iterable[Event]) -> Iterator[tuple[Auction, Bid]]:
    """Yield each auction with its highest bid from its start to its end, both included; of equal ones the earliest."""
    events = list(events)
    bids: defaultdict[int, list[Bid]] = defaultdict(list)
    for bid in bids_of(events):
        bids[bid.auction].append(bid)
    for auction in auctions_of(events):
        in_time = [bid for bid in bids[auction.id] if auction.ts <= bid.ts <= auction.expires]
        if in_time:
            yield auction, min(in_time, key=lambda bid: (-bid.price, bid.ts, bid.number, bid.bidder))
