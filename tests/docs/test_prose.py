"""The documents that people read: lines that fit a screen, links and targets that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(page for page in ROOT.glob("**/*.md") if not {".venv", "target", "build"} & set(page.parts))
COLUMNS = 120


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_of_prose_is_wider_than_a_screen(page: Path) -> None:
    code = False
    wide = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.lstrip().startswith("```"):
            code = not code
        elif len(line) > COLUMNS and not code and not line.startswith(("|", "    ")):
            wide.append(number)
    assert not wide


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_is_there(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_target_that_a_page_names_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {target for page in PAGES for target in re.findall(r"`make ([a-z0-9-]+)", page.read_text(encoding="utf-8"))}
    assert named - targets == set()


def test_every_option_that_a_page_names_exists() -> None:
    options = re.findall(r"^\| `(drrs\.[^`]+)`", (ROOT / "docs/options.md").read_text(encoding="utf-8"), re.MULTILINE)
    gauges = re.findall(r"`(drrs\.[a-z]+)`", (ROOT / "docs/metrics.md").read_text(encoding="utf-8"))
    named = {
        name for page in PAGES for name in re.findall(r"`(drrs\.[a-z.-]*[a-z])[`:=]", page.read_text(encoding="utf-8"))
    }
    assert options
    assert named - {*options, *gauges} == set()


def test_every_code_of_the_troubleshooting_page_is_one_of_the_interfaces() -> None:
    page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    interfaces = (ROOT / "docs/interfaces.md").read_text(encoding="utf-8")
    phases = re.findall(r"Phases: `([A-Z\s]+)`", interfaces)
    known = {*re.findall(r"`([A-Z_]+)`", interfaces), *(phase for text in phases for phase in text.split())}
    named = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)*)`", page)) - {"NO_PROXY", "BENCH_NAME"}
    assert named
    assert named - known == set()
