"""What a rescale costs as jobs grow: ``python -m drrs_jobs.bench.scaling`` (``make bench-scaling``).

Varies state, key groups, subscales, subtasks, load, skew of the keys, and with the strategy `lazy` the state that no
record needs, one at a time; each point is a job of its own
that is rescaled five times, the first time on JVMs that have done none, but for what they rehearsed. Outputs are
checked. Writes ``scaling.json`` (all figures) and ``scaling.md``. A machine that had other things to do is marked: its
times say nothing. Times are milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from statistics import median

from pyctl.errors import PyctlError

from drrs_jobs.bench.scaling_points import LAZY, Point, points
from drrs_jobs.bench.scaling_run import Cost, run
from drrs_jobs.checkout import find_job_jar
from drrs_jobs.demo import say
from drrs_jobs.job_run import JobEndedError
from drrs_jobs.machine import describe_machine, java_version
from drrs_jobs.session import spark_session

Found = list[tuple[str, Point, list[Cost]]]
_HEAD = (
    "varied", "job", "rescale", "subscales", "key groups", "MB moved", "messages", "ms", "ms a subscale", "CPU s",
    "peak MB", "steady p99", "p99 meanwhile", "ratio", "longest gap", "steady again", "mail p99", "longest mail",
    "longest GC", "load",
)  # fmt: skip


def rows(found: Found) -> list[tuple[str, ...]]:
    """Two rows a point: its first rescale, and the medians of those that go the same way later."""
    shown = []
    for dimension, point, costs in found:
        cold, *warm = [cost for cost in costs if cost.to_parallelism == point.subtasks[1]]
        for words, some in (("first", [cold]), ("later", warm)):
            if some:
                shown.append((dimension, str(point), words, *_figures(some)))
    return shown


def _figures(some: Sequence[Cost]) -> tuple[str, ...]:
    subscales = max(median(cost.subscales for cost in some), 1)
    duration = median(cost.duration_ms for cost in some)
    steady, window = (median(getattr(c, name) for c in some) for name in ("steady_p99_ms", "window_p99_ms"))
    load = max(cost.load_average for cost in some)
    return (
        f"{subscales:.0f}",
        f"{median(cost.key_groups for cost in some):.0f}",
        f"{median(cost.bytes for cost in some) / 1e6:.0f}",
        f"{median(cost.messages for cost in some):.0f}",
        f"{duration:.0f}",
        f"{duration / subscales:.1f}",
        f"{median(cost.cpu_s for cost in some):.1f}",
        f"{max(cost.memory_bytes for cost in some) / 1e6:.0f}",
        f"{steady:.0f}",
        f"{window:.0f}",
        f"{window / max(steady, 1):.1f}",
        f"{max(cost.longest_gap_ms for cost in some)}",
        _steady_again(some),
        f"{max(cost.mail_p99_ms for cost in some):.1f}",
        f"{max(cost.mail_longest_ms for cost in some):.0f}",
        f"{max(cost.gc_longest_ms for cost in some)}",
        f"{load:.1f}{' (busy)' if load > (os.cpu_count() or 1) else ''}",
    )


def _steady_again(some: Sequence[Cost]) -> str:
    middle = _re_stable_ms(some)
    return "never" if middle == inf else f"{middle:.0f}"


def _re_stable_ms(some: Sequence[Cost]) -> float:
    """The median, of an even number the longer one; one that never came is the longest."""
    return sorted(inf if cost.re_stable_ms is None else cost.re_stable_ms for cost in some)[len(some) // 2]


def lazy_sentences(found: Found) -> list[str]:
    """How much longer it takes with the strategy lazy until latency is steady again if there is more state."""
    sentences = []
    for background in (True, False):
        again = []
        for dimension, point, costs in found:
            out = [cost for cost in costs if cost.to_parallelism == point.subtasks[1]]
            if dimension == LAZY and point.background is background:
                again.append((point.state_mb, _re_stable_ms(out[1:] or out)))
        if len(again) == 2 and all(time < inf for _, time in again):
            (less, sooner), (more, later) = sorted(again)
            with_more = f"lazy {'with' if background else 'without'} background: with {more} MB latency is steady again"
            sentences.append(
                f"{with_more} after {later / sooner:.2f} x the time it takes with {less} MB and the same working set."
                if sooner
                else f"{with_more} after {later:.0f} ms; with {less} MB and the same working set it stays so."
            )
    return sentences


def markdown(found: Found) -> str:
    """The table, with what machine it was."""
    lines = [_HEAD, tuple("---" for _ in _HEAD), *rows(found)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    told = "".join(f"\n{sentence}\n" for sentence in lazy_sentences(found))
    return f"# What a rescale costs as jobs grow\n\n{describe_machine()}, Java {java_version()}.\n\n{table}\n{told}"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark from the command line; exit code 1 if a rescale failed or an output was wrong."""
    dimensions = sorted({dimension for dimension, _ in points()})
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.bench.scaling", description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=Path("build/bench"), help="folder for all that is written")
    parser.add_argument("--only", nargs="*", choices=dimensions, default=dimensions, help="what to vary; default all")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the jobs")
    parser.add_argument("--jar", type=Path, help="the job jar; else the one built here")
    given = parser.parse_args(arguments)
    build = given.build_dir.resolve()
    build.mkdir(parents=True, exist_ok=True)
    jar = given.jar or find_job_jar()
    options = dict(option.split("=", 1) for option in given.set)
    spark = spark_session("scaling", small_data=True)
    found: Found = []
    try:
        for dimension, point in points():
            if dimension in given.only:
                say(f"{dimension}: {point}")
                found.append((dimension, point, run(point, jar, build / "scaling-run", spark, say, options)))
                _write(build, found)
    except (PyctlError, JobEndedError, TimeoutError, FileNotFoundError, RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    print(markdown(found), end="")
    return 0


def _write(build: Path, found: Found) -> None:
    document = [
        {"varied": dimension, "point": asdict(point), "rescales": [asdict(cost) for cost in costs]}
        for dimension, point, costs in found
    ]
    (build / "scaling.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    (build / "scaling.md").write_text(markdown(found), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
