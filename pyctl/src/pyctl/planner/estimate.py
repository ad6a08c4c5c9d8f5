"""How long a rescale is expected to take, from this cluster's own history where there is one.

Each phase has a model with two ends, for rescales that are the first of their job (slots, class loading, code that no
JVM has compiled yet) and for later ones. Where phases of the same kind have been measured, the plan's model is scaled
by how these compared with theirs; the range goes from the best to the worst of them, wider the fewer there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pyctl.model import Phase, Rescale
from pyctl.planner.work import Work, work_of_past

USED = 10
"""How many rescales of the past are looked at, the newest."""

_SLACK = {1: (3.0, 2.0), 2: (2.5, 1.75)}
_LEAST_SLACK = (2.0, 1.3)
"""By how many times the next one may be faster than the fastest, and slower than the slowest of so many samples.

Code goes on being compiled for some rescales, so that later ones are faster more often than slower.
"""


@dataclass(frozen=True)
class Range:
    """Seconds."""

    low: float
    high: float

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def scaled(self, low: float, high: float) -> Range:
        """Around its middle: from `low` times that to `high` times."""
        return Range(self.middle * low, self.middle * high)

    @property
    def middle(self) -> float:
        """Between two ends that differ by a factor."""
        return math.sqrt(self.low * self.high)


@dataclass(frozen=True)
class Checkpoints:
    """How long the job's checkpoints take, in seconds."""

    average: float
    longest: float


class Warmth(StrEnum):
    """How much of what a rescale needs has run already: JVMs load and compile it the first time."""

    COLD = "cold"
    """Nothing that is known of."""
    SOME = "some"
    """A first rescale of this job, or of another one of the cluster."""
    WARM = "warm"
    """More than one of this job."""


@dataclass(frozen=True)
class History:
    """What an estimate rests on. Samples are completed rescales, newest first: while SOME, first ones of their jobs."""

    samples: tuple[Rescale, ...] = ()
    warmth: Warmth = Warmth.COLD
    basis: str = "defaults, as there is no history yet"


@dataclass(frozen=True)
class Estimate:
    """The expected duration, by phase and in all, and in words what it rests on."""

    phases: Mapping[str, Range]
    basis: str
    rescales: int
    """How many rescales of the past it rests on."""
    defaults: tuple[str, ...] = field(default=())
    """Phases for which nothing comparable has been measured."""

    @property
    def total(self) -> Range:
        return sum(self.phases.values(), Range(0.0, 0.0))


def history_of(
    vertex_id: str, of_job: Sequence[Rescale], of_others: Callable[[], Sequence[Sequence[Rescale]]]
) -> History:
    """What is known that compares best: later rescales of the operator, of its job, the first of other jobs.

    Each list is newest first; `of_others` is asked only if the job has none.
    """
    mine = _single(of_job)
    if not any(_moved(past) for past in mine):
        firsts = [one for one in map(_first, map(_single, of_others())) if one is not None and _completed(one)][:USED]
        if not firsts:
            return History()
        ones = "first rescale" if len(firsts) == 1 else "first rescales"
        basis = f"the {ones} of {_count(len(firsts), 'other job')} of this cluster"
        return History(tuple(firsts), Warmth.SOME, basis)
    first = _first(mine)
    later = [past for past in mine if past is not first and _completed(past)]
    own = [past for past in later if past.vertex_id == vertex_id]
    for samples, whose in ((own[:USED], "this operator"), (later[:USED], "this job")):
        if samples:
            return History(tuple(samples), Warmth.WARM, f"{_count(len(samples), 'rescale')} of {whose}")
    if first is not None and _completed(first):
        return History((first,), Warmth.SOME, "the first rescale of this job, and later ones tend to be faster")
    return History((), Warmth.SOME, "defaults, as no rescale of this job has completed yet")


def estimate(work: Work, history: History, checkpoints: Checkpoints | None) -> Estimate:
    """The expected duration of a plan; `checkpoints` None: the job has none, or none has completed yet."""
    phases: dict[str, Range] = {}
    defaults = []
    for phase, model in _MODELS.items():
        cold, warm = (model(work, first, checkpoints) for first in (True, False))
        samples_cold = history.warmth is not Warmth.WARM
        ratios = []
        for past in history.samples:
            took, before = _seconds(past, phase), work_of_past(past)
            if took is not None and _kind(phase, before) == _kind(phase, work):
                ratios.append(took / model(before, samples_cold, checkpoints).middle)
        faster, slower = _SLACK.get(len(ratios), _LEAST_SLACK)
        if not ratios:
            defaults.append(phase.value)
            low = cold.low if history.warmth is Warmth.COLD else warm.low
            phases[phase.value] = Range(low, cold.high if samples_cold else warm.high)
        elif history.warmth is Warmth.WARM:
            phases[phase.value] = warm.scaled(min(ratios) / faster, max(ratios) * slower)
        else:
            # A first one tells how slow it may be, not how fast.
            slowest = max(cold.scaled(1, max(ratios) * slower).high, warm.high)
            phases[phase.value] = Range(warm.low, slowest)
    if checkpoints is not None:
        # A step may come while a checkpoint is under way, and then waits for it.
        phases["CHECKPOINTS"] = Range(0.0, checkpoints.longest)
    used = 0 if len(defaults) == len(_MODELS) else len(history.samples)
    basis = history.basis if used or not history.samples else "defaults, as nothing comparable has been measured yet"
    return Estimate(phases, basis, used, tuple(defaults) if used else ())


# -- the models --------------------------------------------------------------------------------------------------------


def _provisioning(work: Work, first: bool, _: Checkpoints | None) -> Range:
    """A look at the keys, then slots, deployment, channels, exchanges."""
    if work.new_subtasks:
        return Range(2.0, 10.0) if first else Range(0.2, 2.0)
    return Range(0.2, 2.0) if first else Range(0.05, 0.8)


def _migrating(work: Work, first: bool, _: Checkpoints | None) -> Range:
    """Signals and waiting for each other in each round, and the state itself."""
    slow = 2.5 if first else 1.0
    low = 0.05 + 0.05 * work.rounds + work.bytes / 120e6
    high = 0.5 + 0.5 * work.rounds + work.bytes / 25e6
    return Range(low * (1.5 if first else 1.0), high * slow)


def _retiring(work: Work, first: bool, checkpoints: Checkpoints | None) -> Range:
    """Exchanges close; what retires waits for a checkpoint of its own first."""
    slow = 2.0 if first else 1.0
    if not work.retiring:
        return Range(0.01, 0.3 * slow)
    waits = Range(0.05, 1.5) if checkpoints is None else Range(checkpoints.average / 2, checkpoints.longest)
    return Range(0.05, 0.8 * slow) + waits


_MODELS: Mapping[Phase, Callable[[Work, bool, Checkpoints | None], Range]] = {
    Phase.PROVISIONING: _provisioning,
    Phase.MIGRATING: _migrating,
    Phase.RETIRING: _retiring,
}


def _kind(phase: Phase, work: Work) -> bool:
    """Which rescales have a phase that compares."""
    if phase is Phase.PROVISIONING:
        return work.new_subtasks > 0
    return phase is Phase.MIGRATING or work.retiring > 0


# -- the past ----------------------------------------------------------------------------------------------------------


def _single(rescales: Sequence[Rescale]) -> list[Rescale]:
    """One for each operator."""
    return [part for rescale in rescales for part in (rescale.parts or [rescale])]


def _moved(past: Rescale) -> bool:
    return any(time.phase is Phase.MIGRATING for time in past.phases)


def _completed(past: Rescale) -> bool:
    return past.phase is Phase.COMPLETED


def _first(rescales: Sequence[Rescale]) -> Rescale | None:
    """The one that was the first to move state."""
    return min((past for past in rescales if _moved(past)), key=lambda past: past.accepted_at, default=None)


def _seconds(past: Rescale, phase: Phase) -> float | None:
    took = [time.duration_ms for time in past.phases if time.phase is phase and time.duration_ms is not None]
    if phase is Phase.MIGRATING and not past.subscales.total:
        return None
    return max(sum(took), 1) / 1000 if took else None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
