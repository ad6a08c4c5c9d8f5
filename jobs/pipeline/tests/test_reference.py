"""The reference queries against the row counts of the oracle table."""

from collections import Counter
from functools import cache

import pytest

from drrs_jobs.generator import Bid, Event, GeneratorConfig, events
from drrs_jobs.reference.counts import count, event_timers, processing_timers, rules, states
from drrs_jobs.reference.fan import fan, fan_audit, fan_numbers
from drrs_jobs.reference.statistics import q17
from drrs_jobs.reference.windows import q5, q11

SETS = {
    "S1": GeneratorConfig(events=1_000),
    "S2": GeneratorConfig(events=10_000),
    "S3": GeneratorConfig(events=10_000, generators=100),
    "S4": GeneratorConfig(events=100_000),
    "S4 in disorder": GeneratorConfig(events=100_000, disorder=1_000),
    "S6": GeneratorConfig(events=100_000, generators=100),
}


@cache
def events_of(name: str) -> list[Event]:
    return list(events(SETS[name]))


@pytest.mark.parametrize(
    ("name", "q5_10_5", "q5_10_2", "q11_rows", "q17_rows"),
    [
        ("S1", 2, 5, 30, 1),
        ("S2", 4, 10, 196, 378),
        ("S3", 4, 10, 196, 378),
        ("S4", 5, 15, 1_919, 4_657),
        ("S4 in disorder", 5, 15, 1_919, 4_657),
        ("S6", 12, 53, 1_919, 4_657),
    ],
)
def test_queries_have_the_oracles_row_counts(
    name: str, q5_10_5: int, q5_10_2: int, q11_rows: int, q17_rows: int
) -> None:
    assert q5(events_of(name), 10_000, 5_000).total() == q5_10_5
    assert q5(events_of(name), 10_000, 2_000).total() == q5_10_2
    assert q11(events_of(name)).total() == q11_rows
    assert q17(events_of(name)).total() == q17_rows


def test_count_has_all_bids_and_the_published_hot_auction_and_bidder() -> None:
    per_auction = {key: int(n) for key, n, _ in count(events_of("S4"))}
    assert sum(per_auction.values()) == 92_000
    assert max(per_auction.items(), key=lambda item: item[1]) == (4200, 1_565)
    assert sum(int(total) for _, _, total in count(events_of("S4"))) == 667_953_890_778
    assert max(count(events_of("S4"), key="bidder"), key=lambda row: row[1])[:2] == (1001, 3_499)


def test_timers_fire_once_a_second_with_bids_and_see_the_bids_before_it() -> None:
    bids = [Bid(0, ts, 5, 1, 1) for ts in (2_500, 0, 999, 1_000, 2_000)]
    assert event_timers(bids) == Counter({(5, 1_000, 2): 1, (5, 2_000, 3): 1, (5, 3_000, 5): 1})
    assert processing_timers(bids) == Counter({(5, 3): 1})


def test_sessions_that_touch_are_one_session_and_later_ones_are_not() -> None:
    def bid(ts: int) -> Bid:
        return Bid(0, ts, 1, 7, 1)

    assert q11([bid(10_000), bid(0)]) == Counter({(7, 2, 0, 20_000): 1})
    assert q11([bid(0), bid(10_001)]) == Counter({(7, 1, 0, 10_000): 1, (7, 1, 10_001, 20_001): 1})


def test_hop_windows_need_a_slide_that_divides_the_size() -> None:
    with pytest.raises(ValueError, match="multiple of its slide"):
        q5([], 10_000, 3_000)


def test_statistics_rank_prices_at_the_queries_bounds() -> None:
    bids = [Bid(n, 0, 5, 1, price) for n, price in enumerate((9_999, 10_000, 999_999, 1_000_000))]
    assert q17(bids) == Counter({(5, "1970-01-01", 4, 1, 2, 1, 9_999, 1_000_000, 504_999, 2_019_998): 1})


def test_the_digest_of_all_states_does_not_depend_on_the_order_of_bids() -> None:
    bids = [Bid(number, 0, 5, 1, 100 + number) for number in range(40)]
    (row,) = states(bids)
    assert row[:2] == (5, 40)
    assert -(1 << 63) <= int(row[2]) < 1 << 63
    assert states(reversed(bids)) == Counter({row: 1})
    assert states(bids[:-1]) != states(bids[1:])


def test_the_digest_folds_the_states_in_the_agreed_order() -> None:
    # Two bids, prices 9 and 16: count 2, list of 2 with sum 7, slots 0 and 1, highest 16, sum 25 less 2.
    kinds = [2, 2, 7, 1, 1, 0, 0, 0, 0, 0, 0, 16, 23]
    digest = 17
    for value in [*kinds, *kinds, 0]:
        digest = 31 * digest + value
    digest %= 1 << 64
    expected = digest - (1 << 64) if digest >= 1 << 63 else digest
    assert states([Bid(3, 0, 5, 1, 9), Bid(4, 0, 5, 1, 16)]) == Counter({(5, 2, expected): 1})


def test_fan_counts_a_key_as_auction_and_as_bidder_in_each_second() -> None:
    bids = [Bid(0, 100, 5, 7, 1), Bid(1, 900, 5, 5, 1), Bid(2, 1_000, 7, 5, 1)]
    assert fan(bids) == Counter({(5, 1_000, 2, 1): 1, (7, 1_000, 0, 1): 1, (5, 2_000, 0, 1): 1, (7, 2_000, 1, 0): 1})
    assert fan_numbers(bids) == Counter({(5, 1): 1, (5, 2): 1, (7, 1): 1})
    assert fan_audit(bids) == Counter({(5, 100): 1, (5, 900): 1, (7, 1_000): 1})


def test_rules_shows_every_key_every_rule() -> None:
    bids = [Bid(0, 100, 5, 7, 3), Bid(1, 200, 5, 7, 4), Bid(20, 900, 7, 5, 6), Bid(21, 1_000, 7, 5, 8)]
    assert rules(bids) == Counter({(5, 2, 2, 2, 9): 1, (7, 2, 2, 2, 9): 1})
