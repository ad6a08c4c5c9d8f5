"""Compare what a run has written with the reference: ``exact``, or one sentence that says what differs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from drrs_jobs.generator import Event
from drrs_jobs.reference import QUERIES, Query, Row, Rows

EXACT = "exact"
_SHOWN = 3


def compare_run(query_name: str, events: Iterable[Event], output: Path) -> str:
    """Compare the folder ``output/results`` of a run with the reference of ``query_name`` over ``events``.

    Raises ``ValueError`` for an unknown query or a record without the query's fields, ``FileNotFoundError`` if the
    run has no results folder.
    """
    query = query_of(query_name)
    return compare_rows(query, query.reference(events), read_results(query, output))


def query_of(name: str) -> Query:
    """Return the query of that name; raises ``ValueError`` that lists the names there are."""
    if name not in QUERIES:
        raise ValueError(f"unknown query {name!r}; there are {', '.join(QUERIES)}")
    return QUERIES[name]


def read_results(query: Query, output: Path) -> Rows:
    """Read the result records of a run below ``output`` into a multiset of rows."""
    folder = output / "results"
    if not folder.is_dir():
        raise FileNotFoundError(f"no results folder in {output}")
    rows: Rows = Counter()
    for record in _records(folder):
        try:
            rows[tuple(record[field] for field in query.fields)] += 1
        except KeyError as missing:
            raise ValueError(f"a record of {query.name} has no field {missing}: {record}") from None
    return rows


def compare_rows(query: Query, expected: Rows, actual: Rows) -> str:
    """Compare two multisets of rows; ``expected`` is the reference's."""
    if query.counter is not None:
        broken = _counter_faults(query, actual)
        if broken:
            return broken
    if query.final_only:
        actual = _final_rows(query, actual)
    if expected == actual:
        return EXACT
    lost = expected - actual
    surplus = actual - expected
    doubled = Counter({row: n for row, n in surplus.items() if row in expected})
    wrong = surplus - doubled
    parts = [
        f"{label} {rows.total()} ({_sample(rows)})"
        for label, rows in (("lost", lost), ("doubled", doubled), ("not in the reference", wrong))
        if rows
    ]
    return f"{query.name}: {'; '.join(parts)} of {expected.total()} rows"


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("part-*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as fault:
                    raise ValueError(f"{path.name} line {number} is not a JSON record: {fault}") from None


def _counter_faults(query: Query, rows: Rows) -> str | None:
    """Check that the counter of each key takes each of 1, 2, 3 .. once."""
    assert query.counter is not None
    at = query.fields.index(query.counter)
    key_at = [query.fields.index(field) for field in query.key]
    seen: defaultdict[Row, Counter[int]] = defaultdict(Counter)
    for row, times in rows.items():
        seen[tuple(row[i] for i in key_at)][int(row[at])] += times
    gaps, repeats, first = 0, 0, ""
    for key, numbers in sorted(seen.items()):
        missing = set(range(1, max(numbers) + 1)) - numbers.keys()
        twice = sorted(n for n, times in numbers.items() if times > 1)
        gaps += len(missing)
        repeats += sum(numbers[n] - 1 for n in twice)
        if (missing or twice) and not first:
            what = f"lacks {min(missing)}" if missing else f"has {twice[0]} more than once"
            first = f"key {'/'.join(map(str, key))} {what}"
    if not gaps and not repeats:
        return None
    return f"{query.name}: counters not 1, 2, 3 ..: lost {gaps}, doubled {repeats}, first: {first}"


def _final_rows(query: Query, rows: Rows) -> Rows:
    assert query.counter is not None
    at = query.fields.index(query.counter)
    key_at = [query.fields.index(field) for field in query.key]
    final: dict[Row, Row] = {}
    for row in rows:
        key = tuple(row[i] for i in key_at)
        if key not in final or int(row[at]) > int(final[key][at]):
            final[key] = row
    return Counter(final.values())


def _sample(rows: Rows) -> str:
    shown = ", ".join(str(row) for row in sorted(rows, key=str)[:_SHOWN])
    return f"{shown}, .." if len(rows) > _SHOWN else shown
