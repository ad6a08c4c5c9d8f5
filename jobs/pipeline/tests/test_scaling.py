"""What `make bench-scaling` varies, and how it shows what it found."""

from __future__ import annotations

import os
from dataclasses import replace

from drrs_jobs.bench.peak_memory import PeakMemory
from drrs_jobs.bench.scaling import lazy_sentences, rows
from drrs_jobs.bench.scaling_points import BASE, points
from drrs_jobs.bench.scaling_run import Cost

COST = Cost(1, 4, 8, 64, 10_000_000, 140, 800, 2.5, 900_000_000, 50.0, 75.0, 300, 4.5, 9.0, 20, 0.5, 2_000)


def test_a_point_differs_from_the_base_in_what_its_dimension_says() -> None:
    named = {
        "state": {"state_mb"},
        "key-groups": {"key_groups", "bound"},
        "subscales": {"bound", "key_groups"},
        "subtasks": {"subtasks", "zipf_percent"},
        "load": {"load"},
        "skew": {"zipf_percent"},
        "lazy": {"state_mb", "strategy", "background"},
    }
    fields = ("state_mb", "key_groups", "bound", "subtasks", "load", "rate", "zipf_percent", "strategy", "background")
    found = list(points())
    assert found[0] == ("base", BASE)
    for dimension, point in found[1:]:
        differs = {name for name in fields if getattr(point, name) != getattr(BASE, name)}
        assert differs
        assert differs <= named[dimension], point


def test_service_time_makes_the_load_whatever_the_parallelism() -> None:
    for _, point in points():
        share = point.service_us * point.rate / 1e6 / point.subtasks[0]
        assert abs(share - point.load) < 0.01, point


def test_the_first_rescale_and_the_later_ones_of_the_same_direction_stand_apart() -> None:
    costs = [
        replace(COST, number=n, to_parallelism=to, duration_ms=ms)
        for n, (to, ms) in enumerate([(4, 5_000), (2, 1), (4, 900), (2, 1), (4, 700)], 1)
    ]
    first, later = rows([("base", BASE, costs)])
    assert (first[2], first[7], first[8]) == ("first", "5000", "625.0")
    assert (later[2], later[7], later[8]) == ("later", "800", "100.0")
    assert first[-1] == "0.5"


def test_the_state_that_nobody_needs_is_ten_times_as_large_and_nothing_else_differs() -> None:
    less, more, *without = [point for dimension, point in points() if dimension == "lazy"]
    assert replace(less, state_mb=10 * less.state_mb) == more
    assert without == [replace(less, background=False), replace(more, background=False)]
    assert (less.of_strategy, without[0].of_strategy) == ({}, {"drrs.lazy.background": "false"})
    assert str(without[1]).endswith("60% load, lazy without background")


def test_the_time_until_steady_again_is_the_median_and_may_never_come() -> None:
    costs = [replace(COST, number=n, re_stable_ms=ms) for n, ms in enumerate([90_000, 700, None, 900], 1)]
    first, later = rows([("lazy", BASE, costs)])
    assert (first[15], later[15]) == ("90000", "900")
    (never,) = rows([("lazy", BASE, [replace(COST, re_stable_ms=None)])])
    assert never[15] == "never"


def test_how_much_longer_lazy_takes_with_ten_times_the_state_is_told() -> None:
    with_background, without = (
        [(dimension, point) for dimension, point in points() if dimension == "lazy" and point.background is wanted]
        for wanted in (True, False)
    )
    costs = [replace(COST, re_stable_ms=ms) for ms in (9_000, 1_000, 1_000)]
    slower = [replace(COST, re_stable_ms=ms) for ms in (9_000, 1_250, 1_250)]
    less, more = with_background
    assert lazy_sentences([("base", BASE, costs), (*less, costs), (*more, slower)]) == [
        "lazy with background: with 400 MB latency is steady again after 1.25 x the time it takes with 40 MB and "
        "the same working set."
    ]
    at_once = [replace(COST, re_stable_ms=0)]
    assert lazy_sentences([(*less, at_once), (*more, slower)]) == [
        "lazy with background: with 400 MB latency is steady again after 1250 ms; with 40 MB and the same working set "
        "it stays so."
    ]
    assert lazy_sentences([(*less, costs), (*without[1], slower)]) == []
    never = [replace(COST, re_stable_ms=None)]
    assert lazy_sentences([(*less, costs), (*more, never)]) == []
    assert lazy_sentences([(*less, never), (*more, costs)]) == []


def test_a_busy_machine_is_marked() -> None:
    load = (os.cpu_count() or 1) + 0.1
    (only,) = rows([("base", BASE, [replace(COST, load_average=load)])])
    assert only[-1].endswith("(busy)")


def test_peak_memory_counts_what_has_gone_again() -> None:
    peak = PeakMemory([os.getpid()])
    before = peak.bytes()
    held = bytearray(os.urandom(1 << 20) * 64)
    del held
    assert peak.bytes() - before > 32 << 20
