"""The table of many runs, and the line that it ends with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chaos.case import PHASES, Fault
from chaos.run import Outcome
from pyctl.model import Phase

_FIGURES = ("runs", "restored", "lost", "doubled", "leaked", "not ended")


def table(outcomes: Sequence[Outcome], without: Mapping[Fault, str]) -> str:
    """Runs by fault and by the phase it was meant for, and what became of them; then the faults left out and why."""
    names = [*("just after" if phase is Phase.COMPLETED else phase.lower() for phase in PHASES), *_FIGURES]
    rows = [["fault", *names]]
    for fault in Fault:
        of_fault = [one for one in outcomes if one.case.fault is fault]
        if of_fault:
            rows.append([fault.value, *map(str, [*_phases(of_fault), *_figures(of_fault)])])
    rows.append(["all", *map(str, [*_phases(outcomes), *_figures(outcomes)])])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([*lines, *(f"left out: {fault}: {why}" for fault, why in without.items())])


def last_line(outcomes: Sequence[Outcome]) -> str:
    """The figures that must be zero."""
    runs, _, lost, doubled, leaked, not_ended = _figures(outcomes)
    more = f", {not_ended} not ended" if not_ended else ""
    return f"chaos: {runs} runs, {lost} lost, {doubled} doubled, {leaked} leaked{more}"


def _phases(outcomes: Sequence[Outcome]) -> list[int]:
    return [sum(one.case.phase is phase for one in outcomes) for phase in PHASES]


def _figures(outcomes: Sequence[Outcome]) -> list[int]:
    return [
        len(outcomes),
        sum(one.attempts > 1 for one in outcomes),
        sum(one.verdict.lost for one in outcomes),
        sum(one.verdict.doubled for one in outcomes),
        sum(one.leaked for one in outcomes),
        sum(bool(one.trouble) for one in outcomes),
    ]
