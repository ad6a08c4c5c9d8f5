"""How fast latency records become figures, and in how much memory: ``python -m drrs_jobs.bench.aggregate``.

Writes records of a made-up run, measures them and prints one JSON line: records per second and core, records per
second of processor time (which does not depend on what else runs), and the highest resident memory of the JVM that did
it. With twice the records it takes twice the time and the same memory.
"""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from drrs_jobs.bench.peak_memory import PeakMemory
from drrs_jobs.bench.process_time import cpu_seconds
from drrs_jobs.figures import Rescale, Windows
from drrs_jobs.machine import load_average
from drrs_jobs.measure import measure_run
from drrs_jobs.session import spark_session

_START = 1_700_000_000_000
_BATCH = 500_000
_STALL_MS = 2_000


@dataclass(frozen=True, slots=True)
class Load:
    """``records`` latency records of ``keys`` keys, ``rate`` per second; in the middle all wait for two seconds."""

    records: int = 5_000_000
    keys: int = 50_000
    rate: int = 20_000

    @property
    def rescale(self) -> Rescale:
        """The rescale that the run waits for."""
        requested = _START + self.records * 500 // self.rate
        return Rescale("made up", requested, requested + _STALL_MS)


def write_run(load: Load, output: Path) -> None:
    """Write the records, half a million a file."""
    folder = output / "latency"
    folder.mkdir(parents=True)
    random = np.random.default_rng(1)
    rescale = load.rescale
    for part, first in enumerate(range(0, load.records, _BATCH)):
        numbers = np.arange(first, min(first + _BATCH, load.records))
        due = _START + numbers * 1_000 // load.rate
        out = due + random.gamma(2.0, 3.0, len(numbers)).astype(np.int64)
        waits = (due >= rescale.requested_at) & (due < rescale.requested_at + _STALL_MS)
        out[waits] = np.maximum(out[waits], rescale.requested_at + _STALL_MS)
        # Half of the records are of few keys, as half of Nexmark's bids go to one auction at a time.
        keys = np.where(random.random(len(numbers)) < 0.5, numbers // load.rate % 10, numbers % load.keys)
        rows = zip(keys.tolist(), due.tolist(), out.tolist(), strict=True)
        text = "".join(f'{{"k":"{key}","s":{s},"o":{o},"n":0}}\n' for key, s, o in rows)
        (folder / f"part-{part}.jsonl").write_text(text, encoding="utf-8")


def run(spark: SparkSession, load: Load, folder: Path) -> dict[str, Any]:
    """Write and measure a run below ``folder``; return the figures of the measuring itself."""
    shutil.rmtree(folder, ignore_errors=True)
    write_run(load, folder)
    jvm = [_jvm(spark)]
    before, memory, cpu = load_average(), PeakMemory(jvm), cpu_seconds(jvm)
    measured = measure_run(spark, folder, [load.rescale], Windows(steady_ms=10_000, hold_ms=10_000))
    shutil.rmtree(folder)
    return {
        "records": measured.records,
        "seconds": measured.seconds,
        "per_second_and_core": round(measured.per_core),
        "per_cpu_second": round(measured.records / (cpu_seconds(jvm) - cpu)),
        "peak_ms": measured.figures[0].peak_ms,
        "jvm_peak_mebibytes": memory.bytes() >> 20,
        "load_average": [round(before, 1), round(load_average(), 1)],
    }


def _jvm(spark: SparkSession) -> int:
    """Return the process id of Spark's JVM."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    return int(jvm.java.lang.ProcessHandle.current().pid())


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m drrs_jobs.bench.aggregate", description="Speed of aggregation.")
    parser.add_argument("--build-dir", type=Path, default=Path("build/bench"), help="folder for the made-up run")
    parser.add_argument("--records", type=int, default=Load().records, help="number of latency records")
    given = parser.parse_args(arguments)
    spark = spark_session("aggregate")
    try:
        print(json.dumps(run(spark, Load(given.records), given.build_dir / "aggregate")))
    finally:
        spark.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
