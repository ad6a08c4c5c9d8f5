"""Idle cost of the plug-in: ``python -m drrs_jobs.bench.overhead``.

A CPU-bound job runs on a stock cluster and on one with the plug-in, its operator elastic, by turns and never two at a
time. Each run has a fresh cluster, so that no two runs share what one JVM happened to compile. A pair is two runs one
after the other; which one is first changes from pair to pair. Writes ``overhead.json``; exit code 1 if the median
throughput with the plug-in is below the target or a run fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from pyctl.client import Client
from pyctl.errors import PyctlError
from pyctl.local_cluster import LocalCluster
from rich.console import Console
from rich.table import Table

from drrs_jobs.bench.process_time import CpuSamples
from drrs_jobs.bench.steady import steady
from drrs_jobs.checkout import find_job_jar
from drrs_jobs.demo import say
from drrs_jobs.job_run import JobEndedError, has_finished
from drrs_jobs.waiting import await_until

STOCK, PLUGIN = "stock", "plugin"
TARGET = 0.98
_RUN_TIMEOUT_S = 600.0
_GC = ("Status.JVM.GarbageCollector.All.Count", "Status.JVM.GarbageCollector.All.Time")


@dataclass(frozen=True, slots=True)
class Load:
    """The job of one run."""

    query: str = "count"
    events: int = 12_000_000
    parallelism: int = 2
    ceiling: int = 8

    def arguments(self, output: Path) -> list[str]:
        """Return the job's arguments; the sink is chained, so that records cross the network once."""
        options = {
            "query": self.query,
            "events": self.events,
            "paced": "false",
            "output": output,
            "source-parallelism": self.parallelism,
            "parallelism": self.parallelism,
            "sink-parallelism": self.parallelism,
        }
        return [text for name, value in options.items() for text in (f"--{name}", str(value))]


@dataclass(frozen=True, slots=True)
class Run:
    """One run. Rate and CPU time of the TaskManagers are those of its steady part, records and collections of all."""

    variant: str
    records: int
    per_second: float
    cpu_us_per_record: float
    gc_count: int
    gc_ms: int


def run_once(variant: str, load: Load, jar: Path, folder: Path) -> Run:
    """Run the job once on a fresh cluster below ``folder``, which is kept if it fails: its logs tell why."""
    shutil.rmtree(folder, ignore_errors=True)
    output = folder / "output"
    output.mkdir(parents=True)
    elastic = {"drrs.enabled": "true", "drrs.operators": load.query, "drrs.ceiling": str(load.ceiling)}
    dynamic = [f"-D{name}={value}" for name, value in elastic.items()] if variant == PLUGIN else []
    with LocalCluster(folder / "cluster", task_managers=load.parallelism, slots=1, stock=variant == STOCK) as cluster:
        cpu = CpuSamples([one.pid for one in cluster.task_managers])
        cpu.sample()
        job = cluster.submit(*dynamic, str(jar), *load.arguments(output))
        client = Client(cluster.rest_address, timeout_s=30)
        await_until(lambda: _finished(client, job, cpu), f"the end of job {job}", _RUN_TIMEOUT_S, 0.25)
        gc_count, gc_ms = _gc(client)
    measured = steady(output)
    shutil.rmtree(folder)
    cpu_us = cpu.between(measured.begin, measured.end) * 1e6
    return Run(variant, measured.total, measured.per_second, cpu_us / measured.records, gc_count, gc_ms)


def _finished(client: Client, job: str, cpu: CpuSamples) -> bool:
    cpu.sample()
    return has_finished(client, job)


def _gc(client: Client) -> tuple[int, int]:
    """Return collections and their milliseconds, all TaskManagers together, as of their last heartbeats."""
    count = time = 0
    for task_manager in client.task_managers():
        metrics = client.get(f"/taskmanagers/{task_manager}/metrics?get={','.join(_GC)}")
        values = {metric["id"]: int(float(metric["value"])) for metric in metrics}
        count, time = count + values.get(_GC[0], 0), time + values.get(_GC[1], 0)
    return count, time


def run_pairs(pairs: int, run: Callable[[str], Run], tell: Callable[[str], None]) -> list[tuple[Run, Run]]:
    """Return the pairs (stock, plug-in)."""
    done = []
    for number in range(pairs):
        order = (STOCK, PLUGIN) if number % 2 == 0 else (PLUGIN, STOCK)
        runs = {}
        for variant in order:
            runs[variant] = run(variant)
            one = runs[variant]
            tell(
                f"pair {number + 1} of {pairs}, {variant}: {one.per_second:,.0f} records/s, "
                f"{one.cpu_us_per_record:.2f} us CPU a record"
            )
        done.append((runs[STOCK], runs[PLUGIN]))
    return done


def summarize(pairs: Sequence[tuple[Run, Run]], load: Load) -> dict[str, Any]:
    """Return the document: ratios of each pair, plug-in to stock; above 1 the plug-in is faster, or needs more CPU."""
    throughput = [plugin.per_second / stock.per_second for stock, plugin in pairs]
    cpu = [plugin.cpu_us_per_record / stock.cpu_us_per_record for stock, plugin in pairs]
    return {
        "load": asdict(load),
        "target": TARGET,
        "met": statistics.median(throughput) >= TARGET,
        "throughput_ratio": _spread(throughput),
        "cpu_ratio": _spread(cpu),
        "pairs": [
            {"throughput_ratio": ratio, STOCK: asdict(stock), PLUGIN: asdict(plugin)}
            for ratio, (stock, plugin) in zip(throughput, pairs, strict=True)
        ],
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def print_table(document: dict[str, Any]) -> None:
    """Print pairs and spread."""
    table = Table(title="plug-in without a rescale beside stock Flink")
    for heading in ("pair", "stock rec/s", "plug-in rec/s", "ratio", "stock us CPU/rec", "plug-in", "GCs"):
        table.add_column(heading, justify="right")
    for number, pair in enumerate(document["pairs"], 1):
        stock, plugin = pair[STOCK], pair[PLUGIN]
        table.add_row(
            str(number),
            f"{stock['per_second']:,.0f}",
            f"{plugin['per_second']:,.0f}",
            f"{pair['throughput_ratio']:.3f}",
            f"{stock['cpu_us_per_record']:.2f}",
            f"{plugin['cpu_us_per_record']:.2f}",
            f"{stock['gc_count']} / {plugin['gc_count']}",
        )
    Console(width=100).print(table)
    for name, what in (("throughput_ratio", "throughput"), ("cpu_ratio", "CPU per record")):
        spread = document[name]
        print(f"{what}: median {spread['median']:.3f} of stock, {spread['min']:.3f} .. {spread['max']:.3f}")
    print(f"target: throughput at least {document['target']} of stock: {'met' if document['met'] else 'MISSED'}")


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.bench.overhead", description="Idle cost of the plug-in.")
    parser.add_argument("--build-dir", type=Path, default=Path("build/bench"), help="folder for all that is written")
    parser.add_argument("--jar", type=Path, help="the job jar; else the one built here")
    parser.add_argument("--pairs", type=int, default=5, help="default 5")
    for field in fields(Load):
        name = f"--{field.name.replace('_', '-')}"
        parser.add_argument(name, type=type(field.default), default=field.default, help=f"default {field.default}")
    given = vars(parser.parse_args(arguments))
    load = Load(**{field.name: given[field.name] for field in fields(Load)})
    build = given["build_dir"].resolve()
    build.mkdir(parents=True, exist_ok=True)
    try:
        jar = given["jar"] or find_job_jar()
        pairs = run_pairs(given["pairs"], lambda variant: run_once(variant, load, jar, build / "run"), say)
    except (PyctlError, JobEndedError, TimeoutError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    document = summarize(pairs, load)
    (build / "overhead.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print_table(document)
    return 0 if document["met"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
