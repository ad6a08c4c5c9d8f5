"""What the chaos runs are judged by, and how they are drawn: no cluster needed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from chaos.case import PHASES, SHORT, Case, Fault, Victim, draw
from chaos.run import Outcome
from chaos.table import last_line, table
from chaos.verdict import Verdict, judge
from drrs_jobs.compare import EXACT, query_of
from drrs_jobs.reference import Row
from harness.job import JobSpec
from harness.workload import Workload, expected
from pyctl.model import Phase

SPEC = JobSpec("count", 2, Workload(events=400))
QUERY = query_of("count")


def all_rows() -> list[Row]:
    """A row for each number of each key, as the job writes them; what the rows before the last hold does not matter."""
    rows = expected("count", SPEC.workload, {})
    return [(key, n, total if n == last else 0) for key, last, total in rows for n in range(1, int(last) + 1)]


def written(output: Path, *attempts: list[Row]) -> Verdict:
    folder = output / "results"
    folder.mkdir(parents=True)
    for number, rows in enumerate(attempts):
        records = [json.dumps({**dict(zip(QUERY.fields, row, strict=True)), **QUERY.where}) for row in rows]
        (folder / f"part-0-{number}.jsonl").write_text("".join(f"{record}\n" for record in records))
    return judge(SPEC, output)


def test_all_rows_once_are_exact(tmp_path: Path) -> None:
    assert written(tmp_path, all_rows()) == Verdict(0, 0, EXACT)


def test_rows_that_come_again_in_another_attempt_are_exact(tmp_path: Path) -> None:
    rows = all_rows()
    assert written(tmp_path, rows[:200], rows[100:]) == Verdict(0, 0, EXACT)


def test_a_row_twice_in_one_attempt_is_doubled(tmp_path: Path) -> None:
    rows = all_rows()
    assert written(tmp_path, [*rows, rows[7]]).doubled == 1


@pytest.mark.parametrize("at", [0, 7, -1])
def test_a_missing_row_is_lost(tmp_path: Path, at: int) -> None:
    rows = all_rows()
    del rows[at]
    assert written(tmp_path, rows).lost == 1


def test_a_number_beyond_the_last_of_its_key_is_doubled(tmp_path: Path) -> None:
    rows = all_rows()
    key, last, total = rows[-1]
    found = written(tmp_path, [*rows, (key, int(last) + 1, total)])
    assert (found.lost, found.doubled) == (0, 1)


def test_a_last_row_with_another_sum_is_not_exact(tmp_path: Path) -> None:
    rows = all_rows()
    key, last, total = rows[-1]
    found = written(tmp_path, [*rows[:-1], (key, last, int(total) + 1)])
    assert found.words != EXACT
    assert found.lost + found.doubled > 0


def test_the_same_seed_and_number_draw_the_same_run() -> None:
    assert [draw(3, number) for number in range(50)] == [draw(3, number) for number in range(50)]
    assert draw(3, 17) != draw(4, 17)


def test_many_runs_have_all_faults_phases_and_victims() -> None:
    cases = [draw(1, number) for number in range(200)]
    assert {case.fault for case in cases} == set(Fault)
    assert {case.phase for case in cases} == set(PHASES)
    assert {case.victim for case in cases} == set(Victim)


def test_faults_that_cannot_be_made_are_not_drawn_and_named() -> None:
    without = {Fault.SLOW_LINK: "not permitted"}
    cases = [draw(1, number, frozenset(without)) for number in range(100)]
    assert Fault.SLOW_LINK not in {case.fault for case in cases}
    assert "left out: slow link: not permitted" in table([], without)


def test_the_short_set_has_every_fault_and_phase() -> None:
    assert len(SHORT) == 9
    assert Counter(case.fault for case in SHORT).keys() == set(Fault)
    assert {case.phase for case in SHORT} == set(PHASES)


def test_last_line_counts_what_must_be_zero() -> None:
    case = Case(Fault.KILL, Phase.MIGRATING, Victim.OLD_OWNER)
    good = Outcome(case, Phase.MIGRATING, "FAILED", 2, Verdict(0, 0, EXACT), {}, 30.0)
    bad = Outcome(
        case, Phase.MIGRATING, "FAILED", 2, Verdict(3, 1, "lost 3"), {"slots": 2}, 30.0, "Traceback\nTimeoutError: x"
    )
    assert last_line([good]) == "chaos: 1 runs, 0 lost, 0 doubled, 0 leaked"
    assert last_line([good, bad]) == "chaos: 2 runs, 3 lost, 1 doubled, 2 leaked, 1 not ended"
    assert (good.good, bad.good) == (True, False)
