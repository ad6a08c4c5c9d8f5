"""The first sentence of a report: who wins, by how much, within what range."""

from __future__ import annotations

from collections.abc import Sequence

from drrs_jobs.compare import EXACT
from drrs_jobs.pairs import PAIRS_FOR_A_RATIO, Pair, Ratio, doubts, ratios
from drrs_jobs.report.document import Paragraph
from drrs_jobs.report.words import milliseconds
from drrs_jobs.runs import oracle


def verdict(pairs: Sequence[Pair]) -> Paragraph:
    """Return the sentence, by the highest latency that a record had; none is a winner whose output is not exact."""
    found = oracle([run for pair in pairs for run in pair.runs])
    if found != EXACT:
        return Paragraph(f"Nobody wins: an output differs from the reference ({found}).", "bad")
    busy = " The machine was too busy for it to count as a measurement." if doubts(pairs) else ""
    kind = "bad" if busy else "good"
    ratio = ratios(pairs).get("peak_ms")
    if ratio is None:
        live, restart = (milliseconds(run.figures.peak_ms) for run in pairs[0].runs)
        return Paragraph(
            f"In this one pair the highest latency was {live} with the live rescale and {restart} with stop and "
            f"restart; by how much either wins, and within what range, takes {PAIRS_FOR_A_RATIO} pairs.{busy}",
            kind,
        )
    few = f", an indication and no result: that takes {PAIRS_FOR_A_RATIO}" if ratio.pairs < PAIRS_FOR_A_RATIO else ""
    return Paragraph(f"{_winner(ratio)} (median of {ratio.pairs} pairs{few}).{busy}", kind)


def _winner(ratio: Ratio) -> str:
    if ratio.low <= 1 <= ratio.high:
        return (
            "Neither wins for certain: the live rescale's highest latency is "
            f"{ratio.median:.3g} times that of stop and restart, within {ratio.low:.3g} to {ratio.high:.3g}"
        )
    if ratio.high < 1:
        middle, low, high = 1 / ratio.median, 1 / ratio.high, 1 / ratio.low
        names = "The live rescale wins: its highest latency is", "stop and restart"
    else:
        middle, low, high = ratio.median, ratio.low, ratio.high
        names = "Stop and restart wins: its highest latency is", "the live rescale"
    return f"{names[0]} {middle:.3g} times lower than with {names[1]}, within {low:.3g} to {high:.3g} times"
