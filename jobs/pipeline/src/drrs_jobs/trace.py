"""The Twitch trace that DRRS was measured with (LiveRec), as a replay data set; the file is the user's.

A row is a visit, without a head: ``user_id,stream_id,streamer name,time_start,time_stop``, times in steps of ten
minutes. A visit becomes a bid on its streamer, whose number goes by the first appearance, at the price of the steps it
lasted: the query ``count`` then has, as the loyalty job, how often and how long each streamer was watched. Time is
compressed so that the wanted visits fill the run, and within a step they are spread evenly.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from drrs_jobs.generator import BASE_TIME_MS, Bid
from drrs_jobs.replay import FORMAT_VERSION, MANIFEST

_FIELDS = 5


class Visit(NamedTuple):
    """A row; times are steps of ten minutes."""

    start: int
    user: int
    streamer: str
    steps: int


class TraceError(ValueError):
    """All that is wrong with a file, a sentence for each kind of fault."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = tuple(sentences)


def read_visits(file: Path, most: int) -> list[Visit]:
    """Return the first ``most`` visits by their start. Raises ``TraceError`` with all faults of the whole file."""
    visits: list[Visit] = []
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    try:
        for number, row in enumerate(_rows(file), 1):
            found = _visit(row)
            if isinstance(found, Visit):
                visits.append(found)
                continue
            counts[found] += 1
            first.setdefault(found, number)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TraceError([f"the trace {file.name} cannot be read: {error}"]) from error
    sentences = [
        f"the trace {file.name} has {count} line{'s' if count > 1 else ''} {fault}, the first is line {first[fault]}"
        for fault, count in counts.items()
    ]
    if len(visits) < most:
        sentences.append(f"the trace {file.name} has {len(visits)} visits that are good, the workload needs {most}")
    if sentences:
        raise TraceError(sentences)
    visits.sort(key=lambda visit: visit.start)
    return visits[:most]


def _rows(file: Path) -> Iterator[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        yield from csv.reader(lines)


def _visit(row: Sequence[str]) -> Visit | str:
    """Return the visit of a row, or what is wrong with it."""
    if len(row) != _FIELDS:
        return f"that do not have {_FIELDS} fields"
    user, stream, streamer, start, stop = row
    if not all(field.isascii() and field.isdigit() for field in (user, stream, start, stop)):
        return "in which user, stream, start or stop is no whole number"
    if not streamer:
        return "without a streamer"
    if int(stop) < int(start):
        return "that end before they begin"
    return Visit(int(start), int(user), streamer, int(stop) - int(start))


def trace_events(file: Path, events: int, seconds: int) -> list[Bid]:
    """Return the events of a run of so long a time; their event time is when they are due."""
    visits = read_visits(file, events)
    of_step = Counter(visit.start for visit in visits)
    begin, end = visits[0].start, visits[-1].start + 1
    step_ms = seconds * 1_000 / (end - begin)
    numbers: dict[str, int] = {}
    found, within, step = [], 0, begin
    for number, visit in enumerate(visits):
        within = within + 1 if visit.start == step and number else 0
        step = visit.start
        due = int((visit.start - begin + within / of_step[visit.start]) * step_ms)
        streamer = numbers.setdefault(visit.streamer, len(numbers))
        found.append(Bid(number, BASE_TIME_MS + due, streamer, visit.user, visit.steps))
    return found


def write_trace(events: Sequence[Bid], parts: int, preload_keys: int, out: Path) -> Path:
    """Write the events as a replay data set (``docs/interfaces.md``); the manifest is written last."""
    out.mkdir(parents=True, exist_ok=True)
    for part in range(parts):
        with (out / f"part-{part:05d}.jsonl").open("w", encoding="utf-8") as lines:
            for bid in events[part::parts]:
                line = {
                    "e": bid.number, "t": bid.ts - BASE_TIME_MS, "ts": bid.ts, "y": "b", "auction": bid.auction,
                    "bidder": bid.bidder, "price": bid.price,
                }  # fmt: skip
                lines.write(json.dumps(line, separators=(",", ":")) + "\n")
    manifest = {"version": FORMAT_VERSION, "events": len(events), "parts": parts, "preload_keys": preload_keys}
    (out / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return out
