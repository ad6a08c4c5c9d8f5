"""The phases of rescales as named periods, and who owned what meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pyctl import adapting, restarting
from pyctl.whole_job import Ended

from drrs_jobs.ownership import Owners, Ownership
from drrs_jobs.runs import Mark

_PHASES = {
    restarting.STOPPING: "stop with savepoint",
    restarting.SUBMITTING: "submit",
    restarting.RESTORING: "deploy and restore",
    adapting.ADAPTING: "scheduler restarts the job",
}


def rescale_marks(status: Mapping[str, Any]) -> tuple[Mark, ...]:
    """Return the phases of a rescale, each until the next one begins; the last, final one has no length."""
    phases: Sequence[Mapping[str, Any]] = status["phases"]
    return tuple(
        Mark(str(phase["phase"]), int(phase["at"]), int(following["at"])) for phase, following in pairwise(phases)
    )


def restart_marks(ended: Ended) -> tuple[Mark, ...]:
    """Return the phases of a restart, each until the next one begins, in words."""
    return tuple(Mark(_PHASES[mark.phase], mark.at, following.at) for mark, following in pairwise(ended.marks))


def ownership_of(status: Mapping[str, Any], before: Owners, after: Owners) -> Ownership:
    """Return who owned what before and after a rescale: it changes while it is ``MIGRATING``."""
    (moving,) = (mark for mark in rescale_marks(status) if mark.label == "MIGRATING")
    return Ownership(before, after, moving.begin, moving.end)
