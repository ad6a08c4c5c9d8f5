"""What is printed in the end: the set-up, all strategies side by side, ratios if there were enough rounds."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from drrs_jobs.report import tables
from drrs_jobs.report.contents import GAP, limit_sentence, ratio_sentence
from drrs_jobs.report.document import Table as Cells
from drrs_jobs.report.verdict import verdict
from drrs_jobs.rounds import doubts, filled, middle_round
from drrs_jobs.runner.reporting import Found
from drrs_jobs.runs import oracle

_WIDTH = 120


def print_found(found: Found) -> None:
    """Print all of it."""
    console = Console(width=_WIDTH, highlight=False, markup=False)
    for name, text in found.set_up.items():
        console.print(f"{name}: {text}")
    for section in found.sections:
        rounds = section.rounds
        exact = oracle([run for one in rounds for run in one.runs])
        console.print(f"\n{section.title}: {verdict(rounds).text}")
        for name, text in section.set_up.items():
            console.print(f"{name}: {text}")
        busy = doubts(rounds)
        if busy:
            console.print("NOT A MEASUREMENT, the machine was busy:")
            for doubt in busy:
                console.print(f"  {doubt}")
        full = filled(rounds)
        if full is not None:
            console.print(full)
        _print(console, tables.strategies_table(rounds), f"Output against the reference: {exact}")
        console.print(ratio_sentence(rounds))
        ratios = tables.ratios_table(rounds)
        if ratios is not None:
            _print(console, ratios, "")
        shown = middle_round(rounds)
        which = "" if len(rounds) == 1 else f"The middle one of {len(rounds)} rounds"
        _print(console, tables.further_table(shown.runs), which)
        console.print(limit_sentence(shown))
    console.print(GAP)


def _print(console: Console, cells: Cells, title: str) -> None:
    table = Table(title=title or None, title_justify="left")
    for number, column in enumerate(cells.head):
        table.add_column(column, justify="right" if number else "left")
    for row in cells.rows:
        table.add_row(*row)
    console.print(table)
