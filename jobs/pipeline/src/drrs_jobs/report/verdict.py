"""The first sentence about a comparison: who wins, by how much, within what range."""

from __future__ import annotations

from collections.abc import Sequence

from drrs_jobs.compare import EXACT
from drrs_jobs.quantities import TIMES
from drrs_jobs.report.document import Paragraph
from drrs_jobs.report.words import listed, milliseconds
from drrs_jobs.rounds import ROUNDS_FOR_A_RATIO, Round, Spread, best, doubts, ratio
from drrs_jobs.runs import Run, oracle


def verdict(rounds: Sequence[Round]) -> Paragraph:
    """Return the sentence, by the highest latency that a record had; none is a winner whose output is not exact."""
    found = oracle([run for one in rounds for run in one.runs])
    if found != EXACT:
        return Paragraph(f"Nobody wins: an output differs from the reference ({found}).", "bad")
    busy = " The machine was too busy for it to count as a measurement." if doubts(rounds) else ""
    kind = "bad" if busy else "good"
    if len(rounds[0].runs) < 2:
        (run,) = rounds[0].runs
        return Paragraph(
            f"The highest latency was {_peak(run)}; there is nothing to compare it with.{busy}",
            kind,
        )
    first, second, *_ = best(rounds)
    ahead = ratio(rounds, first, second, TIMES[0])
    if ahead is None:
        peaks = [_peak(run) for run in rounds[0].runs]
        return Paragraph(
            f"In this one round the highest latency was {listed(peaks)}; by how much any wins, and within what range, "
            f"takes {ROUNDS_FOR_A_RATIO} rounds.{busy}",
            kind,
        )
    few = f", an indication and no result: that takes {ROUNDS_FOR_A_RATIO}" if ahead.known < ROUNDS_FOR_A_RATIO else ""
    names = [run.name for run in rounds[0].runs]
    sentence = _winner(ahead, names[first], names[second], len(names))
    return Paragraph(f"{sentence} (median of {ahead.known} rounds{few}).{busy}", kind)


def _peak(run: Run) -> str:
    peak = run.figures.peak_ms
    if peak is None:
        return f"not known with {run.name}, as nothing came out meanwhile"
    return f"{milliseconds(peak)} with {run.name}"


def _winner(ahead: Spread, first: str, second: str, of: int) -> str:
    if ahead.high >= 1:
        return (
            f"Nobody wins for certain: the highest latency with {first} is {ahead.median:.3g} times that with "
            f"{second}, within {ahead.low:.3g} to {ahead.high:.3g}"
        )
    middle, low, high = 1 / ahead.median, 1 / ahead.high, 1 / ahead.low
    rank = ", the next best" if of > 2 else ""
    return (
        f"The winner is {first}: its highest latency is {middle:.3g} times lower than with {second}{rank}, within "
        f"{low:.3g} to {high:.3g} times"
    )
