"""Writes what a bench found into its folder: ``report.html``, ``report.md``, ``summary.json``, and latency over time of
each rescale as a picture of its own."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drrs_jobs.report.contents import Section, contents
from drrs_jobs.report.document import Chart
from drrs_jobs.report.html import to_html
from drrs_jobs.report.markdown import to_markdown
from drrs_jobs.report.plots.latency import OVERVIEW
from drrs_jobs.runner import setting
from drrs_jobs.runner.bench import Bench, read_bench
from drrs_jobs.runner.evaluate import Comparison, evaluate
from drrs_jobs.runner.summary import summary

HTML, MARKDOWN, SUMMARY = "report.html", "report.md", "summary.json"
PICTURE = "latency-{}.svg"


@dataclass(frozen=True, slots=True)
class Found:
    """What a bench found, and what is the same for all of it."""

    bench: Bench
    sections: tuple[Section, ...]
    set_up: Mapping[str, str]

    @property
    def document(self) -> dict[str, Any]:
        """For programs."""
        return summary(self.sections, self.set_up)


def find(folder: Path) -> Found:
    """Measure what a folder has. Raises ``ValueError`` if that is no bench, or has no complete round."""
    bench, document = read_bench(folder)
    comparisons = evaluate(bench, folder)
    sections = tuple(_section(one, given=bench.clusters == "given") for one in comparisons)
    return Found(bench, sections, setting.machine(document, comparisons[0]))


def write(found: Found, folder: Path, title: str, again: Sequence[str], document: Mapping[str, Any]) -> list[Path]:
    """Write all files and return their paths."""
    report = contents(title, found.sections, found.set_up, again)
    texts = {HTML: to_html(report), MARKDOWN: to_markdown(report), SUMMARY: json.dumps(document, indent=2) + "\n"}
    drawn = [block.svg for block in report.blocks if isinstance(block, Chart) and block.name == OVERVIEW]
    texts |= {PICTURE.format(number): svg + "\n" for number, svg in enumerate(drawn, 1)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def command(bench: Bench, folder: Path) -> list[str]:
    """Return the commands that run a bench again, in a new folder."""
    strategies = ",".join(
        one.label if one.label.startswith(one.name) else f"{one.label}={_spec(one.name, one.options)}"
        for one in bench.strategies
    )
    names = " ".join(shlex.quote(name) for name in bench.given or [workload.name for workload in bench.workloads])
    kept = " --quick" if bench.quick else ""
    kept += " --keep-clusters" if bench.clusters == "kept" else ""
    again = folder.with_name(f"{folder.name}-again")
    return [
        f'pyctl bench run {names}{kept} --strategies "{strategies}" --repeat {bench.repeat} --out {again}',
        f"pyctl bench report {again}",
    ]


def _spec(name: str, options: Mapping[str, str]) -> str:
    given = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{name}({given})" if given else name


def _section(comparison: Comparison, *, given: bool) -> Section:
    return Section(
        comparison.title, comparison.rounds, comparison.workload.total_events,
        setting.workload(comparison, given=given), comparison.missing,
    )  # fmt: skip
