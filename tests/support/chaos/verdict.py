"""Whether a job that was restored some times has put out what it should."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from drrs_jobs.compare import EXACT, compare_rows, query_of, read_part
from drrs_jobs.reference import Query, Row, Rows
from harness.job import JobSpec, without_repeated
from harness.workload import expected


@dataclass(frozen=True)
class Verdict:
    """Rows that are missing; rows that are there too often or should not be; and which, for people."""

    lost: int
    doubled: int
    words: str


def judge(spec: JobSpec, output: Path) -> Verdict:
    """Compare what the job has written with the reference.

    Its one sink subtask writes a file per attempt. After a restore rows come again, in another file; within one file
    none may come twice, and no number of a key.
    """
    query = query_of(spec.query)
    reference = expected(query.name, spec.workload, spec.reference)
    attempts = [read_part(query, part) for part in sorted((output / "results").glob("part-*.jsonl"))]
    all_rows: Rows = sum(attempts, Counter())
    kept = without_repeated(query, reference, all_rows)
    words = compare_rows(query, reference, kept)
    twice = sum(sum(_ids(query, rows).values()) - len(_ids(query, rows)) for rows in attempts)
    lost = _ids(query, _all_due(query, reference)).keys() - _ids(query, kept).keys()
    missing = set() if query.counter is None else reference.keys() - kept.keys()
    surplus = _surplus(query, reference, kept)
    if words == EXACT:
        words = f"{twice} twice in one attempt" if twice else EXACT
    found = Verdict(max(len(lost), len(missing)), twice + surplus, words)
    assert (found.lost + found.doubled == 0) == (words == EXACT), (found, "the two judgements differ")
    return found


def _ids(query: Query, rows: Rows) -> Counter[Row]:
    """What makes a row one of its kind: key and number, or all of it."""
    if query.counter is None:
        return rows
    at = [query.fields.index(name) for name in (*query.key, query.counter)]
    found: Counter[Row] = Counter()
    for row, times in rows.items():
        found[tuple(row[index] for index in at)] += times
    return found


def _all_due(query: Query, reference: Rows) -> Rows:
    """The reference holds each key's last row; the numbers before are due as well."""
    if query.counter is None:
        return reference
    at = query.fields.index(query.counter)
    return Counter((*row[:at], number, *row[at + 1 :]) for row in reference for number in range(1, int(row[at]) + 1))


def _surplus(query: Query, reference: Rows, kept: Rows) -> int:
    """Rows beyond a key's last number, of an unknown key, or that differ from the reference where there is but one."""
    if query.counter is None:
        return (kept - reference).total()
    due = _ids(query, _all_due(query, reference))
    last = _ids(query, reference).keys()
    beyond = sum(times for number, times in _ids(query, kept).items() if number not in due)
    at = [query.fields.index(name) for name in (*query.key, query.counter)]
    wrong = sum(1 for row in kept if tuple(row[i] for i in at) in last and row not in reference)
    return beyond + wrong
