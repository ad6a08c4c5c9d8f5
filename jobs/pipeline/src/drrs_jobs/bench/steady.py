"""Throughput of a run from the wall clock its sink wrote beside each output record."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

_OUTPUT_TIME = b'"o":'


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
    parts = [lines for path in sorted((output / "latency").glob("part-*.jsonl")) if (lines := _lines(path))]
    if not parts:
        raise ValueError(f"no records in {output}")
    first, last = min(_time(lines[0]) for lines in parts), max(_time(lines[-1]) for lines in parts)
    begin, end = first + int((last - first) * after), first + int((last - first) * until)
    if end <= begin:
        raise ValueError(f"the run in {output} lasted {last - first} ms only")
    records = sum(bisect_left(lines, end, key=_time) - bisect_left(lines, begin, key=_time) for lines in parts)
    return Steady(records, begin, end, sum(map(len, parts)))


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def _time(line: bytes) -> int:
    at = line.index(_OUTPUT_TIME) + len(_OUTPUT_TIME)
    return int(line[at : line.index(b",", at)])
