"""The queries over windows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from drrs_jobs.generator import Auction, Bid, Event, Person
from drrs_jobs.reference.model import Rows, auctions_of, bids_of, persons_of

_E = TypeVar("_E", Bid, Person, Auction)


def q5(events: Iterable[Event], size_ms: int = 10_000, slide_ms: int = 2_000) -> Rows:
    """Hot auctions: per hop window all auctions with the most bids; windows are aligned to the epoch."""
    _windows_of_an_event(size_ms, slide_ms)
    windows: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for bid in bids_of(events):
        for start in _starts(bid.ts, size_ms, slide_ms):
            windows[start][bid.auction] += 1
    rows: Rows = Counter()
    for start, per_auction in windows.items():
        most = max(per_auction.values())
        for auction, bids in per_auction.items():
            if bids == most:
                rows[(auction, bids, start, start + size_ms)] += 1
    return rows


def q7(events: Iterable[Event], window_ms: int = 10_000) -> Rows:
    """The highest bids of each window: all that have the highest price."""
    windows: defaultdict[int, list[Bid]] = defaultdict(list)
    for bid in bids_of(events):
        windows[bid.ts // window_ms * window_ms + window_ms].append(bid)
    rows: Rows = Counter()
    for end, bids in windows.items():
        highest = max(bid.price for bid in bids)
        rows.update((bid.auction, bid.bidder, highest, bid.ts, end) for bid in bids if bid.price == highest)
    return rows


def q8(events: Iterable[Event], window_ms: int = 10_000) -> Rows:
    """Persons who are new in a window and sell something in it; each name of an id once a window."""
    events = list(events)
    sellers = {(auction.seller, auction.ts // window_ms) for auction in auctions_of(events)}
    new = {(person.id, person.name, person.ts // window_ms) for person in persons_of(events)}
    return Counter((who, name, window * window_ms) for who, name, window in new if (who, window) in sellers)


def q11(events: Iterable[Event], gap_ms: int = 10_000) -> Rows:
    """Bids per bidder and session; as in Flink, sessions that merely touch are one session."""
    times: defaultdict[int, list[int]] = defaultdict(list)
    for bid in bids_of(events):
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


def q12(events: Iterable[Event]) -> Rows:
    """Bids per bidder: what all windows of processing time have together."""
    return Counter(Counter(bid.bidder for bid in bids_of(events)).items())


def drrs_q7_event(events: Iterable[Event], size_ms: int = 10_000, slide_ms: int = 2_000) -> Rows:
    """Highest price and number of the bids of a bidder in each sliding window."""
    rows: Rows = Counter()
    for (bidder, start), bids in _gathered(bids_of(events), "bidder", size_ms, slide_ms).items():
        rows[(bidder, max(bid.price for bid in bids), len(bids), start, start + size_ms)] += 1
    return rows


def drrs_q7(events: Iterable[Event], size_ms: int = 10_000, slide_ms: int = 2_000) -> Rows:
    """As ``drrs_q7_event``, in processing time: a bid is in as many windows, whichever they are."""
    prices: defaultdict[int, list[int]] = defaultdict(list)
    for bid in bids_of(events):
        prices[bid.bidder].append(bid.price)
    each = _windows_of_an_event(size_ms, slide_ms)
    return Counter((bidder, max(all_prices), each * len(all_prices)) for bidder, all_prices in prices.items())


def drrs_q8_event(events: Iterable[Event], size_ms: int = 10_000, slide_ms: int = 2_000) -> Rows:
    """New persons of an id and auctions of that seller in each sliding window, and pairs of them."""
    events = list(events)
    persons = _gathered(persons_of(events), "id", size_ms, slide_ms)
    auctions = _gathered(auctions_of(events), "seller", size_ms, slide_ms)
    rows: Rows = Counter()
    for who, start in persons.keys() | auctions.keys():
        new, sold = len(persons.get((who, start), ())), len(auctions.get((who, start), ()))
        rows[(who, new, sold, new * sold, start, start + size_ms)] += 1
    return rows


def drrs_q8(events: Iterable[Event], size_ms: int = 10_000, slide_ms: int = 2_000) -> Rows:
    """As ``drrs_q8_event``, in processing time: who meets whom depends on the run, how often each is there does not."""
    events = list(events)
    persons = Counter(person.id for person in persons_of(events))
    auctions = Counter(auction.seller for auction in auctions_of(events))
    each = _windows_of_an_event(size_ms, slide_ms)
    return Counter((who, each * persons[who], each * auctions[who]) for who in persons.keys() | auctions.keys())


def _gathered(events: Iterable[_E], key: str, size_ms: int, slide_ms: int) -> defaultdict[tuple[int, int], list[_E]]:
    """Return the events per key and start of a sliding window."""
    _windows_of_an_event(size_ms, slide_ms)
    found: defaultdict[tuple[int, int], list[_E]] = defaultdict(list)
    for event in events:
        for start in _starts(event.ts, size_ms, slide_ms):
            found[getattr(event, key), start].append(event)
    return found


def _starts(ts: int, size_ms: int, slide_ms: int) -> Sequence[int]:
    """Return the starts of the windows that a time is in; they are aligned to the epoch."""
    latest = ts // slide_ms * slide_ms
    return range(latest, latest - size_ms, -slide_ms)


def _windows_of_an_event(size_ms: int, slide_ms: int) -> int:
    if size_ms % slide_ms:
        raise ValueError(f"the window of {size_ms} ms must be a multiple of its slide of {slide_ms} ms")
    return size_ms // slide_ms
