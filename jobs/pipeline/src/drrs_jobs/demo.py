"""The driver of ``make demo``: ``python -m drrs_jobs.demo --build-dir build/demo``.

A keyed job with its state runs on a real cluster; an operator is rescaled live while it runs; the same run again with
stop-with-savepoint and restart; both outputs are compared with the reference, both runs are measured by the same
limits. With ``--pairs n`` all of that n times in turn: only then are ratios given. Writes ``summary.json``,
``report.html`` and ``report.md`` into the build folder. Exit code 1 if an output is not exact or a run fails.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from pyctl.errors import PyctlError
from pyspark.sql import SparkSession

from drrs_jobs.compare import EXACT, compare_run
from drrs_jobs.demo_run import OPERATOR, Demo, RawRun, Settings
from drrs_jobs.demo_table import print_summary
from drrs_jobs.figures import Windows
from drrs_jobs.generator import Event
from drrs_jobs.job_run import JobEndedError
from drrs_jobs.machine import describe_machine, java_version
from drrs_jobs.measure import limit_of, measure_run
from drrs_jobs.pairs import Pair, middle_pair, summary
from drrs_jobs.records.results import read_results
from drrs_jobs.reference import QUERIES
from drrs_jobs.replay import Replay, check_replay, write_replay
from drrs_jobs.report.contents import contents
from drrs_jobs.report.html import to_html
from drrs_jobs.report.markdown import to_markdown
from drrs_jobs.runs import Run
from drrs_jobs.session import spark_session

JOB_JAR = Path("jobs/nexmark/target/drrs-nexmark.jar")
# The steady period is the one in which the run was found to be steady.
_WINDOWS = Windows(steady_ms=10_000, hold_ms=30_000)
_STARTED = time.monotonic()
_TITLES = {"plugin": "live rescale", "restart": "stop and restart"}


def say(text: str) -> None:
    """Print a line with the time since the start."""
    print(f"[{time.monotonic() - _STARTED:5.0f} s] {text}", flush=True)


def run_demo(build: Path, jar: Path, settings: Settings, pairs: int) -> int:
    """Run the whole demo; returns the exit code."""
    replay = Replay(events=settings.rate * settings.seconds, rate=settings.rate, preload_keys=settings.keys)
    prepare(build / "replay", replay)
    demo = Demo(settings, jar, build / "replay", say)
    raw: list[dict[str, RawRun]] = []
    for number in range(1, pairs + 1):
        # Each pair in a folder of its own, in turn: what the machine does meanwhile concerns both alike.
        folder = build if pairs == 1 else build / f"pair-{number}"
        of = "" if pairs == 1 else f"pair {number} of {pairs}, "
        say(f"{of}run 1 of 2: live rescale")
        live = demo.live(folder / "plugin")
        say(f"{of}run 2 of 2: stop with savepoint and restart")
        raw.append({"plugin": live, "restart": demo.restart(folder / "restart")})
    say("comparing with the reference and measuring")
    found = evaluate(raw, list(replay.all_events()))
    set_up = describe_set_up(settings, raw[0]["plugin"])
    document = summary(found, replay.events, set_up)
    (build / "summary.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    write_report(build, middle_pair(found).runs, replay.events, set_up, found, how_again(settings, pairs))
    print_summary(found, set_up, document["oracle"])
    say(f"wrote summary.json, report.html and report.md in {build}")
    return 0 if document["oracle"] == EXACT else 1


def run_restart_only(build: Path, jar: Path, settings: Settings, *, stock: bool) -> int:
    """Run and measure the restart alone; returns the exit code."""
    replay = Replay(events=settings.rate * settings.seconds, rate=settings.rate, preload_keys=settings.keys)
    prepare(build / "replay", replay)
    raw = Demo(settings, jar, build / "replay", say).restart(build / "restart", stock=stock)
    spark = spark_session("demo", small_data=True)
    try:
        run = measured(spark, "restart", raw, list(replay.all_events()), None)
    finally:
        spark.stop()
    options = ["--restart-only", *(["--stock"] if stock else [])]
    write_report(build, [run], replay.events, describe_set_up(settings, raw), (), how_again(settings, 1, options))
    print(json.dumps({"oracle": run.oracle, "duration_ms": run.duration_ms, **_plain(run.figures)}))
    return 0 if run.oracle == EXACT else 1


def prepare(folder: Path, replay: Replay) -> None:
    """Write the replay data set and check it."""
    spark = spark_session("demo", small_data=True)
    try:
        say(f"writing the replay data set: {replay.events} events, {replay.rate} per second")
        check_replay(spark, write_replay(spark, replay, folder).resolve())
    finally:
        # No Spark in memory while latency is measured.
        spark.stop()


def evaluate(raw_pairs: Sequence[Mapping[str, RawRun]], events: Sequence[Event]) -> list[Pair]:
    """Compare the runs with the reference and measure them, both of a pair by one limit."""
    pairs = []
    spark = spark_session("demo", small_data=True)
    try:
        for raw in raw_pairs:
            limit = limit_of(spark, [(run.output, run.rescale) for run in raw.values()], _WINDOWS)
            runs = {name: measured(spark, name, run, events, limit) for name, run in raw.items()}
            pairs.append(Pair(**runs))
    finally:
        spark.stop()
    return pairs


def measured(spark: SparkSession, name: str, raw: RawRun, events: Sequence[Event], limit_ms: float | None) -> Run:
    """Compare a run with the reference and measure it."""
    rows = read_results(spark, raw.output, QUERIES[OPERATOR]).count()
    return Run(
        name=name,
        title=_TITLES[name],
        oracle=compare_run(OPERATOR, events, raw.output),
        measurement=measure_run(spark, raw.output, [raw.rescale], _WINDOWS, limit_ms),
        marks=raw.marks,
        state_bytes=raw.state_bytes,
        cpu=raw.cpu,
        load=raw.load,
        busy_before=raw.busy_before,
        busy_after=raw.busy_after,
        notes=(*raw.notes, f"{rows:,} result records, all of the form of their query"),
        checkpoints=raw.checkpoints,
        status=raw.status,
        facts=rescale_facts(raw.status),
        ownership=raw.ownership,
    )


def describe_set_up(settings: Settings, raw: RawRun) -> dict[str, str]:
    """Return what was measured and on what, in words."""
    plugin = f", plug-in {raw.plugin}" if raw.plugin else ""
    return {
        "rescale": f"operator {OPERATOR}, {settings.before} -> {settings.after} subtasks, "
        f"on {settings.after} TaskManagers of one slot",
        "load": f"{settings.rate:,} events per second for {settings.seconds} s; each record of the operator waits "
        f"{settings.service_us / 1000:g} ms without using a processor",
        "state": f"{settings.keys:,} keys with {settings.ballast_bytes:,} bytes each, {raw.state_bytes / 1e6:,.0f} MB "
        f"in a checkpoint; hashmap backend, a checkpoint each {settings.checkpoint_ms / 1000:g} s",
        "machine": describe_machine(),
        "versions": f"Flink {raw.flink_version}{plugin}, Java {java_version()}, Python {platform.python_version()}",
    }


def write_report(
    build: Path,
    runs: Sequence[Run],
    events: int,
    set_up: Mapping[str, str],
    pairs: Sequence[Pair],
    again: Sequence[str],
) -> None:
    """Write ``report.html``, the same as ``report.md``, and the status document of a live rescale beside them."""
    document = contents(runs, events, set_up, pairs, again)
    (build / "report.html").write_text(to_html(document), encoding="utf-8")
    (build / "report.md").write_text(to_markdown(document), encoding="utf-8")
    for run in runs:
        if run.status is not None:
            (build / "status.json").write_text(json.dumps(dict(run.status), indent=2) + "\n", encoding="utf-8")


def how_again(settings: Settings, pairs: int, options: Sequence[str] = ()) -> list[str]:
    """Return the command that runs the same once more, in the root of a checkout."""
    changed = [
        f"--{field.name.replace('_', '-')}={getattr(settings, field.name)}"
        for field in fields(Settings)
        if getattr(settings, field.name) != field.default
    ]
    if not changed and not options:
        return [f"make demo PAIRS={pairs}"]
    words = [".venv/bin/python -m drrs_jobs.demo --build-dir build/demo", f"--pairs={pairs}", *options, *changed]
    return ["make setup jars", " ".join(words)]


def rescale_facts(status: Mapping[str, Any] | None) -> dict[str, str]:
    """Return what the status document of a rescale tells besides its phases."""
    if status is None:
        return {}
    exchange = status["exchange"]
    facts = {
        "state moved": f"{status['bytes']['moved'] / 1e6:,.1f} MB in {status['key_groups']['moved']} key groups",
        "records re-routed / set aside": f"{status['records']['rerouted']:,} / {status['records']['set_aside']:,}",
        "suspension per subtask": ", ".join(f"{n}: {ms} ms" for n, ms in status["suspension_ms"].items()) or "none",
        "peer exchange": f"{exchange['bytes'] / 1e6:,.1f} MB, busy for {exchange['busy_ms']} ms",
    }
    if exchange["busy_ms"]:
        rate = exchange["bytes"] / 1e3 / exchange["busy_ms"]
        facts["peer exchange"] += f", {rate:,.0f} MB/s"
        raw = (exchange.get("probe_bytes_per_second") or 0) / 1e6
        if raw:
            facts["raw throughput of the exchange"] = f"{raw:,.0f} MB/s, so state used {rate / raw:.0%} of it"
    return facts


def _plain(figures: Any) -> dict[str, Any]:
    return {field.name: getattr(figures, field.name) for field in fields(figures)}


def find_job_jar() -> Path:
    """Return the built job jar of the checkout around the working folder or around this file."""
    starts = (Path.cwd(), Path(__file__).resolve().parent)
    for folder in (folder for start in starts for folder in (start, *start.parents)):
        if (folder / JOB_JAR).is_file():
            return (folder / JOB_JAR).resolve()
    raise FileNotFoundError(f"{JOB_JAR} is not there: build it with Maven, or name it with --jar")


def main(arguments: list[str] | None = None) -> int:
    """Run the demo from the command line."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.demo", description="Live rescale beside a restart.")
    parser.add_argument("--build-dir", type=Path, default=Path("build/demo"), help="folder for all that is written")
    parser.add_argument("--jar", type=Path, help="the job jar; else the one built here")
    parser.add_argument("--pairs", type=int, default=1, help="how often both runs are repeated; ratios take 5")
    parser.add_argument("--restart-only", action="store_true", help="only the run with stop and restart")
    parser.add_argument("--stock", action="store_true", help="with --restart-only: on a cluster without the plug-in")
    for field in fields(Settings):
        name = f"--{field.name.replace('_', '-')}"
        parser.add_argument(name, type=int, default=field.default, help=f"default {field.default}")
    given = vars(parser.parse_args(arguments))
    if given["pairs"] < 1:
        parser.error("--pairs must be at least 1")
    settings = Settings(**{field.name: given[field.name] for field in fields(Settings)})
    build = given["build_dir"].resolve()
    build.mkdir(parents=True, exist_ok=True)
    try:
        jar = given["jar"] or find_job_jar()
        if given["restart_only"]:
            return run_restart_only(build, jar, settings, stock=given["stock"])
        return run_demo(build, jar, settings, given["pairs"])
    except (PyctlError, JobEndedError, TimeoutError, FileNotFoundError, RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
