"""Following a rescale until it has ended, over failovers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyctl.client import Client
from pyctl.clock import SYSTEM, Clock, Deadline
from pyctl.errors import Refused, RescaleFailed, WaitTimeout
from pyctl.model import CombinedRequest, Phase, Rescale, RescaleRequest

DEFAULT_INTERVAL_S = 0.2


def follow(
    client: Client,
    job_id: str,
    request_id: str,
    *,
    timeout_s: float | None = None,
    interval_s: float = DEFAULT_INTERVAL_S,
    clock: Clock = SYSTEM,
) -> Iterator[Rescale]:
    """Yield the status again and again until it is terminal (that one is yielded too).

    If a failover fell into the rescale and others go on with it, these are followed too; the last status that is
    yielded tells how all of it ended. REST has no push, hence the interval. Raises WaitTimeout after `timeout_s`
    seconds; the rescale itself goes on.
    """
    deadline = Deadline(clock, timeout_s)

    def pause(rescale: str, phase: Phase) -> None:
        if deadline.over:
            raise WaitTimeout(
                f"The rescale {rescale} is still in phase {phase} after {timeout_s:g} s; it goes on: "
                f"see `pyctl status`, or stop it with `pyctl abort`."
            )
        left = deadline.left()
        clock.sleep(interval_s if left is None else max(0.0, min(interval_s, left)))

    waiting = deque([request_id])
    before, worst, last = None, None, None
    while waiting:
        ended = yield from _one(client, job_id, waiting.popleft(), before, pause)
        if ended is None:
            continue
        last = ended
        if ended.continued_by:
            before = ended.request_id
            waiting.extend(one for one in ended.continued_by if one not in waiting)
        elif worst is None or worst.phase is Phase.COMPLETED:
            worst = ended
    if worst is not None and worst is not last:
        yield worst


def _one(
    client: Client, job_id: str, request_id: str, before: str | None, pause: Callable[[str, Phase], None]
) -> Generator[Rescale, None, Rescale | None]:
    """Yield the status of one rescale until it is terminal, and return that.

    One that is to go on with `before` is announced first and begins when the job's tasks run again; if nothing is left
    to do then it never does, and None is returned.
    """
    while True:
        try:
            status = client.status(job_id, request_id)
        except Refused as error:
            if before is None or {fault.code for fault in error.faults} != {"UNKNOWN_RESCALE"}:
                raise
            if request_id not in client.status(job_id, before).continued_by:
                return None
            pause(request_id, Phase.PLANNED)
        else:
            yield status
            if status.phase.terminal:
                return status
            pause(request_id, status.phase)


# -- what came of it ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """What was wanted of one operator; `placement` None: not known, only the parallelism."""

    vertex_id: str
    parallelism: int
    placement: Sequence[int] | None = None


def targets_of(request: RescaleRequest | CombinedRequest) -> list[Target]:
    """What a request wants, its operators named by their vertex ids."""
    operators = request.operators if isinstance(request, CombinedRequest) else [request]
    return [Target(each.vertex, each.parallelism, each.placement) for each in operators]


@dataclass(frozen=True)
class Outcome:
    """How a request ended, with the rescales that went on with it after failovers."""

    asked: Rescale
    """The last status of the one that was asked for."""
    continued: tuple[Rescale, ...]
    """How those ended that went on with it."""
    last: Rescale
    """The one that tells how all of it ended."""
    present: Mapping[str, int] | None
    """Parallelism of each operator now, where that was looked up."""
    reached: bool
    """Whether what was wanted is there."""

    def document(self) -> dict[str, object]:
        """For programs."""
        return {
            "request_id": self.asked.request_id,
            "phase": str(self.asked.phase),
            "reason": self.asked.reason,
            "continued_by": [
                {"request_id": one.request_id, "phase": str(one.phase), "reason": one.reason} for one in self.continued
            ],
            "parallelism": None if self.present is None else dict(self.present),
            "reached": self.reached,
        }

    def story(self) -> str | None:
        """What happened, for people; None where the one that was asked for simply ended."""
        if self.asked.phase is Phase.COMPLETED or not (self.continued or self.reached):
            return None
        text = f"The rescale {self.asked.request_id} failed: {_reason(self.asked)}."
        if self.continued:
            text += f" It was continued by {', '.join(map(_ending, self.continued))}."
        if self.present is not None:
            now = ", ".join(f"{label} has parallelism {number}" for label, number in self.present.items())
            text += f" Now {now}: {'as wanted' if self.reached else 'not what was wanted'}."
        return text

    def failure(self) -> RescaleFailed | None:
        """The error that it amounts to."""
        if self.reached:
            return None
        return RescaleFailed(self.story() or _sentence(self.last))


def outcome(client: Client, job_id: str, seen: Sequence[Rescale], targets: Sequence[Target] | None = None) -> Outcome:
    """What came of a request whose statuses `follow` has yielded; `targets` None: what the status says of them.

    `seen` has at least the last status of each rescale, in order. After a failover the operators themselves are looked
    at: one that went on to the end may have had a new goal, and one that failed may have had nothing left to do.
    """
    ended = {one.request_id: one for one in seen if one.phase.terminal}
    asked, *continued = ended.values()
    # A continuation may have ended in a failover itself, and another one went on with it.
    last = seen[-1]
    if asked.phase is not Phase.FAILED or not any(one.continued_by for one in seen):
        return Outcome(asked, (), last, None, asked.phase is Phase.COMPLETED)
    wanted = targets or [
        Target(one.vertex_id, one.to_parallelism)
        for one in (asked.parts or [asked])
        if one.vertex_id is not None and one.to_parallelism is not None
    ]
    try:
        vertices = {vertex.vertex_id: vertex for vertex in client.vertices(job_id).vertices}
    except Refused:
        # The job has ended meanwhile: only how the last one ended is known.
        there = last.phase is Phase.COMPLETED and last.to_parallelism in {target.parallelism for target in wanted}
        return Outcome(asked, tuple(continued), last, None, there)
    reached = all(
        target.vertex_id in vertices
        and vertices[target.vertex_id].parallelism == target.parallelism
        and target.placement in (None, vertices[target.vertex_id].placement)
        for target in wanted
    )
    if targets is None:
        # The parallelism alone does not tell that the key groups are where they should be.
        reached = reached and (not continued or last.phase is Phase.COMPLETED)
    present = {
        vertices[t.vertex_id].label: vertices[t.vertex_id].parallelism for t in wanted if t.vertex_id in vertices
    }
    return Outcome(asked, tuple(continued), last, present, reached)


def failure(status: Rescale) -> RescaleFailed | None:
    """The error that a terminal status other than COMPLETED amounts to."""
    return RescaleFailed(_sentence(status)) if status.phase in {Phase.FAILED, Phase.ABORTED} else None


def _sentence(status: Rescale) -> str:
    outcome = "was rolled back" if status.phase is Phase.ABORTED else "failed"
    return f"The rescale {status.request_id} {outcome}: {_reason(status)}."


def _ending(status: Rescale) -> str:
    tail = "" if status.phase is Phase.COMPLETED else f": {_reason(status)}"
    return f"{status.request_id} ({status.phase}{tail})"


def _reason(status: Rescale) -> str:
    return (status.reason or "no reason given").rstrip(".")
