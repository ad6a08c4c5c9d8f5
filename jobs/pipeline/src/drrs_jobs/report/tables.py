"""The tables of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drrs_jobs.pairs import QUANTITIES, Pair
from drrs_jobs.report.document import Table
from drrs_jobs.report.words import milliseconds
from drrs_jobs.runs import Run


def set_up_table(set_up: Mapping[str, str]) -> Table:
    """What was measured and on what."""
    return Table(["", "set-up"], [[name, text] for name, text in set_up.items()])


def figures_table(runs: Sequence[Run]) -> Table:
    """The figures of the runs side by side."""
    rows: list[tuple[str, list[str]]] = [
        *((quantity.name, [milliseconds(quantity.of(run)) for run in runs]) for quantity in QUANTITIES),
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
        ("CPU of the machine / of other programs", [f"{run.cpu.busy:.0%} / {run.cpu.others:.0%}" for run in runs]),
        ("load average before / after", [f"{run.load[0]:.1f} / {run.load[1]:.1f}" for run in runs]),
        ("output against the reference", [run.oracle for run in runs]),
    ]  # fmt: skip
    return Table(["", *(run.title for run in runs)], [[name, *cells] for name, cells in rows])


def pairs_table(pairs: Sequence[Pair]) -> Table:
    """Each pair in a row, live rescale / restart."""
    rows = [
        [
            str(number), milliseconds(pair.limit_ms),
            *(f"{milliseconds(one.of(pair.plugin))} / {milliseconds(one.of(pair.restart))}" for one in QUANTITIES),
        ]
        for number, pair in enumerate(pairs, 1)
    ]  # fmt: skip
    return Table(["pair", "limit", *(quantity.name for quantity in QUANTITIES)], rows)


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
