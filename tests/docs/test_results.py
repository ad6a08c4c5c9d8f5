"""Figures that were measured stand in `docs/results`, and the README has no other ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.cluster import ROOT

RESULTS = ROOT / "docs/results"
FOLDERS = sorted(folder for folder in RESULTS.iterdir() if folder.is_dir())
SECTION = "## Results"

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
LINK = re.compile(r"\]\((docs/results/[^)#]+)\)")
# The value of an option stands behind its name.
OPTION = re.compile(r"`drrs\.[a-z.-]+` \([^)]*\)")
WORDS = r"two|three|four|five|six|seven|eight|nine|ten|twenty|thirty"
TIME = r"ms|s|seconds?|min|minutes?|hours?"
MEASURED = re.compile(rf"\b(?:(?:\d[\d.,]*|{WORDS}) (?:{TIME})|\d[\d.,]* (?:%|times|x|[MG]B/s))(?!\w)", re.IGNORECASE)


def unproved(readme: str, root: Path) -> list[str]:
    """Figures of a README that are in no file which the same block links to, or that stand outside of its results."""
    before, _, rest = readme.partition(f"{SECTION}\n")
    results, heading, after = rest.partition("\n## ")
    prose = "\n".join(line for line in (before + heading + after).splitlines() if not line.startswith("    "))
    elsewhere = OPTION.sub("", re.sub(r"\s+", " ", prose))
    found = MEASURED.findall(elsewhere)
    for block in results.split("\n\n"):
        texts = [(root / file).read_text(encoding="utf-8") for file in LINK.findall(block)]
        known = {number for text in texts for number in numbers(text)}
        words = re.sub(r"\]\([^)]*\)|`[^`]*`", " ", block)
        found += [number for number in numbers(words) if number not in known]
    return found


def numbers(text: str) -> list[str]:
    return [number.replace(",", "") for number in NUMBER.findall(text)]


def test_each_figure_of_the_readme_is_in_a_file_that_it_links_to() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count(SECTION) == 1
    assert unproved(text, ROOT) == []


@pytest.mark.parametrize(
    ("readme", "found"),
    [
        ("# A\n\n## Results\n\nPeak 1,825 ms ([report](docs/results/x/report.md)).\n", []),
        ("# A\n\n## Results\n\nPeak 1,826 ms ([report](docs/results/x/report.md)).\n", ["1826"]),
        ("# A\n\n## Results\n\nPeak 1,825 ms.\n\n[report](docs/results/x/report.md)\n", ["1825"]),
        (
            "# A\n\nIt takes 5 minutes.\n\n## Results\n\n## B\n\nTen\nseconds, 1.5 x.\n",
            ["5 minutes", "Ten seconds", "1.5 x"],
        ),
        ("# A\n\n    pyctl a=4 s\n\n## Results\n", []),
        ("# A\n\n`drrs.checkpoint.hold` (10 s) at most, 2 to 4 subtasks\n\n## Results\n", []),
    ],
)
def test_a_figure_without_its_file_is_found(readme: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "docs/results/x").mkdir(parents=True)
    (tmp_path / "docs/results/x/report.md").write_text("| highest latency | 1,825 ms |\n")
    assert unproved(readme, tmp_path) == found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.name))
def test_what_is_committed_of_a_bench_is_whole_and_exact(folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    drawn = {f"latency-{number}.svg" for number in range(1, len(summary["comparisons"]) + 1)}
    found = {file.name for file in folder.iterdir()}
    # A result of before has no pictures.
    assert found - drawn == {"bench.json", "report.md", "runs.csv", "summary.json"}
    assert found & drawn in (set(), drawn)
    assert summary["oracle"] == "exact"
    assert sum(one["missing_runs"] for one in summary["comparisons"]) == 0
    runs = sum(len(each["runs"]) for one in summary["comparisons"] for each in one["rounds"])
    assert len((folder / "runs.csv").read_text(encoding="utf-8").splitlines()) == 1 + runs
