"""Throughput of a run from the wall clock its sink wrote beside each output record."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

_OUTPUT_TIME = b'"o":'
_BLOCK = 16 << 20


@dataclass(frozen=True, slots=True)
class Steady:
    """Records that came out in ``[begin, end)``, epoch milliseconds; ``total`` counts those of the whole run."""

    records: int
    begin: int
    end: int
    total: int

    @property
    def per_second(self) -> float:
        """Records per second."""
        return self.records * 1000 / (self.end - self.begin)


def steady(output: Path, after: float = 0.3, until: float = 0.95) -> Steady:
    """Count the records between two shares of the time from the first to the last one.

    The start is left out since code is compiled then, the end since subtasks do not end together. Raises
    ``ValueError`` if the run is too short for that.
    """
    with ExitStack() as stack:
        paths = [path for path in sorted((output / "latency").glob("part-*.jsonl")) if path.stat().st_size]
        parts = [stack.enter_context(_open(path)) for path in paths]
        if not parts:
            raise ValueError(f"no records in {output}")
        first, last = min(part.first() for part in parts), max(part.last() for part in parts)
        begin, end = first + int((last - first) * after), first + int((last - first) * until)
        if end <= begin:
            raise ValueError(f"the run in {output} lasted {last - first} ms only")
        records = sum(part.count(part.start_of(begin), part.start_of(end)) for part in parts)
        return Steady(records, begin, end, sum(part.count(0, part.size) for part in parts))


class _Part:
    """A file of one sink subtask: its records in the order of their times; too long to hold its lines in memory."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self.size = len(content)

    def first(self) -> int:
        return self._time(0)

    def last(self) -> int:
        return self._time(self._content.rfind(b"\n", 0, self.size - 1) + 1)

    def start_of(self, time: int) -> int:
        """Return where the first line begins that is not before ``time``; the size if there is none."""
        low, high = 0, self.size  # positions of line starts; every line before low is too early, none from high on
        while low < high:
            middle = self._content.rfind(b"\n", 0, (low + high) // 2) + 1
            if self._time(middle) >= time:
                high = middle
            else:
                low = self._content.find(b"\n", middle) + 1
        return low

    def count(self, begin: int, end: int) -> int:
        """Return the number of lines that begin in ``[begin, end)``, both of them starts of lines."""
        return sum(self._content[at : min(at + _BLOCK, end)].count(b"\n") for at in range(begin, end, _BLOCK))

    def _time(self, line: int) -> int:
        at = self._content.find(_OUTPUT_TIME, line) + len(_OUTPUT_TIME)
        return int(self._content[at : self._content.find(b",", at)])


@contextmanager
def _open(path: Path) -> Iterator[_Part]:
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield _Part(content)
