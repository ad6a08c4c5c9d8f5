"""What runs that are compared allow to say."""

import pytest

from drrs_jobs.demo_table import print_summary, ratio_sentences
from drrs_jobs.machine import CpuUse
from drrs_jobs.pairs import Pair, doubts, middle_pair, ratios, summary
from made_up import SET_UP, pair, pairs, run


def test_the_summary_has_exactly_the_agreed_shape() -> None:
    times = {
        "peak_ms": 100.0,
        "avg_ms": 50.0,
        "operation_ms": 1_500,
        "re_stable_ms": 2_000,
        "longest_gap_ms": 70,
        "duration_ms": 2_000,
        "steady_p99_ms": 9.0,
        "steady_peak_ms": 12.0,
        "cpu": 0.4,
        "cpu_of_others": 0.02,
        "load_average": [0.3, 1.2],
    }
    restart = {**times, "peak_ms": 9_000.0, "avg_ms": 4_500.0}
    assert summary([pair()], 5_000, SET_UP) == {
        "oracle": "exact",
        "events": 5_000,
        "state_bytes": 200_000_000,
        "set_up": SET_UP,
        "measurement": True,
        "doubts": [],
        "limit_ms": 14.4,
        "plugin": {
            **times, "moved_key_groups": 64, "min_key_groups": 64, "checkpoints_ok": 3, "checkpoints_failed": 0
        },
        "restart": restart,
        "pairs": [{"limit_ms": 14.4, "plugin": times, "restart": restart}],
        "ratios": {},
    }  # fmt: skip


def test_the_summary_names_the_run_whose_output_differs_in_any_pair() -> None:
    wrong = Pair(run("plugin"), run("restart", oracle="count: lost 1"))
    assert summary([pair(), wrong], 5_000, {})["oracle"] == "restart: count: lost 1"


def test_a_ratio_is_the_median_over_the_pairs_with_its_range() -> None:
    found = ratios(pairs())["peak_ms"]
    assert (found.median, found.low, found.high, found.pairs) == (99 / 9_000, 90 / 9_000, 180 / 9_000, 5)


def test_a_moment_that_never_came_is_in_no_ratio() -> None:
    never = Pair(run("plugin", re_stable_ms=None), run("restart"))
    found = ratios([never, pair(), pair()])
    assert (found["re_stable_ms"].pairs, found["peak_ms"].pairs) == (2, 3)
    assert "re_stable_ms" not in ratios([never, never, pair()])


def test_one_pair_has_no_ratio_and_few_are_marked() -> None:
    assert ratios(pairs(1)) == {}
    (sentence,) = ratio_sentences(pairs(1))
    assert "make demo PAIRS=5" in sentence
    assert "3 are an indication and no result: that takes 5" in ratio_sentences(pairs(3))[0]
    assert "indication" not in ratio_sentences(pairs())[0]


def test_the_pair_that_is_shown_is_the_middle_one() -> None:
    assert middle_pair(pairs()).plugin.figures.peak_ms == 99.0


def test_a_busy_machine_is_doubted_by_what_others_took_and_by_what_all_took() -> None:
    assert doubts(pairs()) == []
    assert len(doubts([pair(cpu=CpuUse(0.5, 0.2)), pair(cpu=CpuUse(0.7, 0.0))])) == 4
    assert summary([pair(cpu=CpuUse(0.5, 0.2))], 1, {})["measurement"] is False


def test_what_is_printed_has_both_runs_the_limit_and_the_gap_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Pair(run("plugin", peak=1_234.5), run("restart", re_stable_ms=None))
    print_summary([shown], SET_UP, "exact")
    printed = " ".join(capsys.readouterr().out.split())
    for text in (
        "reference: exact", "1,234 ms", "never", "64 (64)", "steady p99 before", "request to operation end",
        "request to steady again", "rescale: 2 -> 4", "load average before / after", "0.3 / 1.2", "40% / 2%",
        "stays below 14 ms in both runs, 1.2 x", "how long one key had a record due", "gives no ratio",
    ):  # fmt: skip
        assert text in printed, text
    assert "NOT A MEASUREMENT" not in printed
    print_summary([pair(cpu=CpuUse(0.9, 0.4))], SET_UP, "exact")
    assert "NOT A MEASUREMENT, the machine was busy" in capsys.readouterr().out
