"""The queries that join without windows: which pairs there are in the end depends on no order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from drrs_jobs.generator import Auction, Bid, Event, Person
from drrs_jobs.reference.model import Rows, auctions_of, bids_of, persons_of

_NEAR = ("OR", "ID", "CA")
_CATEGORY = 10
_SIDE_KEYS = 10_000


def q3(events: Iterable[Event]) -> Rows:
    """Persons of three states with each auction of category 10 in which they sell."""
    events = list(events)
    persons: defaultdict[int, list[Person]] = defaultdict(list)
    for person in persons_of(events):
        if person.state in _NEAR:
            persons[person.id].append(person)
    return Counter(
        (seller.name, seller.city, seller.state, auction.id)
        for auction in auctions_of(events)
        if auction.category == _CATEGORY
        for seller in persons[auction.seller]
    )


def q13(events: Iterable[Event]) -> Rows:
    """Each bid with the row of a side input that has the square of each of its keys."""
    return Counter(
        (bid.auction, bid.bidder, bid.price, bid.ts, (bid.auction % _SIDE_KEYS) ** 2) for bid in bids_of(events)
    )


def q20(events: Iterable[Event]) -> Rows:
    """Each bid with its auction, if that is of category 10; whether the auction was open does not matter."""
    events = list(events)
    auctions: defaultdict[int, list[Auction]] = defaultdict(list)
    for auction in auctions_of(events):
        if auction.category == _CATEGORY:
            auctions[auction.id].append(auction)
    return Counter(
        (
            bid.auction,
            bid.bidder,
            bid.price,
            bid.ts,
            auction.initial_bid,
            auction.reserve,
            auction.expires,
            auction.seller,
        )
        for bid in bids_of(events)
        for auction in auctions[bid.auction]
    )


def q23(events: Iterable[Event]) -> Rows:
    """Each bid with the person who bids and each auction in which that person sells."""
    events = list(events)
    bids: defaultdict[int, list[Bid]] = defaultdict(list)
    for bid in bids_of(events):
        bids[bid.bidder].append(bid)
    auctions: defaultdict[int, list[Auction]] = defaultdict(list)
    for auction in auctions_of(events):
        auctions[auction.seller].append(auction)
    return Counter(
        (who.id, bid.price, bid.ts, who.name, who.city, who.state, auction.id, auction.category, auction.expires)
        for who in persons_of(events)
        for auction in auctions[who.id]
        for bid in bids[who.id]
    )
