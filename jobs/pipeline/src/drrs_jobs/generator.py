"""A plain-Python Nexmark generator, written from the rules and not from the Java twin, so that each checks the other.

The values of an event depend on its number alone (and on the seed in mode ``mixed``); its event time depends on its
position in its generator. So any split of the numbers over readers gives the same events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from drrs_jobs.java_random import JavaRandom, mixed_seed

Mode = Literal["beam", "mixed"]

BASE_TIME_MS = 1_436_918_400_000
"""2015-07-15T00:00:00Z, the event time of the first event, in epoch milliseconds."""

_FIRST_ID = 1000
_FIRST_CATEGORY = 10
_ID_LEAD = 10
_ACTIVE_PEOPLE = 1000
_IN_FLIGHT_AUCTIONS = 100
_HOT_STRIDE = 100
_GROUP = 50
_AUCTIONS_PER_GROUP = 3
_AUCTION_HORIZON_EVENTS = _IN_FLIGHT_AUCTIONS * _GROUP // _AUCTIONS_PER_GROUP
_DISORDER_STEP = 953

_STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
_CITIES = (
    "Phoenix",
    "Los Angeles",
    "San Francisco",
    "Boise",
    "Portland",
    "Bend",
    "Redmond",
    "Seattle",
    "Kent",
    "Cheyenne",
)
_FIRST_NAMES = ("Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter")
_LAST_NAMES = ("Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris")


class Person(NamedTuple):
    """A new person; ``ts`` is its event time in epoch milliseconds."""

    number: int
    ts: int
    id: int
    name: str
    city: str
    state: str


class Auction(NamedTuple):
    """A new auction; ``ts`` and ``expires`` are epoch milliseconds, money is in cents."""

    number: int
    ts: int
    id: int
    initial_bid: int
    reserve: int
    expires: int
    seller: int
    category: int


class Bid(NamedTuple):
    """A bid of ``price`` cents; ``ts`` is its event time in epoch milliseconds."""

    number: int
    ts: int
    auction: int
    bidder: int
    price: int


Event = Person | Auction | Bid


@dataclass(frozen=True, slots=True)
class GeneratorConfig:
    """What decides the events of a run.

    ``rate`` is events per second of event time over all ``generators``; ``disorder`` is the size of the groups in
    which positions are shuffled (1: in order); ``events`` is only needed to split the numbers over generators.
    """

    mode: Mode = "beam"
    seed: int = 0
    rate: int = 10_000
    generators: int = 1
    events: int = 0
    disorder: int = 1

    def __post_init__(self) -> None:
        if self.rate < 1 or self.generators < 1 or self.disorder < 1 or self.events < 0:
            raise ValueError(f"rate, generators and disorder must be at least 1, events at least 0: {self}")
        if self.disorder % _DISORDER_STEP == 0:
            raise ValueError(f"disorder must not be a multiple of {_DISORDER_STEP}: {self}")

    @property
    def delay_us(self) -> int:
        """Microseconds of event time between two events of one generator."""
        return (1_000_000 + self.rate // 2) // self.rate * self.generators

    def event_time(self, index: int) -> int:
        """Return the event time, in epoch milliseconds, of the event at ``index`` of its generator."""
        return BASE_TIME_MS + index * self.delay_us // 1000


def event_at(config: GeneratorConfig, number: int, index: int | None = None) -> Event:
    """Return event ``number``; ``index`` is its position in its generator (default: one generator, so the number)."""
    position = number if index is None else index
    random = JavaRandom(number if config.mode == "beam" else mixed_seed(config.seed, number))
    ts = config.event_time(position)
    kind = number % _GROUP
    if kind == 0:
        return _person(random, number, ts)
    if kind <= _AUCTIONS_PER_GROUP:
        horizon = config.event_time(position + _AUCTION_HORIZON_EVENTS) - ts
        return _auction(random, number, ts, horizon)
    return _bid(random, number, ts)


def events(config: GeneratorConfig, first: int = 0) -> Iterator[Event]:
    """Yield ``config.events`` events from number ``first`` on, generator by generator, each in its emission order.

    Event time starts at the base time in each generator, whatever the number of its first event.
    """
    share = config.events // config.generators
    for generator in range(config.generators):
        start = generator * share
        length = share if generator < config.generators - 1 else config.events - start
        for position in range(length):
            index = disordered(position, config.disorder, length)
            yield event_at(config, first + start + index, index)


def disordered(position: int, group: int, length: int) -> int:
    """Return the index that is emitted at ``position`` if the ``length`` positions are shuffled in groups.

    An incomplete last group stays in order, since its shuffle would reach past the end.
    """
    start = position - position % group
    if start + group > length:
        return position
    return start + position % group * _DISORDER_STEP % group


def _last_person(number: int) -> int:
    return number // _GROUP


def _last_auction(number: int) -> int:
    group, offset = divmod(number, _GROUP)
    return group * _AUCTIONS_PER_GROUP + min(offset, _AUCTIONS_PER_GROUP) - 1


def _person(random: JavaRandom, number: int, ts: int) -> Person:
    first = _FIRST_NAMES[random.next_int(len(_FIRST_NAMES))]
    last = _LAST_NAMES[random.next_int(len(_LAST_NAMES))]
    _skip_string(random, 7)
    _skip_string(random, 5)
    for _ in range(4):
        random.next_int(10_000)
    city = _CITIES[random.next_int(len(_CITIES))]
    state = _STATES[random.next_int(len(_STATES))]
    return Person(number, ts, _last_person(number) + _FIRST_ID, f"{first} {last}", city, state)


def _auction(random: JavaRandom, number: int, ts: int, horizon_ms: int) -> Auction:
    seller = _hot_or(random, 4, _last_person(number), 0, _pick_person, number)
    category = _FIRST_CATEGORY + random.next_int(5)
    initial_bid = _price(random)
    expires = ts + 1 + random.next_int(max(2 * horizon_ms, 1))
    _skip_string(random, 20)
    _skip_string(random, 100)
    reserve = initial_bid + _price(random)
    return Auction(
        number, ts, _last_auction(number) + _FIRST_ID, initial_bid, reserve, expires, seller + _FIRST_ID, category
    )


def _bid(random: JavaRandom, number: int, ts: int) -> Bid:
    auction = _hot_or(random, 2, _last_auction(number), 0, _pick_auction, number)
    bidder = _hot_or(random, 4, _last_person(number), 1, _pick_person, number)
    return Bid(number, ts, auction + _FIRST_ID, bidder + _FIRST_ID, _price(random))


def _hot_or(
    random: JavaRandom, ratio: int, last: int, hot_offset: int, pick: Callable[[JavaRandom, int], int], number: int
) -> int:
    if random.next_int(ratio) > 0:
        return last // _HOT_STRIDE * _HOT_STRIDE + hot_offset
    return pick(random, number)


def _pick_person(random: JavaRandom, number: int) -> int:
    people = _last_person(number) + 1
    active = min(people, _ACTIVE_PEOPLE)
    return people - active + random.next_int(active + _ID_LEAD)


def _pick_auction(random: JavaRandom, number: int) -> int:
    newest = _last_auction(number)
    oldest = max(newest - _IN_FLIGHT_AUCTIONS, 0)
    return oldest + random.next_int(newest - oldest + 1 + _ID_LEAD)


def _price(random: JavaRandom) -> int:
    # Java's Math.round rounds half up; Python's round would go to the even neighbour.
    return math.floor(math.pow(10.0, random.next_double() * 6.0) * 100.0 + 0.5)


def _skip_string(random: JavaRandom, limit: int) -> None:
    """Draw what a random string draws: its text is in no result, but the draws after it depend on them."""
    for _ in range(3 + random.next_int(limit - 3)):
        if random.next_int(13) != 0:
            random.next_int(26)
