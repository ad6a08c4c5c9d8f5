"""What runs that are compared allow to say."""

from dataclasses import replace

import pytest

from drrs_jobs.machine import CpuUse
from drrs_jobs.quantities import QUANTITIES, TIMES
from drrs_jobs.rounds import Round, Spread, best, doubts, filled, middle_round, ratio, spread, values
from drrs_jobs.runner.bench import Bench
from drrs_jobs.runner.reporting import Found
from drrs_jobs.runner.summary import demo_summary, summary
from drrs_jobs.runner.table import print_found
from made_up import SET_UP, pair, pairs, run, section, three

PEAK = TIMES[0]


def test_a_ratio_is_the_median_over_the_rounds_with_its_range() -> None:
    assert ratio(pairs(), 0, 1, PEAK) == Spread(99 / 9_000, 90 / 9_000, 180 / 9_000, 5)
    assert ratio(pairs(1), 0, 1, PEAK) is None


def test_a_moment_that_never_came_is_in_no_ratio_and_no_median() -> None:
    (re_stable,) = (one for one in TIMES if one.key == "re_stable_ms")
    never = Round((run(0, re_stable_ms=None), run(1)))
    found = ratio([never, pair(), pair()], 0, 1, re_stable)
    assert found is not None
    assert found.known == 2
    assert ratio([never, never, pair()], 0, 1, re_stable) is None
    assert values([never, pair()], 0, re_stable) == [2_000]
    assert spread([]) is None


def test_strategies_are_ranked_by_the_median_of_their_highest_latency() -> None:
    assert best([three(), three(), three()]) == [0, 2, 1]


def test_the_round_that_is_shown_is_the_middle_one() -> None:
    assert middle_round(pairs()).runs[0].figures.peak_ms == 99.0


def test_a_run_is_doubted_by_what_others_took_and_not_by_its_own_load() -> None:
    assert doubts([*pairs(), pair(cpu=CpuUse(0.95, 0.1))]) == []
    assert len(doubts([pair(cpu=CpuUse(0.5, 0.2)), pair(cpu=CpuUse(0.3, 0.11))])) == 4
    allowed = pair(cpu=CpuUse(0.5, 0.2))
    assert doubts([Round(tuple(replace(one, others_limit=0.2) for one in allowed.runs))]) == []
    assert summary([section(pair(cpu=CpuUse(0.5, 0.2)))], {})["measurement"] is False


def test_where_the_runs_own_load_is_not_known_all_of_it_counts_and_that_is_said() -> None:
    assert doubts([pair(cpu=CpuUse(0.6, None))]) == []
    live, _ = doubts([pair(cpu=CpuUse(0.7, None))])
    assert live.startswith("live rescale: the machine was 70% busy, at most 60% may be where the run's own part is not")
    assert (
        summary([section(pair(cpu=CpuUse(0.7, None)))], {})["comparisons"][0]["strategies"]["live rescale"][
            "cpu_others"
        ]
        is None
    )


def test_a_workload_that_fills_the_machine_is_told_by_its_own_load_before_the_request() -> None:
    assert filled(pairs()) is None
    busy = pair(cpu=CpuUse(0.95, 0.0))
    assert filled([busy]) is None
    of_others = Round(tuple(replace(one, steady_cpu=CpuUse(0.9, 0.2)) for one in busy.runs))
    assert filled([of_others]) is None
    full = Round(tuple(replace(one, steady_cpu=CpuUse(0.9, 0.1)) for one in busy.runs))
    assert (filled([full, *pairs()]) or "").startswith("The workload fills the machine: it takes up to 80% of")


def test_each_quantity_has_its_value_and_its_unit() -> None:
    live, restart = pair().runs
    shown = {quantity.key: quantity.shown(quantity.of(live)) for quantity in QUANTITIES}
    assert shown == {
        "peak_ms": "100 ms", "avg_ms": "50.0 ms", "operation_ms": "1,500 ms", "re_stable_ms": "2,000 ms",
        "longest_gap_ms": "70 ms", "p99_times_steady": "10.0 x", "suspension_ms": "14 ms",
        "propagation_ms": "25.0 ms", "alignment_ms": "1.5 ms", "turn_ms": "225 ms", "dependency_ms": "20.0 ms",
        "moved_key_groups": "64",
        "moved_mb": "100.0 MB", "rerouted": "5", "set_aside": "1,234", "cpu_s": "1.2 s", "cpu_own_steady": "34%",
        "cpu_own": "38%", "cpu_others": "2%",
    }  # fmt: skip
    absent = {quantity.key for quantity in QUANTITIES if quantity.of(restart) is None}
    waits = {"propagation_ms", "alignment_ms", "turn_ms", "dependency_ms"}
    assert absent == waits | {"suspension_ms", "moved_key_groups", "moved_mb", "rerouted", "set_aside"}


def test_the_summary_has_all_strategies_with_median_and_range_and_all_rounds() -> None:
    found = summary([section(three(100.0), three(200.0), missing=3)], SET_UP)
    (only,) = found["comparisons"]
    assert found["oracle"] == "exact"
    assert only["missing_runs"] == 3
    assert list(only["strategies"]) == ["live rescale", "stop and restart", "megaphone(batch=4)"]
    assert only["strategies"]["megaphone(batch=4)"]["peak_ms"] == {
        "median": 600.0, "low": 400.0, "high": 800.0, "known": 2
    }  # fmt: skip
    assert only["strategies"]["stop and restart"]["set_aside"] is None
    assert [one["runs"]["live rescale"]["peak_ms"] for one in only["rounds"]] == [100.0, 200.0]


def test_the_summary_of_the_demo_has_what_its_readers_know() -> None:
    found = demo_summary(section(*pairs(2)), SET_UP)
    assert found["set_up"] == {**SET_UP, "rescale": "2 -> 4"}
    assert found["plugin"].items() >= {
        "peak_ms": 90.0, "avg_ms": 45.0, "operation_ms": 1_500, "re_stable_ms": 2_000, "longest_gap_ms": 70,
        "duration_ms": 2_000, "steady_p99_ms": 9.0, "steady_peak_ms": 12.0, "cpu": 0.4, "cpu_others": 0.02,
        "load_average": [0.3, 1.2], "moved_key_groups": 64, "min_key_groups": 64, "checkpoints_ok": 3,
        "checkpoints_failed": 0,
    }.items()  # fmt: skip
    assert found["restart"]["peak_ms"] == 9_000.0
    assert [one["restart"]["avg_ms"] for one in found["pairs"]] == [4_500.0, 4_500.0]
    assert found["ratios"]["peak_ms"]["pairs"] == 2
    assert demo_summary(section(pair()), {})["ratios"] == {}


def test_the_summary_names_the_run_whose_output_differs_in_any_round() -> None:
    wrong = Round((run(0), run(1, oracle="count: lost 1")))
    assert demo_summary(section(pair(), wrong), {})["oracle"] == "stop and restart: count: lost 1"


def printed(capsys: pytest.CaptureFixture[str], *rounds: Round) -> str:
    print_found(Found(Bench((), (), 1), (section(*rounds),), SET_UP))
    return " ".join(capsys.readouterr().out.split())


def test_what_is_printed_has_all_runs_the_limit_and_the_gap_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, Round((run(0, peak=1_234.5), run(1, re_stable_ms=None))))
    for words in (
        "reference: exact", "1,234 ms", "never", "64 (64)", "steady p99 / peak before", "request to operation end",
        "request to steady again", "rescale: 2 -> 4", "load average before / after", "0.3 / 1.2", "load of the machine",
        "stays below 14 ms in all runs", "how long one key had a record due", "gives no ratio",
    ):  # fmt: skip
        assert words in text, words
    assert "NOT A MEASUREMENT" not in text
    assert "NOT A MEASUREMENT, the machine was busy" in printed(capsys, pair(cpu=CpuUse(0.9, 0.4)))


def test_few_rounds_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert "3 are an indication and no result: that takes 5" in printed(capsys, *pairs(3))
    assert "indication" not in printed(capsys, *pairs())
