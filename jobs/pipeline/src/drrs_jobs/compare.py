"""Compare what a run has written with the reference: ``exact``, or one sentence that says what differs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from drrs_jobs.generator import Event
from drrs_jobs.reference import QUERIES, Query, Row, Rows

EXACT = "exact"
_SHOWN = 3


def compare_run(query_name: str, events: Iterable[Event], output: Path, **options: Any) -> str:
    """Compare the folder ``output/results`` of a run with the reference of ``query_name`` over ``events``.

    ``options`` are those of the query's reference function. Raises ``ValueError`` for an unknown query or a record
    without the query's fields, ``FileNotFoundError`` if the run has no results folder.
    """
    query = query_of(query_name)
    return compare_rows(query, query.reference(events, **options), read_results(query, output))


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
    for part in sorted(folder.glob("part-*.jsonl")):
        rows += read_part(query, part)
    return rows


def read_part(query: Query, part: Path) -> Rows:
    """Read what one attempt of a sink subtask has written."""
    rows: Rows = Counter()
    for record in _records(part):
        if any(record.get(name) != value for name, value in query.where.items()):
            continue
        try:
            rows[tuple(record[field] for field in query.fields)] += 1
        except KeyError as missing:
            raise ValueError(f"a record of {query.name} has no field {missing}: {record}") from None
    return rows


def compare_rows(query: Query, expected: Rows, actual: Rows) -> str:
    """Compare two multisets of rows: the reference's and all that a run has written."""
    if query.folds:
        twice = Counter({key: n - 1 for key, n in _times(query, actual).items() if n > 1})
        if twice:
            return f"{query.name}: doubled {twice.total()} ({_sample(twice)} in {', '.join(query.once)})"
        actual = folded(query, actual)
    if query.counter is not None:
        broken = _counter_faults(query, expected, actual)
        if broken:
            return broken
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


def folded(query: Query, rows: Rows) -> Rows:
    """Return what all rows of a key have together."""
    values: defaultdict[Row, list[list[int]]] = defaultdict(lambda: [[] for _ in query.folds])
    for row in rows.elements():
        for found, value in zip(values[query.of(row, query.key)], query.of(row, tuple(query.folds)), strict=True):
            found.append(int(value))
    folds = [sum if fold == "sum" else max for fold in query.folds.values()]
    return Counter((*key, *(fold(all_) for fold, all_ in zip(folds, of, strict=True))) for key, of in values.items())


def _times(query: Query, rows: Rows) -> Rows:
    """Return how often the fields occur that may occur together but once."""
    times: Rows = Counter()
    for row, n in rows.items():
        times[query.of(row, query.once)] += n
    return times


def _records(part: Path) -> Iterator[dict[str, Any]]:
    """Records of whole lines: what is still being written is none yet, and is lost if its writer is gone."""
    with part.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as fault:
                raise ValueError(f"{part.name} line {number} is not a JSON record: {fault}") from None


def _counter_faults(query: Query, expected: Rows, actual: Rows) -> str | None:
    """Check that the counter of each key takes each of 1, 2, 3 .. up to the reference's last number once."""
    last = {key: max(numbers) for key, numbers in _numbers(query, expected).items()}
    seen = _numbers(query, actual)
    lost, doubled, surplus, faults = 0, 0, 0, []
    for key in sorted(last.keys() | seen.keys(), key=str):
        end, numbers = last.get(key, 0), seen[key]
        missing = sorted(set(range(1, end + 1)) - numbers.keys())
        twice = sorted(n for n, times in numbers.items() if times > 1)
        beyond = sorted(n for n in numbers if not 1 <= n <= end)
        lost += len(missing)
        doubled += sum(numbers[n] - 1 for n in twice)
        surplus += len(beyond)
        whats = (("lacks", missing), ("has twice", twice), ("goes beyond its last number with", beyond))
        faults += [f"{'/'.join(map(str, key))} {what} {ns[0]}" for what, ns in whats if ns]
    if not faults:
        return None
    shown = "; ".join(faults[:_SHOWN]) + ("; .." if len(faults) > _SHOWN else "")
    counts = ", ".join(f"{what} {n}" for what, n in (("lost", lost), ("doubled", doubled), ("surplus", surplus)) if n)
    return f"{query.name}: {counts} of {sum(last.values())} numbers (key {shown})"


def _numbers(query: Query, rows: Rows) -> defaultdict[Row, Counter[int]]:
    """Return how often each number of the counter occurs per key."""
    assert query.counter is not None
    at = query.fields.index(query.counter)
    numbers: defaultdict[Row, Counter[int]] = defaultdict(Counter)
    for row, times in rows.items():
        numbers[_key_of(query, row)][int(row[at])] += times
    return numbers


def _final_rows(query: Query, rows: Rows) -> Rows:
    """Return each key's row with the highest number."""
    assert query.counter is not None
    at = query.fields.index(query.counter)
    final: dict[Row, Row] = {}
    for row in rows:
        key = _key_of(query, row)
        if key not in final or int(row[at]) > int(final[key][at]):
            final[key] = row
    return Counter(final.values())


def _key_of(query: Query, row: Row) -> Row:
    return query.of(row, query.key)


def _sample(rows: Rows) -> str:
    shown = ", ".join(str(row) for row in sorted(rows, key=str)[:_SHOWN])
    return f"{shown}, .." if len(rows) > _SHOWN else shown
