"""What a reference is: rows, and how the result records of a query are compared with them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from drrs_jobs.generator import Auction, Bid, Event, Person

Row = tuple[int | str, ...]
Rows = Counter[Row]
Key = Literal["auction", "bidder"]
Fold = Literal["sum", "max"]

_RANK_LOW = 10_000
_RANK_HIGH = 1_000_000
_SECOND_MS = 1_000


@dataclass(frozen=True, slots=True)
class Query:
    """How a query's result records look and how they are compared.

    A result record is one of this query if it has the values of ``where``. ``key`` fields name the key. If ``counter``
    is set, the job writes a row per input record and ``counter`` numbers the rows of a key 1, 2, 3 ..; only a key's
    last row is compared by its values, since the rows between depend on the order of arrival.

    ``folds`` is for windows of processing time, which depend on the run: what they have of a key in all, as sum or
    highest value of a field, does not. Only that is compared, and that no two rows are alike in the fields ``once``.
    The rows of ``reference`` are then the key's fields and those of ``folds``.
    """

    name: str
    fields: tuple[str, ...]
    key: tuple[str, ...]
    reference: Callable[..., Rows]
    counter: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    folds: Mapping[str, Fold] = field(default_factory=dict)
    once: tuple[str, ...] = ()

    @property
    def compared(self) -> tuple[str, ...]:
        """The fields of the rows of ``reference``."""
        return (*self.key, *self.folds) if self.folds else self.fields

    def of(self, row: Row, names: tuple[str, ...]) -> Row:
        """Return the values of some fields of a row that a job wrote."""
        return tuple(row[self.fields.index(name)] for name in names)


def bids_of(events: Iterable[Event]) -> Iterable[Bid]:
    """The bids."""
    return (event for event in events if isinstance(event, Bid))


def auctions_of(events: Iterable[Event]) -> Iterable[Auction]:
    """The auctions."""
    return (event for event in events if isinstance(event, Auction))


def persons_of(events: Iterable[Event]) -> Iterable[Person]:
    """The persons."""
    return (event for event in events if isinstance(event, Person))


def key_of(bid: Bid, key: Key) -> int:
    """The id that is the key."""
    return bid.auction if key == "auction" else bid.bidder


def day_of(event: Event) -> str:
    """The day (UTC) of an event, as ``2015-07-15``."""
    return datetime.fromtimestamp(event.ts / 1000, UTC).strftime("%Y-%m-%d")


def rank_of(price: int) -> int:
    """The rank of a price: 1, 2 or 3."""
    return 1 + (price >= _RANK_LOW) + (price >= _RANK_HIGH)


def bids_per_second(events: Iterable[Event], key: Key) -> Mapping[int, Counter[int]]:
    """Return the bids per key and end of the second that they lie in."""
    seconds: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for bid in bids_of(events):
        seconds[key_of(bid, key)][bid.ts // _SECOND_MS * _SECOND_MS + _SECOND_MS] += 1
    return seconds
