"""The report of made-up runs."""

import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

from drrs_jobs.machine import CpuUse
from drrs_jobs.report import contents as contents_module
from drrs_jobs.report import tables
from drrs_jobs.report.contents import contents
from drrs_jobs.report.document import Chart, Document, Table
from drrs_jobs.report.html import to_html
from drrs_jobs.report.markdown import to_markdown
from drrs_jobs.report.plots import latency, style
from drrs_jobs.report.plots.bars import bars
from drrs_jobs.report.plots.cdf import curve
from drrs_jobs.report.verdict import verdict
from drrs_jobs.rounds import Round
from made_up import SET_UP, pair, pairs, run, section, three

AGAIN = ["make demo PAIRS=5"]


def test_the_duration_lasts_until_both_ends_and_is_missing_if_one_is() -> None:
    assert run(operation_ms=5_000).duration_ms == 5_000
    assert run(re_stable_ms=None).duration_ms is None


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
    """The report of that many rounds, drawings and all."""
    return contents("A report", [section(*pairs(count))], SET_UP, AGAIN)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawings take most of the time."""
    for name in ("overview", "close_up", "cdf", "gap_map", "ownership_map", "bars", "used"):
        monkeypatch.setattr(contents_module, name, lambda *_, name=name: Chart("<svg></svg>", name))


def document(*of: Round, missing: int = 0) -> Document:
    return contents("A report", [section(*of, missing=missing)], SET_UP, AGAIN)


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


def test_the_highest_latency_of_any_run_is_within_the_axes_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def limited(self: style.Drawing, title: str, caption: str) -> Chart:
        limits.extend(axes.get_ylim()[1] for axes in self.figure.axes)
        return Chart(title, caption)

    monkeypatch.setattr(style.Drawing, "chart", limited)
    latency.overview(three().runs)
    highest = max(bucket["worst_ms"] for one in three().runs for bucket in one.measurement.buckets)
    assert len(limits) == 3
    assert min(limits) > highest


def test_the_first_sentence_says_who_wins_by_how_much_and_within_what_range() -> None:
    assert verdict(pairs()).text == (
        "The winner is live rescale: its highest latency is 90.9 times lower than with stop and restart, "
        "within 50 to 100 times (median of 5 rounds)."
    )
    other = [pair(9_000.0, one.runs[0].figures.peak_ms or 0) for one in pairs()]
    assert verdict(other).text.startswith("The winner is stop and restart: its highest latency is 90.9 times lower")
    assert "to 100 times (median of 3 rounds, an indication" in verdict(pairs(3)).text
    even = verdict([pair(100.0, 90.0), pair(100.0, 130.0)]).text
    assert even.startswith(
        "Nobody wins for certain: the highest latency with live rescale is 0.94 times that with stop"
    )
    page = page_of(drawn(5))
    assert page.index("The winner is live rescale") < page.index("<svg")


def test_of_several_the_winner_is_compared_with_the_next_best() -> None:
    found = verdict([three() for _ in range(5)]).text
    assert "is live rescale: its highest latency is 4 times lower than with megaphone(batch=4), the next best" in found


def test_nobody_wins_by_one_round_on_a_busy_machine_or_with_a_wrong_output() -> None:
    one = verdict([three()]).text
    assert "was 100 ms with live rescale, 9,000 ms with stop and restart and 400 ms with megaphone(batch=4)" in one
    assert "by how much any wins, and within what range, takes 5 rounds" in one
    busy = verdict([pair(cpu=CpuUse(0.9, 0.5)), pair()])
    assert busy.text.endswith("The machine was too busy for it to count as a measurement.")
    wrong = verdict([*pairs(), Round((run(0, oracle="count: lost 1"), run(1)))])
    assert wrong.text == "Nobody wins: an output differs from the reference (live rescale: count: lost 1)."
    assert busy.kind == wrong.kind == "bad"
    assert "nothing to compare it with" in verdict([Round((run(),))]).text


@pytest.mark.usefixtures("undrawn")
def test_a_single_round_is_shown_side_by_side_and_without_a_ratio() -> None:
    page = page_of(document(pair()))
    assert "<td>highest latency</td><td>100 ms</td><td>9,000 ms</td>" in page
    assert "<td>limit for steady again</td><td>14.4 ms</td><td>14.4 ms</td>" in page
    assert "One run of each gives no ratio" in page
    assert "median and range" not in page


def test_several_rounds_have_a_row_each_and_ratios() -> None:
    page = page_of(drawn(5))
    assert "<td>100 ms / 9,000 ms</td>" in page
    assert "<td>highest latency</td><td>99.0 ms (90.0 ms .. 180 ms)</td>" in page
    assert "<th>live rescale /</th><th>stop and restart</th>" in page
    assert "<td>highest latency</td><td>0.011 (0.01 .. 0.02)</td>" in page


@pytest.mark.usefixtures("undrawn")
def test_a_run_on_a_busy_machine_is_not_a_measurement() -> None:
    assert "Not a measurement" not in page_of(document(pair()))
    page = page_of(document(pair(cpu=CpuUse(0.9, 0.5))))
    assert "Not a measurement, the machine was busy" in page
    assert "<td>load by other programs, whole run</td><td>50%</td><td>50%</td>" in page
    assert "live rescale: other programs took 50% of the machine, at most 10% may" in page
    assert "fills the machine" not in page
    full = Round(tuple(replace(one, steady_cpu=CpuUse(0.9, 0.0)) for one in pair().runs))
    assert "fills the machine: it takes up to 90% of the processors" in page_of(document(full))


@pytest.mark.usefixtures("undrawn")
def test_several_workloads_have_a_sentence_and_a_section_each() -> None:
    second = replace(section(three()), title="other, 8 -> 12")
    page = page_of(contents("A report", [section(pair()), second], SET_UP, AGAIN))
    assert page.index("demo, 2 -&gt; 4: In this one round") < page.index("other, 8 -&gt; 12: In this one round")
    assert page.index("other, 8 -&gt; 12: In this") < page.index("<h2>demo, 2 -&gt; 4</h2>")


@pytest.mark.usefixtures("undrawn")
def test_a_bench_that_is_not_over_says_what_is_missing() -> None:
    assert "runs still to come: 3." in page_of(document(pair(), missing=3))
    assert "still to come" not in page_of(document(pair()))


def test_a_single_run_without_further_records_has_a_report_too() -> None:
    bare = run(1)
    rows = replace(bare.measurement, distributions=(), key_group_gaps=(), resources=())
    page = to_html(document(Round((replace(bare, measurement=rows, ownership=None),))))
    assert "stop and restart" in page
    assert "No metric records were written" in page


@pytest.mark.usefixtures("undrawn")
def test_the_report_says_when_an_output_is_not_exact() -> None:
    page = to_html(document(Round((run(0, oracle="count: lost 1"), run(1)))))
    assert "live rescale: count: lost 1" in page
    assert 'class="verdict bad"' in page


def test_a_moment_that_never_came_is_drawn_and_written_as_never() -> None:
    never = Round((run(0, re_stable_ms=None), run(1, re_stable_ms=None)))
    assert bars([never]).svg.count(">never<") == 2
    assert tables.rounds_table([never]).rows[0].count("never / never") == 1
    half = tables.strategies_table([never, pair()]).rows[3]
    assert half == ["request to steady again", "2,000 ms, 1 never", "2,000 ms, 1 never"]


def test_a_rescale_during_which_nothing_came_out_has_no_latency_and_is_said_so() -> None:
    silent = Round((run(0, peak_ms=None), run(1)))
    assert bars([silent]).svg.count(">no result<") == 1
    assert tables.rounds_table([silent]).rows[0].count("no result / 100 ms") == 1
    assert "was not known with live rescale, as nothing came out meanwhile and 100 ms with" in verdict([silent]).text


def test_markdown_has_the_same_tables_and_narrow_prose() -> None:
    shown = drawn(5)
    text = to_markdown(shown)
    found = [block for block in shown.blocks if isinstance(block, Table)]
    assert len(re.findall(r"^\| --- ", text, re.MULTILINE)) == len(found) == 8
    for table in found:
        assert all(len(row) == len(table.head) for row in table.rows)
    assert "| highest latency | 99.0 ms (90.0 ms .. 180 ms) | 9,000 ms (9,000 ms .. 9,000 ms) |" in text
    assert "| machine | 2 cores &lt;slow> |" in text
    assert "*Drawn in report.html: Shorter is better; median of 5 rounds, lowest to highest.*" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= 120


def test_the_distribution_ends_at_all_outputs() -> None:
    latencies, shares = curve(run())
    assert latencies == sorted(latencies)
    assert shares == sorted(shares)
    assert shares[-1] == 100


def test_eight_strategies_are_told_apart_without_colour() -> None:
    looks = [style.look(place) for place in range(8)]
    assert len({look.hatch for look in looks}) == len({look.dashes for look in looks}) == 8


class _SameProcess:
    """In place of processes: what would go to one and come back is packed all the same."""

    def __enter__(self) -> "_SameProcess":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, function: Callable[..., Any], *of: Iterable[Any]) -> Iterator[Any]:
        for one in zip(*of, strict=True):
            packed, given = pickle.loads(pickle.dumps((function, one)))
            yield pickle.loads(pickle.dumps(packed(*given)))


def test_a_report_of_many_runs_is_drawn_in_processes_and_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style.Drawing, "chart", lambda _, title, caption: Chart(f"<svg>{title}</svg>", caption))
    alone = document(three())
    monkeypatch.setattr(contents_module, "_MANY_RUNS", 3)
    monkeypatch.setattr(contents_module, "ProcessPoolExecutor", lambda *_, **__: _SameProcess())
    assert document(three()) == alone
