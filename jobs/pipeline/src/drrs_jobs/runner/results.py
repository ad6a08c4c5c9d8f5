"""What is committed of a bench: tables, figures and facts of a finished one, without its raw records.

``python -m drrs_jobs.runner.results BENCH NAME`` writes ``docs/results/NAME`` from a folder of ``pyctl bench`` that has
its report: ``report.md`` (text and tables), ``summary.json``, ``runs.csv`` (each figure of each run), ``bench.json``
(machine, workloads, strategies) and ``latency-1.svg`` and so on (latency over time, a rescale each).
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from drrs_jobs.compare import EXACT
from drrs_jobs.runner import recorded
from drrs_jobs.runner.bench import FILE, read_bench
from drrs_jobs.runner.reporting import MARKDOWN, PICTURE, SUMMARY

RUNS = "runs.csv"
_WHERE = Path("docs/results")
# Where a bench lay says nothing to others; a new one goes where the Makefile puts its own.
_FOLDER = re.compile(r"(?<=\s)\S*/(?=\S+-again(?:\s|$))")
_DRAWN = "*Drawn in "


def write_results(bench: Path, out: Path) -> list[Path]:
    """Write what is committed of ``bench`` into the folder ``out`` and return the files.

    Raises ``ValueError`` with all reasons why there is nothing to commit: runs that are missing or newer than the
    report, outputs that are not exact, no report at all.
    """
    found, document = read_bench(bench)
    files = [bench / MARKDOWN, bench / SUMMARY]
    missing = [file.name for file in files if not file.exists()]
    if missing:
        raise ValueError(f"{bench} has no {' and no '.join(missing)}: run `pyctl bench report {bench}` first.")
    summary = json.loads(files[1].read_text(encoding="utf-8"))
    faults = list(_faults(summary))
    written = files[1].stat().st_mtime
    runs = [turn.folder(bench) / recorded.FILE for turn in found.turns()]
    lost = sum(not run.exists() for run in runs)
    if lost:
        faults.append(f"{lost} of {len(runs)} runs are still to come: `pyctl bench run` goes on with them")
    if any(run.exists() and run.stat().st_mtime > written for run in runs):
        faults.append(f"runs are newer than the report: run `pyctl bench report {bench}` again")
    if faults:
        raise ValueError(f"{bench} is not to be committed: {'; '.join(faults)}.")
    texts = {
        MARKDOWN: _text(files[0].read_text(encoding="utf-8"), found.given),
        SUMMARY: json.dumps(summary, indent=1) + "\n",
        RUNS: _table(summary),
        FILE: json.dumps(_placeless(document), indent=1) + "\n",
    }
    for number in range(1, len(summary["comparisons"]) + 1):
        texts[PICTURE.format(number)] = (bench / PICTURE.format(number)).read_text(encoding="utf-8")
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    return [out / name for name in texts]


def _faults(summary: Mapping[str, Any]) -> Iterator[str]:
    if summary.get("oracle") != EXACT:
        yield f"an output is not that of the reference ({summary.get('oracle')})"
    if "comparisons" not in summary:
        yield "it is the summary of `make demo`, and not of `pyctl bench report`"


def _text(report: str, given: Sequence[str]) -> str:
    """Return a report without its drawings, which stay in the HTML, and without the place where it was made."""
    for file in given:
        report = report.replace(f" {shlex.quote(file)} ", f" {shlex.quote(_placeless_file(file))} ")
    blocks = [block for block in report.split("\n\n") if not block.startswith(_DRAWN)]
    return _FOLDER.sub("build/", "\n\n".join(blocks).rstrip() + "\n")


def _placeless(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a bench with the names of traces and not their paths."""
    workloads = [
        {**one, "trace": Path(one["trace"]).name} if one.get("trace") else one for one in document["workloads"]
    ]
    given = [_placeless_file(one) for one in document.get("given", ())]
    return {**document, "workloads": workloads, "given": given}


def _placeless_file(given: str) -> str:
    """Return a workload's name or file as it was given, of a file anywhere on this machine its name only."""
    return Path(given).name if Path(given).is_absolute() else given


def _table(summary: Mapping[str, Any]) -> str:
    rows = [
        {"rescale": one["title"], "round": number, "strategy": name, "limit_ms": of["limit_ms"], **_flat(run)}
        for one in summary["comparisons"]
        for number, of in enumerate(one["rounds"], 1)
        for name, run in of["runs"].items()
    ]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _flat(run: Mapping[str, Any]) -> dict[str, Any]:
    before, after = run["load_average"]
    rest = {key: value for key, value in run.items() if key != "load_average"}
    return {**rest, "load_average_before": before, "load_average_after": after}


def main(arguments: list[str] | None = None) -> int:
    """Write them from the command line."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.runner.results", description="Results to be committed.")
    parser.add_argument("bench", type=Path, help="folder of a bench that is over and has its report")
    parser.add_argument("name", help="of the folder below --into: small letters, digits and hyphens")
    parser.add_argument("--into", type=Path, default=_WHERE)
    given = parser.parse_args(arguments)
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", given.name):
        parser.error(f"a name is of small letters, digits and hyphens, not {given.name!r}")
    try:
        files = write_results(given.bench, given.into / given.name)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("\n".join(f"{file}: {file.stat().st_size:,} bytes" for file in files))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
