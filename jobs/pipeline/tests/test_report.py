"""The report of made-up runs."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from drrs_jobs.checkpoints import Checkpoints
from drrs_jobs.machine import CpuUse
from drrs_jobs.measure import Figures, Measurement
from drrs_jobs.pairs import Pair
from drrs_jobs.report import render
from drrs_jobs.runs import Mark, Run
from drrs_jobs.svg import Band, Chart, Line

T0 = 1_700_000_000_000


SET_UP = {"rescale": "2 -> 4", "machine": "2 cores <slow>"}
QUIET = CpuUse(0.4, 0.02)


def run(name: str, oracle: str = "exact", peak: float = 100.0, cpu: CpuUse = QUIET, **changes: Any) -> Run:
    figures: dict[str, Any] = {
        "label": name,
        "requested_at": T0,
        "steady_p99_ms": 9.0,
        "steady_peak_ms": 12.0,
        "steady_avg_ms": 3.0,
        "limit_ms": 14.4,
        "peak_ms": peak,
        "avg_ms": peak / 2,
        "operation_ms": 1_500,
        "re_stable_ms": 2_000,
        "held_ms": 30_000,
        "longest_gap_ms": 70,
        "longest_gap_key": "1",
        "keys_with_gap_over_1s": 0,
        "notes": ("a < b",),
    }
    buckets = tuple(
        {"bucket": T0 + at, "p50_ms": 3.0 if at % 500 else None, "worst_ms": 5 + at % 700}
        for at in range(-20_000, 40_000, 100)
    )
    live = name == "plugin"
    return Run(
        name=name,
        title="live rescale" if live else "stop and restart",
        oracle=oracle,
        measurement=Measurement(1_000, 2.0, 250.0, (Figures(**(figures | changes)),), buckets),
        marks=(Mark("MIGRATING", T0 + 100, T0 + 1_500),),
        state_bytes=200_000_000,
        cpu=cpu,
        load=(0.3, 1.2),
        checkpoints=Checkpoints(3, 0, 200_000_000) if live else None,
        status={"key_groups": {"moved": 64, "total": 64}, "min_key_groups": 64} if live else None,
    )


def test_the_duration_lasts_until_both_ends_and_is_missing_if_one_is() -> None:
    assert run("plugin", operation_ms=5_000).duration_ms == 5_000
    assert run("plugin", re_stable_ms=None).duration_ms is None


class Checker(HTMLParser):
    """Collects open tags and addresses; raises on a tag closed out of order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.addresses += [str(value) for name, value in attrs if name in {"src", "href", "srcset"}]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def pair(peak: float = 100.0, restart_peak: float = 9_000.0, **changes: Any) -> Pair:
    return Pair(run("plugin", peak=peak, **changes), run("restart", peak=restart_peak, **changes))


def page_of(*pairs: Pair) -> str:
    page = render(pairs[0].runs, 5_000, SET_UP, pairs)
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.addresses == []
    return page


def test_the_report_is_well_formed_and_needs_nothing_from_outside() -> None:
    page = page_of(pair())
    assert "url(" not in page
    assert "@import" not in page
    assert "MIGRATING" in page
    assert "a &lt; b" in page
    assert "2 cores &lt;slow&gt;" in page


def test_a_single_pair_is_shown_side_by_side_and_without_a_ratio() -> None:
    page = page_of(pair())
    assert "<td>highest latency</td><td>100 ms</td><td>9,000 ms</td>" in page
    assert "<td>limit for steady again</td><td>14.4 ms</td><td>14.4 ms</td>" in page
    assert "One run of each gives no ratio" in page
    assert "median and range" not in page


def test_several_pairs_have_a_row_each_and_ratios() -> None:
    page = page_of(*[pair(peak) for peak in (90.0, 100.0, 180.0, 95.0, 99.0)])
    assert "<td>100 ms / 9,000 ms</td>" in page
    assert "median and range of 5 pairs:" in page
    assert "highest latency: 0.011 (0.01 .. 0.02)" in page


def test_a_run_on_a_busy_machine_is_not_a_measurement() -> None:
    assert "Not a measurement" not in page_of(pair())
    page = page_of(pair(cpu=CpuUse(0.9, 0.5)))
    assert "Not a measurement, the machine was busy" in page
    assert "live rescale: other programs took 50% of the machine, at most 10% may" in page
    assert "stop and restart: the machine was 90% busy, at most 60% may be" in page


def test_a_single_run_has_a_report_too() -> None:
    assert "stop and restart" in render([run("restart")], 5_000, SET_UP)


def test_the_report_says_when_an_output_is_not_exact() -> None:
    page = render([run("plugin", oracle="count: lost 1"), run("restart")], 5_000, SET_UP)
    assert "plugin: count: lost 1" in page
    assert 'class="verdict bad"' in page


def test_the_value_axis_is_logarithmic_and_low_values_lie_on_its_floor() -> None:
    points = [(0.0, 0.0), (1.0, 1.0), (2.0, 10.0), (3.0, 100.0), (4.0, None), (5.0, 1_000.0)]
    svg = Chart([Line("a", "first", points)], x_range=(0.0, 5.0), height=392).render()
    found = re.search(r'class="line first" d="([^"]+)"', svg)
    assert found is not None
    moves = re.findall(r"([ML])[\d.]+ ([\d.]+)", found.group(1))
    assert [float(y) for _, y in moves] == [352.0, 352.0, 252.0, 152.0, 52.0]
    assert [pen for pen, _ in moves] == ["M", "L", "L", "L", "M"]


@pytest.mark.parametrize("value", ["<script>", '"quoted"'])
def test_labels_are_escaped(value: str) -> None:
    svg = Chart([Line(value, "first", [(0.0, 1.0)])], [Band(value, "first", 0.0, 1.0)], title=value).render()
    assert value not in svg.replace('aria-label="', "")
