"""What ``make demo`` prints in the end: the set-up, both runs side by side, ratios if there were enough pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from drrs_jobs.figures import STABLE_FACTOR
from drrs_jobs.pairs import PAIRS_FOR_A_RATIO, QUANTITIES, Pair, doubts, middle_pair, ratios

GAP = "Longest gap of one key: how long one key had a record due while nothing of it came out."


def limit_sentence(pair: Pair) -> str:
    """What "steady again" means, the same for both runs."""
    peak = max(run.figures.steady_peak_ms for run in pair.runs)
    return (
        f"Steady again: from then on each 100 ms stays below {pair.limit_ms:,.0f} ms in both runs, {STABLE_FACTOR} x "
        f"the higher one of the two steady peaks before the request ({peak:,.0f} ms)."
    )


def ratio_sentences(pairs: Sequence[Pair]) -> list[str]:
    """The ratios, or why there are none."""
    if len(pairs) < 2:
        return [
            f"One run of each gives no ratio: it takes repeated pairs, at least {PAIRS_FOR_A_RATIO} "
            f"(make demo PAIRS={PAIRS_FOR_A_RATIO})."
        ]
    few = len(pairs) < PAIRS_FOR_A_RATIO
    remark = f" ({len(pairs)} are an indication and no result: that takes {PAIRS_FOR_A_RATIO})" if few else ""
    return [
        f"Live rescale / restart, median and range of {len(pairs)} pairs{remark}:",
        *(
            f"  {one.name}: {one.median:.3g} ({one.low:.3g} .. {one.high:.3g})"
            + ("" if one.pairs == len(pairs) else f", known in {one.pairs} of them")
            for one in ratios(pairs).values()
        ),
    ]


def print_summary(pairs: Sequence[Pair], set_up: Mapping[str, str], oracle: str) -> None:
    """Print all of it; of several pairs the table has the middle one."""
    console = Console(width=110, highlight=False, markup=False)
    pair = middle_pair(pairs)
    for name, text in set_up.items():
        console.print(f"{name}: {text}")
    found = doubts(pairs)
    if found:
        console.print("NOT A MEASUREMENT, the machine was busy:")
        for doubt in found:
            console.print(f"  {doubt}")
    which = "" if len(pairs) == 1 else f"; shown is the middle one of {len(pairs)} pairs"
    table = Table(title=f"Output against the reference: {oracle}{which}", title_justify="left")
    for column in ("", *(run.title for run in pair.runs)):
        table.add_column(column, justify="left" if not column else "right")
    for quantity in QUANTITIES:
        table.add_row(quantity.name, *(milliseconds(quantity.of(run)) for run in pair.runs))
    live = pair.plugin
    table.add_row("steady p99 before", *(milliseconds(run.figures.steady_p99_ms) for run in pair.runs))
    status = live.status or {"key_groups": {"moved": 0}, "min_key_groups": 0}
    table.add_row("moved key groups (least)", f"{status['key_groups']['moved']} ({status['min_key_groups']})", "all")
    if live.checkpoints is not None:
        table.add_row("checkpoints done / failed", f"{live.checkpoints.completed} / {live.checkpoints.failed}", "")
    table.add_row("CPU of the machine / of others", *(f"{r.cpu.busy:.0%} / {r.cpu.others:.0%}" for r in pair.runs))
    table.add_row("load average before / after", *(f"{r.load[0]:.1f} / {r.load[1]:.1f}" for r in pair.runs))
    console.print(table)
    console.print(
        "Latencies and gaps are of the time from the request until the operation has ended and is steady again."
    )
    console.print(limit_sentence(pair))
    console.print(GAP)
    for sentence in ratio_sentences(pairs):
        console.print(sentence)


def milliseconds(value: float | None) -> str:
    """A time, or that the moment never came."""
    return "never" if value is None else f"{value:,.0f} ms"
