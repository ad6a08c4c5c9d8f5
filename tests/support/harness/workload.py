"""The input of a test's job, and what the job must put out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from drrs_jobs.compare import query_of
from drrs_jobs.generator import Auction, Event, GeneratorConfig, events
from drrs_jobs.reference import Rows


@dataclass(frozen=True)
class Idle:
    """One split has no events between two times of the schedule (ms)."""

    split: int
    from_ms: int
    to_ms: int


@dataclass(frozen=True)
class Second:
    """A second source, whose event time is ahead; it ends after `events` (None: as many as the first, and it stays)."""

    lead_ms: int = 0
    events: int | None = None


@dataclass(frozen=True)
class Workload:
    """Nexmark events of mode `mixed`; `rate` per second over all `splits`, one split a source subtask."""

    events: int = 16_000
    rate: int = 2_000
    splits: int = 2
    seed: int = 42
    idle: Idle | None = None
    second: Second | None = None

    def arguments(self) -> list[str]:
        """The arguments of the job that ask for these events."""
        given: dict[str, int | str] = {
            "events": self.events,
            "rate": self.rate,
            "source-parallelism": self.splits,
            "seed": self.seed,
        }
        if self.idle:
            given |= {
                "idle-splits": self.idle.split, "idle-from-ms": self.idle.from_ms, "idle-to-ms": self.idle.to_ms
            }  # fmt: skip
        if self.second:
            given |= {
                "second-source": "true", "second-lead-ms": self.second.lead_ms,
                "second-events": self.second.events or 0,
            }  # fmt: skip
        return [text for name, value in given.items() for text in (f"--{name}", str(value))]

    def due_ms(self, number: int) -> float:
        """When an event is due, from the schedule's start."""
        return number * 1000 / self.rate

    def _exists(self, event: Event) -> bool:
        idle = self.idle
        if idle is None or event.number % self.splits != idle.split:
            return True
        return not idle.from_ms <= self.due_ms(event.number) < idle.to_ms


@lru_cache(maxsize=4)
def _events(workload: Workload) -> list[Event]:
    config = GeneratorConfig(mode="mixed", seed=workload.seed, rate=workload.rate, events=workload.events)
    found = [event for event in events(config) if workload._exists(event)]
    second = workload.second
    if second is not None:
        config = replace(config, seed=workload.seed + 1, events=second.events or workload.events)
        found += [_later(event, second.lead_ms) for event in events(config)]
    return found


def _later(event: Event, by_ms: int) -> Event:
    if isinstance(event, Auction):
        event = event._replace(expires=event.expires + by_ms)
    return event._replace(ts=event.ts + by_ms)


@lru_cache(maxsize=32)
def _expected(query: str, workload: Workload, options: tuple[tuple[str, Any], ...]) -> Rows:
    return query_of(query).reference(_events(workload), **dict(options))


def expected(query: str, workload: Workload, options: Mapping[str, Any]) -> Rows:
    """The rows that `query` must put out; `options` are those of its reference function."""
    return _expected(query, workload, tuple(sorted(options.items())))
