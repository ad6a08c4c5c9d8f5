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
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from shapes.drawing import HEADS, refused, shapes
from shapes.pool import AT_A_TIME, Clusters, Outcome, clusters
from shapes.run import as_json
from shapes.shape import Shape

CHUNK = 24


def drawn(strategy: st.SearchStrategy[Shape], count: int, number: int) -> list[Shape]:
    """So many shapes, always the same ones for a number."""
    found: list[Shape] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(shape: Shape) -> None:
        found.append(shape)

    collect()
    return found[:count]


def endless(number: int, heads: Sequence[str]) -> Iterator[list[Shape]]:
    """Chunk after chunk."""
    while True:
        yield drawn(shapes(heads), CHUNK - CHUNK // 8, number) + drawn(refused(), CHUNK // 8, number)
        number += 1_000_003


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="a shape as JSON, or a file with one")
    parser.add_argument("--times", type=int, default=1, help="how often, of the only one")
    parser.add_argument("--heads", default=",".join(HEADS), help="heads to draw from")
    parser.add_argument("--at-a-time", type=int, default=AT_A_TIME)
    given_arguments = parser.parse_args(arguments)
    folder = given_arguments.build_dir.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    until = time.monotonic() + given_arguments.seconds
    counts: Counter[str] = Counter()
    with clusters(folder) as both:
        if given_arguments.only:
            text = given_arguments.only
            shape = Shape.model_validate_json(text if text.lstrip().startswith("{") else Path(text).read_text())
            chunks = iter([[shape] * given_arguments.times])
        else:
            chunks = endless(given_arguments.seed, given_arguments.heads.split(","))
        for chunk in chunks:
            for outcome in both.outcomes(chunk, given_arguments.at_a_time):
                told(both, outcome, counts)
            if time.monotonic() > until:
                break
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
