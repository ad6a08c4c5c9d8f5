"""Follow the latency records of a run while it is written, to see that it has started and is steady."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import NamedTuple

_KEEP_MS = 20_000
_STEADY_LIMIT_MS = 1_000
_STEADY_FACTOR = 3
_NOISE_MS = 20


class Sample(NamedTuple):
    """Latency of one record; ``out`` is epoch milliseconds."""

    out: int
    latency_ms: int


class LatencyTail:
    """Reads what is new in ``output/latency``; keeps the last 20 s. Not thread-safe.

    ``slide_ms``: of sliding windows, how far they are apart; 0 without. Of an event's several outputs the first one
    counts then, which comes up to that late by itself.
    """

    def __init__(self, output: Path, *, slide_ms: int = 0) -> None:
        self._folder = output / "latency"
        self._limit_ms = _STEADY_LIMIT_MS + slide_ms
        self._seen: set[tuple[str, int]] | None = set() if slide_ms else None
        self._offsets: dict[Path, int] = {}
        self._samples: deque[Sample] = deque()
        self.first_due: int | None = None
        """Due time of the first record, epoch milliseconds."""
        self.last_out = 0
        """Output time of the newest record, epoch milliseconds."""

    def poll(self) -> None:
        """Take in the lines that were completed since the last call."""
        fresh: list[Sample] = []
        for path in self._folder.glob("part-*.jsonl"):
            for line in self._new_lines(path):
                record = json.loads(line)
                due, out = int(record["s"]), int(record["o"])
                self.first_due = due if self.first_due is None else min(self.first_due, due)
                self.last_out = max(self.last_out, out)
                if self._seen is not None:
                    if (record["k"], due) in self._seen:
                        continue
                    self._seen.add((record["k"], due))
                fresh.append(Sample(out, out - due))
        self._samples.extend(sorted(fresh))
        while self._samples and self._samples[0].out < self.last_out - _KEEP_MS:
            self._samples.popleft()

    def running_ms(self) -> int:
        """Return how much of the schedule has come out, in milliseconds."""
        return 0 if self.first_due is None else self.last_out - self.first_due

    def p99(self, from_ms_ago: int, to_ms_ago: int = 0) -> int | None:
        """Return the 99th percentile of a period counted back from the newest output; None if it has no output."""
        begin, end = self.last_out - from_ms_ago, self.last_out - to_ms_ago
        period = sorted(sample.latency_ms for sample in self._samples if begin < sample.out <= end)
        return period[min(len(period) * 99 // 100, len(period) - 1)] if period else None

    def is_steady(self, after_ms: int, period_ms: int = 5_000) -> bool:
        """Whether the run is ``after_ms`` old and the p99 of its last two periods are low and of one size.

        A run begins with cold code, so its latency falls for some seconds: that is as little steady as one that grows.
        """
        if self.running_ms() < after_ms:
            return False
        now, before = self.p99(period_ms), self.p99(2 * period_ms, period_ms)
        if now is None or before is None:
            return False
        low, high = sorted((now, before))
        return high < self._limit_ms and high <= _STEADY_FACTOR * max(low, _NOISE_MS)

    def _new_lines(self, path: Path) -> list[bytes]:
        with path.open("rb") as stream:
            stream.seek(self._offsets.get(path, 0))
            content = stream.read()
        # The writer flushes when its buffer is full, so the last line may be half written.
        complete = content.rfind(b"\n") + 1
        self._offsets[path] = self._offsets.get(path, 0) + complete
        return content[:complete].splitlines()
