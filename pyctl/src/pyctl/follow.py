"""Following a rescale until it has ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator

from pyctl.client import Client
from pyctl.errors import Refused, RescaleFailed, WaitTimeout
from pyctl.model import Phase, Rescale

DEFAULT_INTERVAL_S = 0.2


def follow(
    client: Client,
    job_id: str,
    request_id: str,
    *,
    timeout_s: float | None = None,
    interval_s: float = DEFAULT_INTERVAL_S,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Rescale]:
    """Yield the status again and again until it is terminal (that one is yielded too).

    If a failover fell into the rescale and others go on with it, these are followed too; the last status that is
    yielded tells how all of it ended. REST has no push, hence the interval. Raises WaitTimeout after `timeout_s`
    seconds; the rescale itself goes on.
    """
    deadline = None if timeout_s is None else clock() + timeout_s

    def pause(rescale: str, phase: Phase) -> None:
        left = None if deadline is None else deadline - clock()
        if left is not None and left <= 0:
            raise WaitTimeout(
                f"The rescale {rescale} is still in phase {phase} after {timeout_s:g} s; it goes on: "
                f"see `pyctl status`, or stop it with `pyctl abort`."
            )
        sleep(interval_s if left is None else min(interval_s, left))

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


def failure(status: Rescale) -> RescaleFailed | None:
    """The error that a terminal status other than COMPLETED amounts to."""
    if status.phase not in {Phase.FAILED, Phase.ABORTED}:
        return None
    reason = (status.reason or "no reason given").rstrip(".")
    outcome = "was rolled back" if status.phase is Phase.ABORTED else "failed"
    return RescaleFailed(f"The rescale {status.request_id} {outcome}: {reason}.")
