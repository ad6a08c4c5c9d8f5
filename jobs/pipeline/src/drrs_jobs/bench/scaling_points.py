"""What ``make bench-scaling`` varies: one dimension at a time, from one and the same base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

BALLAST_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Point:
    """One job and the way it is rescaled.

    ``load``: the part of the time, 0..1, for which the subtasks are busy before the rescale; it is service time, which
    takes no processor. ``bound`` is the most key groups of a subscale. ``subtasks``: before and after.
    ``zipf_percent``: exponent of the keys' skew in hundredths, None for the keys that Nexmark's bids have.
    ``background``: whether the strategy moves what nobody needs before somebody waits for the end.
    """

    state_mb: int = 20
    key_groups: int = 128
    bound: int = 8
    subtasks: tuple[int, int] = (2, 4)
    load: float = 0.6
    rate: int = 1_000
    zipf_percent: int | None = None
    strategy: str = "drrs"
    background: bool = True

    @property
    def of_strategy(self) -> dict[str, str]:
        """Options of the strategy."""
        if self.strategy == "drrs":
            return {"drrs.strategy.subscale-key-groups": str(self.bound)}
        return {} if self.background else {f"drrs.{self.strategy}.background": "false"}

    @property
    def keys(self) -> int:
        """How many keys make that state."""
        return self.state_mb * 1_000_000 // BALLAST_BYTES

    @property
    def service_us(self) -> int:
        """Wait per event."""
        return round(self.load * self.subtasks[0] / self.rate * 1e6)

    @property
    def query(self) -> str:
        """The Nexmark job's, which is also the uid of what is rescaled."""
        return "count" if self.zipf_percent is None else "synthetic"

    @property
    def of_query(self) -> dict[str, int]:
        """Options of the query, and of its reference."""
        return {} if self.zipf_percent is None else {"zipf_percent": self.zipf_percent}

    def __str__(self) -> str:
        before, after = self.subtasks
        manner = "" if self.strategy == BASE.strategy else f", {self.strategy}"
        manner += "" if self.background else " without background"
        skew = "" if self.zipf_percent is None else f", Zipf {self.zipf_percent / 100:g}"
        return (
            f"{self.state_mb} MB, {self.key_groups} key groups, at most {self.bound} a subscale, {before} -> {after}, "
            f"{self.load:.0%} load{skew}{manner}"
        )


BASE = Point()
_STATES = (200, 800)
_KEY_GROUPS = (1_024, 4_096)
_BOUNDS = (32, 2, 1)
_SUBTASKS = ((2, 4), (8, 12), (25, 30))
_LOADS = (0.3, 0.9)
_SKEWS = (0, 100, 150)
LAZY = "lazy"
_LAZY_STATES = (40, 400)
"""Ten times as much the second time. No bid is for a key of it, so the working set is the same."""


def points() -> Iterator[tuple[str, Point]]:
    """Each dimension's name with its points, the base first and once for all of them."""
    yield "base", BASE
    yield from (("state", replace(BASE, state_mb=state)) for state in _STATES)
    # As many subscales as at the base: what grows is the number of key groups alone.
    yield from (
        ("key-groups", replace(BASE, key_groups=groups, bound=BASE.bound * groups // BASE.key_groups))
        for groups in _KEY_GROUPS
    )
    yield from (("subscales", replace(BASE, bound=bound)) for bound in _BOUNDS)
    yield "subscales", replace(BASE, key_groups=4_096, bound=2)
    # With the keys that Nexmark's bids have the subtask of the hot ones would have more than it can do from eight on.
    yield from (("subtasks", replace(BASE, subtasks=pair, zipf_percent=0)) for pair in _SUBTASKS)
    yield from (("load", replace(BASE, load=load)) for load in _LOADS)
    yield from (("skew", replace(BASE, zipf_percent=skew)) for skew in _SKEWS)
    for background in (True, False):
        lazy = replace(BASE, strategy="lazy", background=background)
        yield from ((LAZY, replace(lazy, state_mb=state)) for state in _LAZY_STATES)
