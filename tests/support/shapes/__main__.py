"""``make fuzz``: jobs of any shape, rescaled in any way, against stock Flink, for so many seconds.

A shape that goes wrong is printed as JSON, which ``--only`` takes (also as the name of a file). Exit code 1 if there
was one.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from shapes.drawing import HEADS, drawn
from shapes.pool import AT_A_TIME, Clusters, Outcome, clusters
from shapes.run import as_json
from shapes.shape import Shape


def endless(seed: int, heads: Sequence[str], first: int, until: float) -> Iterator[Shape]:
    """One after the other, until this moment of the monotonic clock."""
    for number in count(first):
        if time.monotonic() > until:
            return
        yield drawn(seed, number, heads)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first shape")
    parser.add_argument("--only", help="a shape as JSON, or a file with one")
    parser.add_argument("--times", type=int, default=1, help="how often, of the only one")
    parser.add_argument("--heads", default=",".join(HEADS), help="heads to draw from")
    parser.add_argument("--at-a-time", type=int, default=AT_A_TIME)
    given = parser.parse_args(arguments)
    folder = given.build_dir.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    until = time.monotonic() + given.seconds
    counts: Counter[str] = Counter()
    with clusters(folder) as both:
        if given.only:
            text = given.only
            shape = Shape.model_validate_json(text if text.lstrip().startswith("{") else Path(text).read_text())
            wanted = iter([shape] * given.times)
        else:
            wanted = endless(given.seed, given.heads.split(","), given.first, until)
        for outcome in both.outcomes(wanted, given.at_a_time):
            told(both, outcome, counts)
    print(f"fuzz: {counts['shapes']} shapes, {counts['rescales']} rescales, {counts['wrong']} wrong")
    return 1 if counts["wrong"] else 0


def told(both: Clusters, outcome: Outcome, counts: Counter[str]) -> None:
    """A line a shape; more of one that went wrong."""
    counts["shapes"] += 1
    counts["rescales"] += outcome.output.rescales
    heads = "+".join(branch.head for branch in outcome.shape.branches)
    walk = " ".join(f"{step.kind}{list(step.to)}" for step in outcome.shape.walk) or outcome.shape.refusal
    print(f"{counts['shapes']:5} {'WRONG' if outcome.wrong else 'right'} {heads}: {walk}", flush=True)
    if outcome.wrong:
        counts["wrong"] += 1
        for sentence in outcome.wrong:
            print(f"      {sentence}")
        for note in outcome.output.notes:
            print(f"      note: {note}")
        print(f"      again: make fuzz ONLY='{as_json(outcome.shape)}'")
        print(f"      logs: {both.elastic.logs}, jobs {', '.join(outcome.output.jobs)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
