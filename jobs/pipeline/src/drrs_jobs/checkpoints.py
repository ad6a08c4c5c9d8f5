"""The checkpoints of a period of a job."""

from __future__ import annotations

from dataclasses import dataclass

from pyctl.client import Client


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Completed and failed checkpoints of a period, and the size of the newest completed one in bytes."""

    completed: int
    failed: int
    state_bytes: int


def checkpoints(client: Client, job: str, since: int = 0, until: int | None = None) -> Checkpoints:
    """Count the checkpoints that overlap [since, until] (epoch ms), and the first one triggered after that.

    The first one after is in, so that a rescale shorter than the checkpoint interval has one to show.
    """
    history = sorted(client.get(f"/jobs/{job}/checkpoints")["history"], key=lambda one: one["trigger_timestamp"])
    history = [one for one in history if not one["is_savepoint"] and one["status"] != "IN_PROGRESS"]
    chosen = []
    for one in history:
        if max(one["trigger_timestamp"], one["latest_ack_timestamp"]) < since:
            continue
        chosen.append(one)
        if until is not None and one["trigger_timestamp"] > until:
            break
    completed = [one for one in chosen if one["status"] == "COMPLETED"]
    size = completed[-1]["state_size"] if completed else 0
    return Checkpoints(len(completed), len(chosen) - len(completed), int(size))
