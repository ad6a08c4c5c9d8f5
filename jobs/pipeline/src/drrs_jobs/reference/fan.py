"""The query whose graph has many shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from drrs_jobs.generator import Event
from drrs_jobs.reference.model import Rows, bids_of, bids_per_second


def fan(events: Iterable[Event]) -> Rows:
    """Per key and second: how many bids have the key as auction, and how many as bidder; ``at`` is the second's end."""
    events = list(events)
    left, right = bids_per_second(events, "auction"), bids_per_second(events, "bidder")
    rows: Rows = Counter()
    for value in left.keys() | right.keys():
        auctions, bidders = left.get(value, Counter()), right.get(value, Counter())
        for end in auctions.keys() | bidders.keys():
            rows[(value, end, auctions[end], bidders[end])] += 1
    return rows


def fan_numbers(events: Iterable[Event]) -> Rows:
    """Each number 1, 2, 3 .. of each auction's bids."""
    counts = Counter(bid.auction for bid in bids_of(events))
    return Counter((auction, n) for auction, last in counts.items() for n in range(1, last + 1))


def fan_audit(events: Iterable[Event]) -> Rows:
    """Auction and event time of each bid."""
    return Counter((bid.auction, bid.ts) for bid in bids_of(events))


def fan_attributes(events: Iterable[Event]) -> Rows:
    """What each of three subtasks hears of a source with a backlog at the start: first that there is one, then none.

    The events do not matter.
    """
    del events
    return Counter((subtask, n, backlog) for subtask in range(3) for n, backlog in ((1, 1), (2, 0)))
