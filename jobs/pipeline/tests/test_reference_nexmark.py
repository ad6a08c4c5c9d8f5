"""The references of Nexmark's queries: against the row counts of the oracle table, and in small by hand."""

from collections import Counter
from functools import cache

import pytest

from drrs_jobs.generator import Auction, Bid, Event, GeneratorConfig, Person, events
from drrs_jobs.reference.auction_ends import q4, q9
from drrs_jobs.reference.joins import q3, q13, q20, q23
from drrs_jobs.reference.statistics import channel, q15, q16, q18, q19
from drrs_jobs.reference.synthetic import synthetic, zipf_key
from drrs_jobs.reference.windows import drrs_q7, drrs_q7_event, drrs_q8, drrs_q8_event, q7, q8, q12

SETS = {
    "S1": GeneratorConfig(events=1_000),
    "S2": GeneratorConfig(events=10_000),
    "S3": GeneratorConfig(events=10_000, generators=100),
    "S4": GeneratorConfig(events=100_000),
    "S6": GeneratorConfig(events=100_000, generators=100),
}


@cache
def events_of(name: str) -> list[Event]:
    return list(events(SETS[name]))


@pytest.mark.parametrize(
    ("name", "q3_rows", "q7_rows", "q8_rows", "q9_rows", "q18_rows", "q19_bids", "q20_rows"),
    [
        ("S1", 0, 1, 1, 1, 30, 10, 0),
        ("S2", 17, 1, 110, 332, 1_789, 3_002, 714),
        ("S3", 17, 1, 110, 369, 1_789, 3_002, 714),
        ("S4", 580, 1, 902, 4_052, 25_248, 35_135, 14_419),
        ("S6", 580, 1, 902, 3_825, 25_248, 35_135, 14_419),
    ],
)
def test_queries_have_the_oracles_row_counts(
    name: str, q3_rows: int, q7_rows: int, q8_rows: int, q9_rows: int, q18_rows: int, q19_bids: int, q20_rows: int
) -> None:
    of = events_of(name)
    assert q3(of).total() == q3_rows
    assert q7(of).total() == q7_rows
    assert q8(of).total() == q8_rows
    assert q9(of).total() == q9_rows
    assert q18(of).total() == q18_rows
    assert sum(len(str(top).split()) for _, _, top in q19(of)) == q19_bids
    assert q20(of).total() == q20_rows


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("S2", (33_821_746, 36_476_806, 34_816_596, 35_249_073, 38_589_558)),
        ("S3", (25_989_071, 33_910_177, 37_468_234, 35_056_025, 37_539_107)),
        ("S4", (33_984_800, 33_110_270, 32_828_496, 32_635_248, 34_803_745)),
        ("S6", (27_308_057, 26_633_691, 29_095_157, 26_281_200, 27_939_017)),
    ],
)
def test_mean_winning_prices_are_the_oracles(name: str, means: tuple[int, ...]) -> None:
    assert {row[0]: row[2] for row in q4(events_of(name))} == dict(enumerate(means, 10))


def bid(ts: int, auction: int = 5, bidder: int = 7, price: int = 1, number: int = 0) -> Bid:
    return Bid(number, ts, auction, bidder, price)


def auction(ts: int, id: int = 5, expires: int = 0, seller: int = 7, category: int = 10) -> Auction:
    return Auction(0, ts, id, 11, 12, expires, seller, category)


def person(ts: int, id: int = 7, state: str = "OR") -> Person:
    return Person(0, ts, id, "A B", "Kent", state)


def test_a_winning_bid_lies_in_its_auction_and_of_equal_ones_it_is_the_earliest() -> None:
    bids = [bid(99, price=9), bid(100, price=3), bid(200, price=4), bid(150, bidder=8, price=4), bid(201, price=9)]
    assert q9([*bids, auction(100, expires=200)]) == Counter({(5, 7, 10, 200, 8, 4, 150): 1})
    assert q4([*bids, auction(100, expires=200), auction(99, expires=99)]) == Counter({(10, 2, 6): 1})
    assert not q9([*bids, auction(300, expires=400)])


def test_all_bids_of_the_highest_price_are_the_highest_of_a_window() -> None:
    bids = [bid(9_999, price=5), bid(0, bidder=8, price=5), bid(1, price=4), bid(10_000, price=1)]
    assert q7(bids) == Counter({(5, 7, 5, 9_999, 10_000): 1, (5, 8, 5, 0, 10_000): 1, (5, 7, 1, 10_000, 20_000): 1})


def test_a_new_seller_is_new_in_the_window_of_an_auction() -> None:
    assert q8([person(9_999), auction(0), auction(1)]) == Counter({(7, "A B", 0): 1})
    assert not q8([person(9_999), auction(10_000)])


def test_joins_have_every_pair() -> None:
    both: list[Event] = [
        person(0),
        person(1, state="WA"),
        auction(2),
        auction(3, category=11),
        bid(4),
        bid(4),
        bid(5, auction=6),
    ]
    assert q3(both) == Counter({("A B", "Kent", "OR", 5): 1})
    assert q20(both) == Counter({(5, 7, 1, 4, 11, 12, 0, 7): 2})
    assert q23(both).total() == 2 * 2 * 3
    assert q13([bid(4, auction=10_003)]) == Counter({(10_003, 7, 1, 4, 9): 1})


def test_distinct_bidders_and_auctions_are_counted_of_each_rank() -> None:
    bids = [bid(60_000, price=9_999), bid(0, price=10_000), bid(0, bidder=8), bid(0, auction=6, price=1_000_000)]
    assert q15(bids) == Counter({("", "1970-01-01", 1, 4, 2, 1, 1, 2, 2, 1, 1, 2, 1, 1, 1): 1})
    assert sum(int(row[3]) for row in q16(bids)) == 4


def test_half_of_the_bids_come_by_four_channels() -> None:
    channels = Counter(channel(number) for number in range(100_000))
    large = {name: n for name, n in channels.items() if not name.startswith("channel-")}
    assert large.keys() == {"Google", "Facebook", "Baidu", "Apple"}
    assert all(12_000 < n < 13_000 for n in large.values())
    assert len(channels) > 9_900


def test_the_last_bid_is_the_last_in_event_time_and_then_by_number() -> None:
    bids = [bid(9, price=1), bid(9, price=2, number=1), bid(3, price=3, number=2), bid(1, bidder=8, price=4)]
    assert q18(bids) == Counter({(7, 5, 3, 2, 9): 1, (8, 5, 1, 4, 1): 1})


def test_the_ten_highest_bids_are_ranked_by_price_and_then_by_time() -> None:
    bids = [bid(n, bidder=n, price=n // 2) for n in range(13)]
    assert q19(bids) == Counter({(5, 13, "6/12 5/10 5/11 4/8 4/9 3/6 3/7 2/4 2/5 1/2"): 1})


def test_windows_of_processing_time_have_each_event_as_often_as_it_is_in_one() -> None:
    assert q12([bid(0), bid(1), bid(0, bidder=8)]) == Counter({(7, 2): 1, (8, 1): 1})
    bids = [bid(0, price=3), bid(1_000, price=2)]
    assert drrs_q7(bids, 1_000, 500) == Counter({(7, 3, 4): 1})
    assert drrs_q7_event(bids, 1_000, 500) == Counter(
        {(7, 3, 1, -500, 500): 1, (7, 3, 1, 0, 1_000): 1, (7, 2, 1, 500, 1_500): 1, (7, 2, 1, 1_000, 2_000): 1}
    )
    both: list[Event] = [person(0), auction(0), auction(500)]
    assert drrs_q8(both, 1_000, 500) == Counter({(7, 2, 4): 1})
    assert drrs_q8_event(both, 1_000, 500) == Counter(
        {(7, 1, 1, 1, -500, 500): 1, (7, 1, 2, 2, 0, 1_000): 1, (7, 0, 1, 0, 500, 1_500): 1}
    )


def test_keys_are_as_skewed_as_the_exponent_says() -> None:
    even = Counter(zipf_key(number, 10, 0) for number in range(100_000))
    assert even.keys() == set(range(10))
    assert all(9_500 < n < 10_500 for n in even.values())
    skewed = Counter(zipf_key(number, 10, 100) for number in range(100_000))
    assert skewed[0] / skewed[1] == pytest.approx(2, rel=0.05)
    assert skewed[0] / skewed[9] == pytest.approx(10, rel=0.05)


def test_synthetic_counts_all_bids() -> None:
    rows = synthetic(events_of("S2"), keys=100, zipf_percent=150)
    assert sum(int(n) for _, n, _ in rows) == 9_200
    assert sum(int(prices) for _, _, prices in rows) == 67_588_884_531
