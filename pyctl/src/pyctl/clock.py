"""Time, as what waits is given it: a test hands in a clock that does not really sleep."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Seconds since some moment, and waiting for some of them."""

    def now(self) -> float:
        """Seconds since a moment that stays the same; never less than before."""

    def epoch_ms(self) -> int:
        """The time of day, in milliseconds since 1970."""

    def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""


class _SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def epoch_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


SYSTEM: Clock = _SystemClock()
"""The clock of this machine."""


class Deadline:
    """The end of a time that may be given for several steps; `timeout_s` None: there is none."""

    def __init__(self, clock: Clock, timeout_s: float | None) -> None:
        self.timeout_s = timeout_s
        self._clock = clock
        self._end = None if timeout_s is None else clock.now() + timeout_s

    def left(self) -> float | None:
        """Seconds until then, below 0 after it."""
        return None if self._end is None else self._end - self._clock.now()

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        left = self.left()
        return left is not None and left <= 0
