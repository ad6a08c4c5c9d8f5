"""What a run leaves besides its records, as a file that is written last: a run with one is complete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from drrs_jobs.checkpoints import Checkpoints
from drrs_jobs.figures import Rescale
from drrs_jobs.machine import CpuUse
from drrs_jobs.ownership import Ownership
from drrs_jobs.runs import Mark

FILE = "run.json"


@dataclass(frozen=True, slots=True)
class Step:
    """One rescale of a run; ``status`` is its status document (None where the whole job was restarted)."""

    before: int
    after: int
    rescale: Rescale
    marks: tuple[Mark, ...]
    checkpoints: Checkpoints | None = None
    status: Mapping[str, Any] | None = None
    ownership: Ownership | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run; ``oracle`` is ``exact`` or what differs, ``load`` the load averages before and after it.

    ``seconds`` is how long all of it took, the start of a cluster and the comparison included. ``cpu`` is from the
    first output to the last, ``steady_cpu`` in the period before the first request.
    """

    strategy: str
    oracle: str
    seconds: float
    steps: tuple[Step, ...]
    state_bytes: int
    cpu: CpuUse
    load: tuple[float, float]
    busy_before: tuple[float, ...]
    busy_after: tuple[float, ...]
    flink_version: str
    java: str
    plugin: str | None = None
    notes: tuple[str, ...] = field(default=())
    steady_cpu: CpuUse | None = None


_FORM = TypeAdapter(Recorded)


def write(recorded: Recorded, folder: Path) -> None:
    """Write it into the run's folder."""
    fresh = folder / f"{FILE}.tmp"
    fresh.write_bytes(_FORM.dump_json(recorded, indent=2) + b"\n")
    fresh.replace(folder / FILE)


def read(folder: Path) -> Recorded | None:
    """Return what was recorded there; None if the run did not end. Raises ``ValueError`` for a damaged file."""
    file = folder / FILE
    try:
        return _FORM.validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise ValueError(
            f"{file} is damaged or of another version ({error.error_count()} faults): delete {folder} to run it again."
        ) from error
