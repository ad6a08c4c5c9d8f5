"""``make chaos``: faults in rescales on a real cluster.

Each run draws a fault, a phase, a victim, a rescale and a job from the seed and its number, so it can be had again
alone (``--only``). Prints a line a run, a table, and ends with ``chaos: n runs, 0 lost, 0 doubled, 0 leaked``; exit
code 1 if that is not so.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from chaos.case import SHORT, draw
from chaos.cluster import missing
from chaos.runs import all_runs
from chaos.table import last_line, table


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=Path("build/chaos"))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of the one run to carry out")
    parser.add_argument("--short", action="store_true", help="the fixed set instead of drawn runs")
    given = parser.parse_args(arguments)
    without = missing()
    left_out = frozenset(without)
    numbers = range(given.runs) if given.only is None else [given.only]
    if given.short:
        cases = [(number, case) for number, case in enumerate(SHORT) if case.fault not in left_out]
        cases = [one for one in cases if given.only in {None, one[0]}]
    else:
        cases = [(number, draw(given.seed, number, left_out)) for number in numbers]
    folder = given.build_dir.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    outcomes = list(all_runs(folder, cases, left_out))
    print(table(outcomes, without))
    print(last_line(outcomes))
    return 0 if all(outcome.good for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
