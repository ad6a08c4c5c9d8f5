"""The report of made-up runs."""

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest

from drrs_jobs.machine import CpuUse
from drrs_jobs.pairs import Pair
from drrs_jobs.report import contents as contents_module
from drrs_jobs.report import tables
from drrs_jobs.report.contents import contents
from drrs_jobs.report.document import Chart, Document, Table
from drrs_jobs.report.html import to_html
from drrs_jobs.report.markdown import to_markdown
from drrs_jobs.report.plots.bars import bars
from drrs_jobs.report.plots.cdf import curve
from drrs_jobs.report.verdict import verdict
from made_up import SET_UP, pair, pairs, run

AGAIN = ["make demo PAIRS=5"]


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
        self.addresses += [
            str(value) for name, value in attrs if name.rpartition(":")[2] in {"src", "href", "srcset", "clip-path"}
        ]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@cache
def drawn(count: int) -> Document:
    """The report of that many pairs, drawings and all."""
    return contents(pairs(count)[0].runs, 5_000, SET_UP, pairs(count), AGAIN)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawings take most of the time."""
    for name in ("overview", "close_up", "cdf", "gap_map", "ownership_map", "bars", "used"):
        monkeypatch.setattr(contents_module, name, lambda _, name=name: Chart("<svg></svg>", name))


def document(*of: Pair) -> Document:
    return contents(of[0].runs, 5_000, SET_UP, of, AGAIN)


def page_of(shown: Document) -> str:
    page = to_html(shown)
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    # What is within the file: names of its own, and pictures in it.
    assert {re.split("[#,]", address)[0] for address in checker.addresses} <= {"", "url(", "data:image/png;base64"}
    return page


def test_the_report_is_well_formed_and_needs_nothing_from_outside() -> None:
    page = page_of(drawn(5))
    assert "@import" not in page
    assert "<script" not in page
    assert not [
        found for found in re.findall(r"https?://[^\"' <]+", page) if not found.startswith("http://www.w3.org/")
    ]
    assert "a &lt; b" in page
    assert "2 cores &lt;slow&gt;" in page
    assert "make demo PAIRS=5" in page


def test_names_within_one_drawing_are_in_no_other() -> None:
    names: set[str] = set()
    for chart in (block for block in drawn(5).blocks if isinstance(block, Chart)):
        found = set(re.findall(r' id="([^"]+)"', chart.svg))
        assert names.isdisjoint(found)
        names |= found


def test_each_drawing_says_what_it_shows_and_has_its_units() -> None:
    charts = [block for block in drawn(5).blocks if isinstance(block, Chart)]
    shown = " ".join(chart.svg for chart in charts)
    for text in (
        "time since the request [s]", "latency [ms, s]", "outputs with at most that [%]", "duration [ms, s]",
        "longest gap of one of its keys [ms]", "processors busy [%]", "memory [MB]", "key group", "subtask 3",
        "MIGRATING, 1.4 s", "deploy and restore, 3.24 s", "nobody: the job is stopped", "99 ms (90 ms .. 180 ms)",
    ):  # fmt: skip
        assert f">{text}<" in shown, text
    assert len({chart.caption for chart in charts}) == len(charts) == 10
    assert all('role="img" aria-label="' in chart.svg for chart in charts)


def test_the_first_sentence_says_who_wins_by_how_much_and_within_what_range() -> None:
    assert verdict(pairs()).text == (
        "The live rescale wins: its highest latency is 90.9 times lower than with stop and restart, "
        "within 50 to 100 times (median of 5 pairs)."
    )
    other = [Pair(replace(one.restart, name="plugin"), replace(one.plugin, name="restart")) for one in pairs()]
    assert verdict(other).text.startswith("Stop and restart wins: its highest latency is 90.9 times lower than with")
    assert "to 100 times (median of 3 pairs, an indication" in verdict(pairs(3)).text
    even = verdict([pair(100.0, 90.0), pair(100.0, 110.0)]).text
    assert even.startswith("Neither wins for certain: the live rescale's highest latency is 1.01 times that of")
    page = page_of(drawn(5))
    assert page.index("The live rescale wins") < page.index("<svg")


def test_nobody_wins_by_one_pair_on_a_busy_machine_or_with_a_wrong_output() -> None:
    assert "by how much either wins, and within what range, takes 5 pairs" in verdict([pair()]).text
    busy = verdict([pair(cpu=CpuUse(0.9, 0.5)), pair()])
    assert busy.text.endswith("The machine was too busy for it to count as a measurement.")
    wrong = verdict([*pairs(), Pair(run("plugin", oracle="count: lost 1"), run("restart"))])
    assert wrong.text == "Nobody wins: an output differs from the reference (plugin: count: lost 1)."
    assert busy.kind == wrong.kind == "bad"


@pytest.mark.usefixtures("undrawn")
def test_a_single_pair_is_shown_side_by_side_and_without_a_ratio() -> None:
    page = page_of(document(pair()))
    assert "<td>highest latency</td><td>100 ms</td><td>9,000 ms</td>" in page
    assert "<td>limit for steady again</td><td>14.4 ms</td><td>14.4 ms</td>" in page
    assert "One run of each gives no ratio" in page
    assert "median and range" not in page


def test_several_pairs_have_a_row_each_and_ratios() -> None:
    page = page_of(drawn(5))
    assert "<td>100 ms / 9,000 ms</td>" in page
    assert "median and range of 5 pairs:" in page
    assert "highest latency: 0.011 (0.01 .. 0.02)" in page


@pytest.mark.usefixtures("undrawn")
def test_a_run_on_a_busy_machine_is_not_a_measurement() -> None:
    assert "Not a measurement" not in page_of(document(pair()))
    page = page_of(document(pair(cpu=CpuUse(0.9, 0.5))))
    assert "Not a measurement, the machine was busy" in page
    assert "live rescale: other programs took 50% of the machine, at most 10% may" in page
    assert "stop and restart: the machine was 90% busy, at most 60% may be" in page


def test_a_single_run_without_further_records_has_a_report_too() -> None:
    bare = run("restart")
    rows = replace(bare.measurement, distributions=(), key_group_gaps=(), resources=())
    page = to_html(contents([replace(bare, measurement=rows, ownership=None)], 5_000, SET_UP))
    assert "stop and restart" in page
    assert "No metric records were written" in page


@pytest.mark.usefixtures("undrawn")
def test_the_report_says_when_an_output_is_not_exact() -> None:
    page = to_html(contents([run("plugin", oracle="count: lost 1"), run("restart")], 5_000, SET_UP))
    assert "plugin: count: lost 1" in page
    assert 'class="verdict bad"' in page


def test_a_moment_that_never_came_is_drawn_and_written_as_never() -> None:
    never = Pair(run("plugin", re_stable_ms=None), run("restart", re_stable_ms=None))
    assert bars([never]).svg.count(">never<") == 2
    assert tables.pairs_table([never]).rows[0].count("never / never") == 1


def test_markdown_has_the_same_tables_and_narrow_prose() -> None:
    shown = drawn(5)
    text = to_markdown(shown)
    found = [block for block in shown.blocks if isinstance(block, Table)]
    assert len(re.findall(r"^\| --- ", text, re.MULTILINE)) == len(found) == 5
    for table in found:
        assert all(len(row) == len(table.head) for row in table.rows)
    assert "| highest latency | 90.0 ms | 9,000 ms |" in text
    assert "| machine | 2 cores &lt;slow> |" in text
    assert "*Drawn in report.html: Shorter is better; median of 5 pairs, lowest to highest.*" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= 120


def test_the_distribution_ends_at_all_outputs() -> None:
    latencies, shares = curve(run("plugin"))
    assert latencies == sorted(latencies)
    assert shares == sorted(shares)
    assert shares[-1] == 100
