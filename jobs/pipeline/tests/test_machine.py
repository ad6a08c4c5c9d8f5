"""How busy the machine was, and with whose work."""

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from drrs_jobs.machine import CpuMeter, describe_machine, java_version

TICKS = os.sysconf("SC_CLK_TCK")


def test_the_meter_counts_neither_idle_nor_waiting_time(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 0 50 1000 10 0 0 0 0 0\n")
    meter = CpuMeter(stat=stat)
    stat.write_text("cpu  130 0 60 1050 20 0 0 0 0 0\n")
    assert meter.use().busy == 0.4


def test_where_the_run_is_not_known_nothing_is_said_of_others(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 0 50 1000 10 0 0 0 0 0\n")
    found = CpuMeter(None, stat).use()
    assert (found.others, found.own) == (None, None)


def _burn(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.parametrize("ours", [False, True])
def test_what_other_programs_took_is_told_from_what_the_run_took(tmp_path: Path, ours: bool) -> None:
    """The machine's times are made up; those of the processes are real."""
    stat = tmp_path / "stat"
    stat.write_text("cpu  0 0 0 0 0 0 0 0 0 0\n")
    began, ended, over = multiprocessing.Event(), multiprocessing.Event(), multiprocessing.Event()

    def work() -> None:
        began.wait()
        _burn(0.5)
        ended.set()
        over.wait()

    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    assert child.pid is not None
    meter = CpuMeter([child.pid] if ours else [], stat=stat)
    began.set()
    ended.wait()
    half, idle = TICKS // 2, 10 * TICKS
    stat.write_text(f"cpu  {half} 0 0 {idle - half} 0 0 0 0 0 0\n")
    found = meter.use()
    over.set()
    child.join()
    assert found.busy == pytest.approx(0.05)
    assert found.others == pytest.approx(0.0 if ours else 0.05, abs=0.02)


def test_the_machine_and_its_java_are_described() -> None:
    assert "cores" in describe_machine()
    assert "GB" in describe_machine()
    assert java_version().startswith("17")
