"""How fast state moves: ``python -m drrs_jobs.bench.transfer``.

A job with state and a light load is rescaled out and in, live, with nothing that has state yield to records
(``drrs.migration.lost-service``). The first rescales warm up the JVMs, the later ones are measured. Before key groups
move in each of them, filler measures the raw throughput of one peer exchange (``drrs.exchange.probe-mebibytes``).
Writes ``transfer.json``; exit code 1 if state moved at less than the target share of that, by the median, or if a
rescale failed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

from pyctl.client import Client
from pyctl.errors import PyctlError
from pyctl.execution import Execution
from pyctl.local_cluster import LocalCluster
from pyctl.model import Phase
from pyctl.planning import Manner
from pyctl.rescaling import rescale

from drrs_jobs.checkout import find_job_jar
from drrs_jobs.demo import say
from drrs_jobs.job_run import JobEndedError, await_running, has_finished
from drrs_jobs.machine import load_average
from drrs_jobs.tail import LatencyTail
from drrs_jobs.waiting import await_until

TARGET = 0.6
_OPERATOR, _OPERATOR_NAME = "count", "running count"
_PRELOAD_TIMEOUT_S = 300.0


@dataclass(frozen=True, slots=True)
class Load:
    """Job and rescales, of which the first half warms up.

    ``keys`` of ``ballast_bytes`` are the state, ``probe_mebibytes`` the filler.
    """

    before: int = 2
    after: int = 4
    keys: int = 80_000
    ballast_bytes: int = 4_096
    rate: int = 500
    probe_mebibytes: int = 128
    task_manager_mebibytes: int = 1_600
    rescales: int = 10

    def arguments(self, output: Path) -> list[str]:
        """Return the job's arguments."""
        options = {
            "query": _OPERATOR,
            "rate": self.rate,
            "output": output,
            "parallelism": self.before,
            "preload-keys": self.keys,
            "ballast-bytes": self.ballast_bytes,
        }
        return [text for name, value in options.items() for text in (f"--{name}", str(value))]


def run(
    load: Load, jar: Path, folder: Path, jvm_options: str = "", job_options: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Run on a fresh cluster below ``folder``, which is kept if it fails; return the rescales' status documents."""
    shutil.rmtree(folder, ignore_errors=True)
    output = folder / "output"
    output.mkdir(parents=True)
    options = {
        "taskmanager.memory.process.size": f"{load.task_manager_mebibytes}m",
        "env.java.opts.taskmanager": jvm_options,
    }
    elastic = {
        "drrs.enabled": "true",
        "drrs.operators": _OPERATOR,
        "drrs.ceiling": str(load.after),
        "drrs.exchange.probe-mebibytes": str(load.probe_mebibytes),
        "drrs.migration.lost-service": "1",
        **(job_options or {}),
    }
    with LocalCluster(folder / "cluster", task_managers=load.after, slots=1, options=options) as cluster:
        dynamic = [f"-D{name}={value}" for name, value in elastic.items()]
        job = cluster.submit(*dynamic, str(jar), *load.arguments(output))
        client = Client(cluster.rest_address, timeout_s=30)
        await_running(client, job, {_OPERATOR_NAME: load.before})
        say(f"job {job} runs; making {load.keys * load.ballast_bytes / 1e6:.0f} MB of state")
        tail = LatencyTail(output)

        def state_is_there() -> bool:
            has_finished(client, job)
            tail.poll()
            return tail.running_ms() >= 3_000

        await_until(state_is_there, "events after the state", _PRELOAD_TIMEOUT_S, 0.2)
        statuses = []
        for number in range(load.rescales):
            statuses.append(_rescale(client, job, load.before if number % 2 else load.after))
            has_finished(client, job)
    shutil.rmtree(folder)
    return statuses


def _rescale(client: Client, job: str, parallelism: int) -> dict[str, Any]:
    load = load_average()
    ended = rescale(Execution(client), job, [(_OPERATOR, parallelism)], Manner(cause="bench"))
    if ended.last.phase is not Phase.COMPLETED:
        raise RuntimeError(f"the rescale ended as {ended.last.phase}: {ended.last.reason}")
    status = dict(client.get(f"/jobs/{job}/drrs/rescales/{ended.last.request_id}"))
    one = figures(status)
    say(
        f"  to {parallelism}: {one['state_bytes_moved'] / 1e6:,.0f} MB in {one['migrating_ms']} ms, "
        f"{one['share']:.0%} of the raw throughput, busiest exchange {one['share_busy']:.0%}, load {load:.1f}"
    )
    return status


def figures(status: Mapping[str, Any]) -> dict[str, float]:
    """Return state bytes per second beside the raw throughput of one exchange, of one rescale.

    State goes over several exchanges at a time, the busiest of them is what ``busy_ms`` tells. ``share`` is by the
    time of the whole phase in which state moves, coordination counted; ``share_busy`` by the busiest exchange's time.
    """
    migrating = sum(int(phase["duration_ms"] or 0) for phase in status["phases"] if phase["phase"] == "MIGRATING")
    moved, exchange = int(status["bytes"]["moved"]), status["exchange"]
    raw = float(exchange["probe_bytes_per_second"])
    if moved == 0 or migrating == 0 or raw == 0:
        raise ValueError(f"the rescale measured nothing: {json.dumps(status)}")
    per_second = moved * 1000 / migrating
    busy = exchange["bytes"] * 1000 / exchange["busy_ms"] if exchange["busy_ms"] else 0.0
    return {
        "state_bytes_moved": moved,
        "migrating_ms": migrating,
        "state_bytes_per_second": per_second,
        "raw_bytes_per_second": raw,
        "share": per_second / raw,
        "share_busy": busy / raw,
    }


def summarize(statuses: Sequence[Mapping[str, Any]], load: Load) -> dict[str, Any]:
    """Return the document: the medians of the later half of the rescales, and each one's share."""
    all_of_them = [figures(status) for status in statuses]
    warm = all_of_them[len(all_of_them) // 2 :]
    middle = {name: median(one[name] for one in warm) for name in warm[0]}
    return {
        "load": asdict(load),
        "target": TARGET,
        "met": middle["share"] >= TARGET,
        **middle,
        "least_share": min(one["share"] for one in warm),
        "most_share": max(one["share"] for one in warm),
        "rescales": all_of_them,
        "statuses": [dict(status) for status in statuses],
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.bench.transfer", description="How fast state moves.")
    parser.add_argument("--build-dir", type=Path, default=Path("build/bench"), help="folder for all that is written")
    parser.add_argument("--jar", type=Path, help="the job jar; else the one built here")
    parser.add_argument("--jvm-options", default="", help="for the TaskManagers, for example of a profiler")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the job")
    for field in fields(Load):
        name = f"--{field.name.replace('_', '-')}"
        parser.add_argument(name, type=int, default=field.default, help=f"default {field.default}")
    given = vars(parser.parse_args(arguments))
    load = Load(**{field.name: given[field.name] for field in fields(Load)})
    build = given["build_dir"].resolve()
    build.mkdir(parents=True, exist_ok=True)
    try:
        jar = given["jar"] or find_job_jar()
        job_options = dict(option.split("=", 1) for option in given["set"])
        statuses = run(load, jar, build / "transfer-run", given["jvm_options"], job_options)
        document = summarize(statuses, load)
    except (PyctlError, JobEndedError, TimeoutError, FileNotFoundError, RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    (build / "transfer.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(
        f"state: {document['state_bytes_moved'] / 1e6:,.0f} MB in {document['migrating_ms']:.0f} ms, "
        f"{document['state_bytes_per_second'] / 1e6:,.0f} MB/s; raw throughput of an exchange "
        f"{document['raw_bytes_per_second'] / 1e6:,.0f} MB/s: {document['share']:.0%} "
        f"({document['least_share']:.0%} to {document['most_share']:.0%}; "
        f"busiest exchange alone {document['share_busy']:.0%})"
    )
    print(f"target: at least {TARGET:.0%}: {'met' if document['met'] else 'MISSED'}")
    return 0 if document["met"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
