"""A clock that only moves when somebody sleeps."""

from __future__ import annotations

from collections.abc import Callable


class FakeClock:
    """`slept` has each sleep in seconds; `when_slept` is called after each with the time that has passed in all."""

    def __init__(self, when_slept: Callable[[float], None] = lambda _: None) -> None:
        self.slept: list[float] = []
        self._when_slept = when_slept

    def now(self) -> float:
        return sum(self.slept)

    def epoch_ms(self) -> int:
        return round(self.now() * 1000)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._when_slept(self.now())
