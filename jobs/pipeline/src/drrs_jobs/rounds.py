"""Runs that are compared: one of each strategy right after the other, and what several such rounds allow to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from drrs_jobs.quantities import TIMES, Quantity
from drrs_jobs.runs import Run

ROUNDS_FOR_A_RATIO = 5
"""Fewer repetitions do not tell what is the strategy's and what is the machine's."""


@dataclass(frozen=True, slots=True)
class Round:
    """A run of each strategy, in the same order in each round."""

    runs: tuple[Run, ...]

    @property
    def limit_ms(self) -> float:
        """The limit below which latency counts as steady again, the same one in all."""
        return self.runs[0].figures.limit_ms


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and range of the values that are known, and of how many there are."""

    median: float
    low: float
    high: float
    known: int


def values(rounds: Sequence[Round], place: int, quantity: Quantity) -> list[float]:
    """Return what a strategy had in each round in which it is known."""
    found = (quantity.of(one.runs[place]) for one in rounds)
    return [float(value) for value in found if value is not None]


def spread(found: Sequence[float]) -> Spread | None:
    """Return median and range; None of nothing."""
    return Spread(median(found), min(found), max(found), len(found)) if found else None


def ratio(rounds: Sequence[Round], place: int, to: int, quantity: Quantity) -> Spread | None:
    """Return what a strategy took as a part of what another one took in the same round.

    None of a single round, as one run of each allows no such statement.
    """
    pairs = [(quantity.of(one.runs[place]), quantity.of(one.runs[to])) for one in rounds]
    parts = [mine / theirs for mine, theirs in pairs if mine is not None and theirs]
    return spread(parts) if len(parts) >= 2 else None


def best(rounds: Sequence[Round]) -> list[int]:
    """Return the places of the strategies, the one with the lowest median of the highest latency first."""

    def peak(place: int) -> float:
        found = spread(values(rounds, place, TIMES[0]))
        return found.median if found else float("inf")

    return sorted(range(len(rounds[0].runs)), key=peak)


def doubts(rounds: Sequence[Round]) -> list[str]:
    """Return why these times are no measurement; empty if nothing speaks against it."""
    return [doubt for one in rounds for run in one.runs for doubt in run.doubts]


def filled(rounds: Sequence[Round]) -> str | None:
    """Return a sentence if the workload alone fills the machine, by the fullest of the runs."""
    full = [run.steady_cpu.own or 0.0 for one in rounds for run in one.runs if run.fills_machine and run.steady_cpu]
    if not full:
        return None
    return (
        f"The workload fills the machine: it takes up to {max(full):.0%} of the processors itself before the request, "
        "so that a rescale has to share what it needs with the records."
    )


def middle_round(rounds: Sequence[Round]) -> Round:
    """Return the round to be shown: the one in the middle by the first strategy's highest latency."""
    ordered = sorted(rounds, key=lambda one: one.runs[0].figures.peak_ms or 0.0)
    return ordered[(len(ordered) - 1) // 2]
