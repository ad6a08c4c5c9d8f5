"""Samples what the processes of a run use while it runs, as metric records beside its other records (Linux)."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from drrs_jobs.bench.process_time import cpu_seconds
from drrs_jobs.machine import MachineTime
from drrs_jobs.records.metrics import METRICS

CPU = "cpu"
"""Share 0..1 of the machine's processors that were busy; of a process: how many processors it kept busy."""

RESIDENT = "resident"
"""Resident memory of a process, bytes."""

MACHINE = "machine"
_EVERY_S = 1.0
_PAGE = os.sysconf("SC_PAGE_SIZE")


@contextmanager
def sampled(output: Path, processes: Mapping[str, int]) -> Iterator[None]:
    """Sample the machine and the processes (pid by name) each second into ``output/metrics`` meanwhile.

    In a thread of its own, which touches nothing else; what it fails of is raised in the end. A process that has
    ended has no more records.
    """
    folder = output / METRICS.folder
    folder.mkdir(parents=True)
    over = threading.Event()
    failures: list[Exception] = []

    def work() -> None:
        try:
            with (folder / "part-0.jsonl").open("w", encoding="utf-8") as out:
                _sample(out, processes, over)
        except Exception as failure:  # handed to whoever waits for this thread
            failures.append(failure)

    thread = threading.Thread(target=work, name="sampler")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    if failures:
        raise failures[0]


def _sample(out: TextIO, processes: Mapping[str, int], over: threading.Event) -> None:
    machine, used = MachineTime.read(), {name: _used(pid) for name, pid in processes.items()}
    at = time.monotonic()
    last = False
    while not last:
        last = over.wait(_EVERY_S)
        now, elapsed = MachineTime.read(), time.monotonic() - at
        at += elapsed
        stamp = time.time_ns() // 1_000_000
        _write(out, stamp, CPU, MACHINE, now.busy_since(machine))
        machine = now
        for name, pid in processes.items():
            before, found = used[name], _used(pid)
            used[name] = found
            if before is not None and found is not None:
                _write(out, stamp, CPU, name, (found[0] - before[0]) / elapsed)
                _write(out, stamp, RESIDENT, name, found[1])


def _used(pid: int) -> tuple[float, float] | None:
    """Return CPU seconds and resident bytes of a process; None if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        return cpu_seconds([pid]), float(pages * _PAGE)
    except (FileNotFoundError, ProcessLookupError):
        return None


def _write(out: TextIO, at: int, name: str, of: str, value: float) -> None:
    out.write(json.dumps({"t": at, "name": name, "of": of, "v": round(value, 4)}) + "\n")
