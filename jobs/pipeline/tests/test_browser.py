"""The report as a real browser shows it."""

from pathlib import Path

import pytest

import browser
from drrs_jobs.report.contents import contents
from drrs_jobs.report.html import to_html
from made_up import PEAKS, SET_UP, section, three

BROWSER = browser.find()
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason=f"no browser: none of {', '.join(browser.NAMES)} is on PATH (Debian: apt install chromium)"
)


@needs_browser
def test_no_label_of_the_report_is_clipped_or_covered_and_the_console_is_empty(tmp_path: Path) -> None:
    assert BROWSER is not None
    shown = section(*(three(peak) for peak in PEAKS))
    page = to_html(contents("A report", [shown], SET_UP, ["make demo PAIRS=5"]))
    seen = browser.look(BROWSER, page, tmp_path)
    assert len(seen.texts) > 100
    assert [text for text in seen.texts if text.beyond > 0.5] == []
    assert [text for text in seen.texts if text.upon] == []
    assert seen.wide <= 0
    assert seen.console == []


@needs_browser
def test_the_look_finds_what_is_clipped_covered_or_said(tmp_path: Path) -> None:
    assert BROWSER is not None
    page = (
        '<!doctype html><html><body><figure><svg aria-label="a" width="100" height="50"><text x="10" y="20">one</text>'
        '<text x="12" y="20">two</text><text x="90" y="45">three</text></svg></figure>'
        '<script>console.error("broken")</script></body></html>'
    )
    seen = browser.look(BROWSER, page, tmp_path)
    assert [text.text for text in seen.texts if text.beyond > 0.5] == ["three"]
    assert [(text.text, text.upon) for text in seen.texts if text.upon] == [("one", ["two"])]
    assert len(seen.console) == 1
    assert "broken" in seen.console[0]
