"""Summary and report of made-up runs."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from drrs_jobs.flink import Checkpoints
from drrs_jobs.measure import Figures, Measurement
from drrs_jobs.report import render
from drrs_jobs.runs import Mark, Run, summary
from drrs_jobs.svg import Band, Chart, Line

T0 = 1_700_000_000_000


def run(name: str, oracle: str = "exact", peak: float = 100.0, **changes: Any) -> Run:
    figures: dict[str, Any] = {
        "label": name,
        "requested_at": T0,
        "steady_p99_ms": 9.0,
        "steady_peak_ms": 12.0,
        "steady_avg_ms": 3.0,
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
        cpu=0.4,
        checkpoints=Checkpoints(3, 0, 200_000_000) if live else None,
        status={"key_groups": {"moved": 64, "total": 64}, "min_key_groups": 64} if live else None,
    )


def test_the_summary_has_exactly_the_agreed_shape() -> None:
    assert summary(run("plugin"), run("restart", peak=9_000.0), 5_000) == {
        "oracle": "exact",
        "events": 5_000,
        "state_bytes": 200_000_000,
        "plugin": {
            "peak_ms": 100.0,
            "avg_ms": 50.0,
            "steady_p99_ms": 9.0,
            "duration_ms": 2_000,
            "longest_gap_ms": 70,
            "moved_key_groups": 64,
            "min_key_groups": 64,
            "checkpoints_ok": 3,
            "checkpoints_failed": 0,
        },
        "restart": {"peak_ms": 9_000.0, "avg_ms": 4_500.0, "duration_ms": 2_000, "longest_gap_ms": 70},
    }


def test_the_summary_names_the_run_whose_output_differs() -> None:
    document = summary(run("plugin"), run("restart", oracle="count: lost 1"), 5_000)
    assert document["oracle"] == "restart: count: lost 1"


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


def test_the_report_is_well_formed_and_needs_nothing_from_outside() -> None:
    page = render([run("plugin"), run("restart", peak=9_000.0)], 5_000)
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.addresses == []
    assert "url(" not in page
    assert "@import" not in page
    assert "MIGRATING" in page
    assert "a &lt; b" in page
    assert "0.011 of the restart" in page


def test_the_report_says_when_an_output_is_not_exact() -> None:
    page = render([run("plugin", oracle="count: lost 1"), run("restart")], 5_000)
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
