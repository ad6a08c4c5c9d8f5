"""The driver of ``make demo``: ``python -m drrs_jobs.demo --build-dir build/demo``.

The workload ``demo`` with a live rescale, then with stop-with-savepoint and restart; both outputs are compared with the
reference, both runs are measured by the same limits. With ``--pairs n`` all of that n times in turn: only then are
ratios given. Writes ``summary.json``, ``report.html`` and ``report.md`` into the build folder. Exit code 1 if an output
is not exact or a run fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

from pyctl.errors import PyctlError

from drrs_jobs.checkout import find_job_jar
from drrs_jobs.job_run import JobEndedError
from drrs_jobs.report.contents import Section
from drrs_jobs.runner import reporting
from drrs_jobs.runner.bench import Bench, Turn, WrongOutputError, run_bench
from drrs_jobs.runner.recorded import Recorded
from drrs_jobs.runner.strategies import RESTART, Strategy
from drrs_jobs.runner.summary import demo_summary
from drrs_jobs.runner.table import print_found
from drrs_jobs.workloads.loading import load

STRATEGIES = (Strategy("live rescale", "drrs"), Strategy("stop and restart", RESTART))
_STARTED = time.monotonic()
_FAILURES = (
    PyctlError, JobEndedError, TimeoutError, FileNotFoundError, RuntimeError, ValueError, WrongOutputError
)  # fmt: skip


def say(text: str) -> None:
    """Print a line with the time since the start."""
    print(f"[{time.monotonic() - _STARTED:5.0f} s] {text}", flush=True)


class _Lines:
    """Prints a line for all that happens."""

    def began(self, turn: Turn, of: int, left_s: float) -> None:
        say(f"run {turn.number} of {of}: {turn.strategy.label}; about {left_s / 60:.0f} min left")

    def said(self, text: str) -> None:
        say(text)

    def ended(self, turn: Turn, run: Recorded, left_s: float) -> None:
        del turn, left_s
        say(f"output against the reference: {run.oracle}")


def run_demo(build: Path, jar: Path, pairs: int) -> None:
    """Run the whole demo anew."""
    runs = build / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    run_bench(Bench((load("demo"),), STRATEGIES, pairs), runs, jar, _Lines())
    say("measuring")
    found = reporting.find(runs)
    (section,) = found.sections
    reporting.write(
        found, build, "Live rescale beside stop-and-restart", [f"make demo PAIRS={pairs}"],
        demo_summary(section, found.set_up),
    )  # fmt: skip
    write_status(build, section)
    print_found(found)
    say(f"wrote summary.json, report.html and report.md in {build}")


def write_status(build: Path, section: Section) -> None:
    """Write the status document of the first live rescale beside the report."""
    status = section.rounds[0].runs[0].status
    (build / "status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the demo from the command line."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.demo", description="Live rescale beside a restart.")
    parser.add_argument("--build-dir", type=Path, default=Path("build/demo"), help="folder for all that is written")
    parser.add_argument("--jar", type=Path, help="the job jar; else the one built here")
    parser.add_argument("--pairs", type=int, default=1, help="how often both runs are repeated; ratios take 5")
    given = parser.parse_args(arguments)
    if given.pairs < 1:
        parser.error("--pairs must be at least 1")
    build = given.build_dir.resolve()
    build.mkdir(parents=True, exist_ok=True)
    try:
        run_demo(build, given.jar or find_job_jar(), given.pairs)
    except _FAILURES as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
