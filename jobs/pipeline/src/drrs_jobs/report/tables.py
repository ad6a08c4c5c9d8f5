"""The tables of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drrs_jobs.quantities import QUANTITIES, TIMES
from drrs_jobs.report.document import Table
from drrs_jobs.report.words import milliseconds, spread_of
from drrs_jobs.rounds import Round, ratio, spread, values
from drrs_jobs.runs import Run


def set_up_table(set_up: Mapping[str, str]) -> Table:
    """What was measured and on what."""
    return Table(["", "set-up"], [[name, text] for name, text in set_up.items()])


def strategies_table(rounds: Sequence[Round]) -> Table:
    """What each strategy had, as median and range over the rounds."""
    runs = rounds[0].runs
    rows = [
        [
            quantity.name,
            *(spread_of(quantity, spread(values(rounds, place, quantity)), len(rounds)) for place in range(len(runs))),
        ]
        for quantity in QUANTITIES
    ]
    return Table(["median (range)" if len(rounds) > 1 else "", *(run.name for run in runs)], rows)


def ratios_table(rounds: Sequence[Round]) -> Table | None:
    """The first strategy as a part of each other one, of the same round; None where that says nothing."""
    runs = rounds[0].runs
    rows = []
    for quantity in TIMES:
        cells = []
        for place in range(1, len(runs)):
            found = ratio(rounds, 0, place, quantity)
            cells.append("-" if found is None else f"{found.median:.3g} ({found.low:.3g} .. {found.high:.3g})")
        rows.append([quantity.name, *cells])
    if len(runs) < 2 or len(rounds) < 2:
        return None
    return Table([f"{runs[0].name} /", *(run.name for run in runs[1:])], rows)


def further_table(runs: Sequence[Run]) -> Table:
    """What else is known of the runs of one round, side by side."""
    rows: list[tuple[str, list[str]]] = [
        ("keys with a gap over 1 s", [str(run.figures.keys_with_gap_over_1s) for run in runs]),
        ("steady p99 / peak before", [
            f"{milliseconds(run.figures.steady_p99_ms)} / {milliseconds(run.figures.steady_peak_ms)}" for run in runs
        ]),
        ("state", [f"{run.state_bytes / 1e6:,.0f} MB" for run in runs]),
        ("moved key groups (least)", [_moved(run) for run in runs]),
        ("checkpoints completed / failed", [_checkpoints(run) for run in runs]),
        ("busy per subtask before", [_shares(run.busy_before) for run in runs]),
        ("busy per subtask after", [_shares(run.busy_after) for run in runs]),
        ("limit for steady again", [milliseconds(run.figures.limit_ms) for run in runs]),
        ("load of the machine, all programs", [f"{run.cpu.busy:.0%}" for run in runs]),
        ("load average before / after", [f"{run.load[0]:.1f} / {run.load[1]:.1f}" for run in runs]),
        ("output against the reference", [run.oracle for run in runs]),
    ]  # fmt: skip
    return Table(["", *(run.name for run in runs)], [[name, *cells] for name, cells in rows])


def rounds_table(rounds: Sequence[Round]) -> Table:
    """Each round in a row, strategies in their order."""
    rows = [
        [
            str(number),
            milliseconds(one.limit_ms),
            *(" / ".join(quantity.shown(quantity.of(run)) for run in one.runs) for quantity in TIMES),
        ]
        for number, one in enumerate(rounds, 1)
    ]
    return Table(["round", "limit", *(quantity.name for quantity in TIMES)], rows)


def phases_table(run: Run) -> Table:
    """The phases of a run's rescale, and what else is known of it."""
    zero = run.figures.requested_at
    rows = [[mark.label, milliseconds(mark.begin - zero), milliseconds(mark.end - mark.begin)] for mark in run.marks]
    return Table(["", "from the request", "duration"], rows + [[name, text, ""] for name, text in run.facts.items()])


def _moved(run: Run) -> str:
    if run.status is None:
        return "all"
    return f"{run.status['key_groups']['moved']} ({run.status['min_key_groups']})"


def _checkpoints(run: Run) -> str:
    return "-" if run.checkpoints is None else f"{run.checkpoints.completed} / {run.checkpoints.failed}"


def _shares(shares: Sequence[float]) -> str:
    return ", ".join(f"{share:.0%}" for share in shares) or "-"
