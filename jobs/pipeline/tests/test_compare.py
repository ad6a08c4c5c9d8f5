"""The comparison says ``exact`` only of an exact run, and names what differs otherwise."""

import json
from collections import Counter
from pathlib import Path

import pytest

from drrs_jobs.compare import compare_rows, compare_run, read_results
from drrs_jobs.generator import GeneratorConfig, events
from drrs_jobs.reference import QUERIES, Query, Row, Rows

EVENTS = list(events(GeneratorConfig(mode="mixed", seed=1, events=3_000)))


def write(output: Path, query: Query, rows: Rows, parts: int = 3) -> Path:
    folder = output / "results"
    folder.mkdir(parents=True)
    # What a fold leaves out may be anything.
    blank = dict.fromkeys(query.fields, 0)
    lines = [
        json.dumps({**blank, **query.where, **dict(zip(query.compared, row, strict=True))}) for row in rows.elements()
    ]
    lines += ['{"q":"something else","key":1,"n":1}'] * parts
    for part in range(parts):
        (folder / f"part-{part}-0.jsonl").write_text("".join(f"{line}\n" for line in lines[part::parts]))
    return output


def all_rows(query: Query) -> Rows:
    """All rows that a job may write; with a counter each key's numbers, the last with the values that count."""
    rows = query.reference(EVENTS)
    if query.counter is None:
        return rows
    at = query.fields.index(query.counter)
    return Counter((*row[:at], n, *row[at + 1 :]) for row in rows for n in range(1, int(row[at]) + 1))


@pytest.mark.parametrize("query", QUERIES.values(), ids=list(QUERIES))
def test_a_run_with_the_references_rows_is_exact(query: Query, tmp_path: Path) -> None:
    assert compare_run(query.name, EVENTS, write(tmp_path, query, all_rows(query))) == "exact"


def test_the_options_of_a_query_reach_its_reference(tmp_path: Path) -> None:
    query = QUERIES["q11"]
    write(tmp_path, query, query.reference(EVENTS, gap_ms=3))
    assert compare_run("q11", EVENTS, tmp_path, gap_ms=3) == "exact"
    assert compare_run("q11", EVENTS, tmp_path, gap_ms=4) != "exact"


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


COUNTED: Rows = Counter({(7, 3, 30): 1, (8, 1, 5): 1})
WRITTEN: Rows = Counter({(7, 1, 10): 1, (7, 2, 20): 1, (7, 3, 30): 1, (8, 1, 5): 1})


@pytest.mark.parametrize(
    ("lost", "surplus", "verdict"),
    [
        ([], [], "exact"),
        ([(7, 2, 20)], [], "count: lost 1 of 4 numbers (key 7 lacks 2)"),
        ([(7, 3, 30)], [], "count: lost 1 of 4 numbers (key 7 lacks 3)"),
        ([(8, 1, 5)], [], "count: lost 1 of 4 numbers (key 8 lacks 1)"),
        ([], [(7, 2, 20)], "count: doubled 1 of 4 numbers (key 7 has twice 2)"),
        ([], [(7, 4, 40)], "count: surplus 1 of 4 numbers (key 7 goes beyond its last number with 4)"),
        ([(7, 2, 20)], [(7, 1, 10)], "count: lost 1, doubled 1 of 4 numbers (key 7 lacks 2; 7 has twice 1)"),
        ([(7, 3, 30)], [(7, 3, 31)], "count: lost 1 ((7, 3, 30)); not in the reference 1 ((7, 3, 31)) of 2 rows"),
    ],
)
def test_a_counted_query_is_exact_only_with_each_number_once_and_the_last_value(
    lost: list[Row], surplus: list[Row], verdict: str
) -> None:
    rows = WRITTEN - Rows(lost) + Rows(surplus)
    assert compare_rows(QUERIES["count"], COUNTED, rows) == verdict


def test_a_value_on_the_way_may_depend_on_the_order_of_arrival() -> None:
    rows = WRITTEN - Rows([(7, 1, 10)]) + Rows([(7, 1, 11)])
    assert compare_rows(QUERIES["count"], COUNTED, rows) == "exact"


WINDOWS: Rows = Counter({(7, 2, 0, 10): 1, (7, 1, 10, 20): 1, (8, 5, 0, 10): 1})


@pytest.mark.parametrize(
    ("lost", "surplus", "verdict"),
    [
        ([], [], "exact"),
        ([(7, 2, 0, 10)], [(7, 2, 20, 30)], "exact"),
        ([(7, 1, 10, 20)], [], "q12: lost 1 ((7, 3)); not in the reference 1 ((7, 2)) of 2 rows"),
        ([], [(7, 1, 0, 10)], "q12: doubled 1 ((7, 0) in bidder, start_time)"),
        ([(7, 2, 0, 10)], [(7, 1, 0, 10), (7, 1, 0, 20)], "q12: doubled 1 ((7, 0) in bidder, start_time)"),
        ([(8, 5, 0, 10)], [], "q12: lost 1 ((8, 5)) of 2 rows"),
    ],
)
def test_windows_of_processing_time_are_exact_with_the_sum_of_a_key_and_each_window_once(
    lost: list[Row], surplus: list[Row], verdict: str
) -> None:
    expected: Rows = Counter({(7, 3): 1, (8, 5): 1})
    assert compare_rows(QUERIES["q12"], expected, WINDOWS - Rows(lost) + Rows(surplus)) == verdict


def test_a_broken_line_is_refused_with_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "part-0-0.jsonl").write_text('{"q":"count","key":1,"n":1,"sum":2}\n{"q":\n')
    with pytest.raises(ValueError, match=r"part-0-0\.jsonl line 2"):
        compare_run("count", [], tmp_path)


def test_an_unknown_query_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="count, event-timers"):
        compare_run("q99", [], Path("."))


def test_a_line_that_is_being_written_is_no_row_yet(tmp_path: Path) -> None:
    query = QUERIES["count"]
    rows = query.reference(EVENTS)
    output = write(tmp_path, query, rows, parts=1)
    part = output / "results/part-0-0.jsonl"
    whole = part.read_text()
    part.write_text(whole + whole.splitlines()[0][:20])
    assert read_results(query, output) == rows
