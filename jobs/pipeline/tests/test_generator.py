"""The generator against the published oracle values (counts of Beam, check sums of two own implementations)."""

import pytest

from drrs_jobs.generator import BASE_TIME_MS, Auction, Bid, GeneratorConfig, Person, event_at, events
from drrs_jobs.java_random import JavaRandom, mixed_seed


def test_java_random_gives_javas_values() -> None:
    random = JavaRandom(42)
    assert [random.next_int(10) for _ in range(5)] == [0, 3, 8, 4, 0]
    assert JavaRandom(42).next_double() == 0.7275636800328681


def test_java_random_gives_javas_values_for_a_power_of_two() -> None:
    assert JavaRandom(42).next_int(1 << 20) == 762905


def test_mixed_seed_is_the_split_mix_64_stream() -> None:
    # The first values of SplitMix64 with seed 1234567, as published for the reference C code.
    assert [mixed_seed(1234567, n) for n in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_first_events_have_the_published_values() -> None:
    config = GeneratorConfig()
    base = BASE_TIME_MS
    assert event_at(config, 0)[2:] == (1000, "Peter Jones", "Portland", "WY")
    assert event_at(config, 1) == Auction(1, base, 1000, 28_873, 29_448, base + 11, 1000, 13)
    assert event_at(config, 2) == Auction(2, base, 1001, 25_626_290, 28_805_847, base + 202, 1000, 12)
    assert event_at(config, 3) == Auction(3, base, 1002, 267, 422_398, base + 1, 1000, 10)
    assert event_at(config, 4) == Bid(4, base, 1000, 1001, 32_530_001)
    person = event_at(config, 50)
    assert isinstance(person, Person)
    assert (person.ts, person.name, person.state) == (base + 5, "Sarah Smith", "ID")
    assert event_at(config, 54) == Bid(54, base + 5, 1000, 1001, 5_676)


@pytest.mark.parametrize(
    ("size", "price", "top", "auction", "bidder"),
    [
        (1_000, 6_667_879_491, 96_122_704, 920_000, 922_810),
        (10_000, 67_588_884_531, 99_865_927, 11_526_044, 9_677_982),
        (100_000, 667_953_890_778, 99_958_591, 363_648_112, 172_130_989),
    ],
)
def test_bids_have_the_published_check_sums(size: int, price: int, top: int, auction: int, bidder: int) -> None:
    bids = [event for event in events(GeneratorConfig(events=size)) if isinstance(event, Bid)]
    assert len(bids) == size * 46 // 50
    assert sum(bid.price for bid in bids) == price
    assert max(bid.price for bid in bids) == top
    assert sum(bid.auction for bid in bids) == auction
    assert sum(bid.bidder for bid in bids) == bidder


def test_values_do_not_depend_on_the_split_over_generators() -> None:
    def values(generators: int) -> list[tuple[int, ...]]:
        split = events(GeneratorConfig(events=5_000, generators=generators))
        return sorted((b.number, b.auction, b.bidder, b.price) for b in split if isinstance(b, Bid))

    assert values(1) == values(7)


def test_disorder_permutes_the_numbers_within_their_groups() -> None:
    shuffled = [event.number for event in events(GeneratorConfig(events=3_000, disorder=1_000))]
    assert shuffled != sorted(shuffled)
    for start in range(0, 3_000, 1_000):
        assert sorted(shuffled[start : start + 1_000]) == list(range(start, start + 1_000))


def test_an_incomplete_last_disorder_group_stays_in_order() -> None:
    shuffled = [event.number for event in events(GeneratorConfig(events=1_500, disorder=1_000))]
    assert shuffled[1_000:] == list(range(1_000, 1_500))


def test_mixed_mode_spreads_hot_auctions_evenly_where_beam_swings() -> None:
    def hot_shares(config: GeneratorConfig) -> list[float]:
        shares = []
        for start in range(100_000, 150_000, 10_000):
            bids = [e for n in range(start, start + 10_000) if isinstance(e := event_at(config, n), Bid)]
            shares.append(sum((bid.auction - 1000) % 100 == 0 for bid in bids) / len(bids))
        return shares

    mixed = hot_shares(GeneratorConfig(mode="mixed", seed=7))
    beam = hot_shares(GeneratorConfig())
    assert max(mixed) - min(mixed) < 0.05
    assert max(beam) - min(beam) > 0.2


def test_mixed_mode_depends_on_the_seed() -> None:
    first = event_at(GeneratorConfig(mode="mixed", seed=1), 1234)
    assert first == event_at(GeneratorConfig(mode="mixed", seed=1), 1234)
    assert first != event_at(GeneratorConfig(mode="mixed", seed=2), 1234)
