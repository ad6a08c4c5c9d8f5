"""What one run does: which fault, in which phase of which rescale, to whom; drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from harness.job import ONE_AT_A_TIME, JobSpec
from harness.workload import Workload
from pyctl.model import Phase


class Fault(StrEnum):
    """What happens to the victim. A `brief` fault ends before the victim is missed, a `long` one after that."""

    KILL = "kill -9"
    BRIEF_STOP = "brief SIGSTOP"
    LONG_STOP = "long SIGSTOP"
    BRIEF_CUT = "brief link cut"
    LONG_CUT = "long link cut"
    SLOW_LINK = "slow link"
    FULL_DISK = "full disk"
    WITHDRAWAL = "withdrawal"


class Victim(StrEnum):
    """Who it happens to; a TaskManager is named by what runs on it."""

    OLD_OWNER = "old owner"
    NEW_OWNER = "new owner"
    PREDECESSOR = "predecessor"
    CONSUMER = "consumer"
    JOB_MANAGER = "JobManager"
    NOBODY = "-"


FAULTS_OF_NETWORK = frozenset({Fault.BRIEF_CUT, Fault.LONG_CUT, Fault.SLOW_LINK})
FAULTS_OF_NOBODY = frozenset({Fault.FULL_DISK, Fault.WITHDRAWAL})
TASK_MANAGERS = (Victim.OLD_OWNER, Victim.NEW_OWNER, Victim.PREDECESSOR, Victim.CONSUMER)
PHASES = (Phase.PROVISIONING, Phase.MIGRATING, Phase.RETIRING, Phase.ABORTING, Phase.COMPLETED)
"""COMPLETED stands for the moment just after."""

PATHS = ((2, 4), (2, 3), (3, 5), (4, 2), (3, 1), (3, 3))
"""Out, in, and other owners at the same parallelism."""


@dataclass(frozen=True)
class Target:
    """An operator to rescale, and the query it is in. All keep enough state that moving it takes a while."""

    query: str
    vertex: str
    arguments: Sequence[str] = ()
    reference: Mapping[str, Any] = field(default_factory=dict)


_STATE = ("--ballast-bytes", "10000", "--preload-keys", "1200", "--preload-first-key", "100000")
_WINDOWS = ("--hop-size-ms", "2000", "--hop-slide-ms", "500")
TARGETS = {
    "states": Target("states", "states", _STATE),
    "count": Target("count", "count", ("--timers", "true", *_STATE)),
    "q5": Target("q5", "q5", _WINDOWS, {"size_ms": 2000, "slide_ms": 500}),
}


@dataclass(frozen=True)
class Case:
    """One run. `delay_ms` passes between the phase being seen and the fault.

    `tolerant`: a failed checkpoint is no failure of the job.
    """

    fault: Fault
    phase: Phase
    victim: Victim
    path: tuple[int, int] = (2, 4)
    target: str = "states"
    unaligned: bool = False
    tolerant: bool = True
    delay_ms: int = 0

    def __str__(self) -> str:
        when = "just after" if self.phase is Phase.COMPLETED else f"in {self.phase}"
        who = "" if self.victim is Victim.NOBODY else f" of {self.victim}"
        flags = [name for name, is_set in (("unaligned", self.unaligned), ("intolerant", not self.tolerant)) if is_set]
        way = f"{self.target} {self.path[0]} -> {self.path[1]}"
        return ", ".join([f"{self.fault}{who} {when} + {self.delay_ms} ms", way, *flags])

    def spec(self) -> JobSpec:
        """The job that is rescaled."""
        target = TARGETS[self.target]
        options = {
            "drrs.operators": target.vertex,
            **ONE_AT_A_TIME,
            "execution.checkpointing.tolerable-failed-checkpoints": "1000" if self.tolerant else "0",
        }
        return JobSpec(
            target.query, self.path[0], Workload(events=16_000), target.arguments, options, target.reference,
            unaligned=self.unaligned, checkpoint_ms=700,
        )  # fmt: skip


def draw(seed: int, index: int, without: frozenset[Fault] = frozenset()) -> Case:
    """The run of this index; it depends on nothing but the arguments. `without`: what cannot be done here."""
    dice = random.Random(f"{seed}/{index}")
    fault = dice.choice([fault for fault in Fault if fault not in without])
    if fault in FAULTS_OF_NOBODY:
        victim = Victim.NOBODY
    else:
        victim = Victim.JOB_MANAGER if dice.random() < 0.25 else dice.choice(TASK_MANAGERS)
    return Case(
        fault, dice.choice(PHASES), victim, dice.choice(PATHS), dice.choice(list(TARGETS)),
        unaligned=dice.random() < 0.5, tolerant=dice.random() < 0.7, delay_ms=dice.choice((0, 0, 20, 100, 300)),
    )  # fmt: skip


SHORT = (
    Case(Fault.BRIEF_STOP, Phase.MIGRATING, Victim.JOB_MANAGER, unaligned=True, delay_ms=20),
    Case(Fault.KILL, Phase.ABORTING, Victim.PREDECESSOR, (2, 3)),
    Case(Fault.KILL, Phase.COMPLETED, Victim.OLD_OWNER, (3, 5), unaligned=True),
    Case(Fault.LONG_STOP, Phase.MIGRATING, Victim.OLD_OWNER, (4, 2)),
    Case(Fault.BRIEF_CUT, Phase.MIGRATING, Victim.NEW_OWNER),
    Case(Fault.LONG_CUT, Phase.RETIRING, Victim.JOB_MANAGER, (4, 2)),
    Case(Fault.SLOW_LINK, Phase.PROVISIONING, Victim.OLD_OWNER, (2, 4), "count", unaligned=True),
    Case(Fault.FULL_DISK, Phase.MIGRATING, Victim.NOBODY, (3, 1)),
    Case(Fault.WITHDRAWAL, Phase.MIGRATING, Victim.NOBODY, (3, 3), "count"),
)
"""Each fault and each phase: for `make test`."""

FURTHER = (
    Case(Fault.KILL, Phase.PROVISIONING, Victim.NEW_OWNER),
    Case(Fault.KILL, Phase.RETIRING, Victim.OLD_OWNER, (4, 2), "count"),
)
"""More ways to lose a TaskManager, beside those of `e2e/test_failover.py`: for `make test-all`."""
