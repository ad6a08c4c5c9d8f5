"""The comparison says ``exact`` only of an exact run, and names what differs otherwise."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from drrs_jobs.compare import compare_rows, compare_run
from drrs_jobs.generator import GeneratorConfig, events
from drrs_jobs.reference import QUERIES, Rows

EVENTS = list(events(GeneratorConfig(mode="mixed", seed=1, events=3_000)))


def write(output: Path, query: str, rows: Rows, parts: int = 3) -> Path:
    folder = output / "results"
    folder.mkdir(parents=True)
    lines = [json.dumps(dict(zip(QUERIES[query].fields, row, strict=True))) for row in rows.elements()]
    for part in range(parts):
        (folder / f"part-{part}-0.jsonl").write_text("".join(f"{line}\n" for line in lines[part::parts]))
    return output


@pytest.mark.parametrize("query", QUERIES)
def test_a_run_with_the_references_rows_is_exact(query: str, tmp_path: Path) -> None:
    rows = updates_of_q17() if query == "q17" else QUERIES[query].reference(EVENTS)
    assert compare_run(query, EVENTS, write(tmp_path, query, rows)) == "exact"


def updates_of_q17() -> Rows:
    """All rows a job writes for q17: the table after each bid, which is the reference over each prefix per key."""
    rows: Rows = Counter()
    seen: dict[int, list[Any]] = {}
    for event in EVENTS:
        if hasattr(event, "auction"):
            prefix = seen.setdefault(event.auction, [])
            prefix.append(event)
            rows += QUERIES["q17"].reference(prefix)
    return rows


def test_a_lost_row_is_counted_and_shown() -> None:
    query = QUERIES["q5"]
    rows = query.reference(EVENTS)
    victim = min(rows, key=str)
    verdict = compare_rows(query, rows, rows - Counter({victim: 1}))
    assert verdict == f"q5: lost 1 ({victim}) of {rows.total()} rows"


def test_a_doubled_row_is_counted_and_shown() -> None:
    query = QUERIES["q11"]
    rows = query.reference(EVENTS)
    twice = min(rows, key=str)
    assert compare_rows(query, rows, rows + Counter({twice: 1})) == f"q11: doubled 1 ({twice}) of {rows.total()} rows"


def test_a_wrong_value_is_lost_and_not_in_the_reference() -> None:
    query = QUERIES["q11"]
    verdict = compare_rows(query, Counter({(1, 2, 3, 4): 1}), Counter({(1, 3, 3, 4): 1}))
    assert verdict == "q11: lost 1 ((1, 2, 3, 4)); not in the reference 1 ((1, 3, 3, 4)) of 1 rows"


def test_a_gap_in_a_keys_counter_is_named() -> None:
    query = QUERIES["count"]
    verdict = compare_rows(query, Counter(), Counter({(7, 1): 1, (7, 3): 2}))
    assert verdict == "count: counters not 1, 2, 3 ..: lost 1, doubled 1, first: key 7 lacks 2"


def test_a_lost_tail_of_a_key_is_a_difference_though_its_counter_is_continuous() -> None:
    query = QUERIES["count"]
    verdict = compare_rows(query, Counter({(7, 1): 1, (7, 2): 1}), Counter({(7, 1): 1}))
    assert verdict == "count: lost 1 ((7, 2)) of 2 rows"


def test_a_broken_line_is_refused_with_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "part-0-0.jsonl").write_text('{"auction":1,"n":1}\n{"auction":')
    with pytest.raises(ValueError, match=r"part-0-0\.jsonl line 2"):
        compare_run("count", [], tmp_path)


def test_an_unknown_query_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="count, q5"):
        compare_run("q99", [], Path("."))
