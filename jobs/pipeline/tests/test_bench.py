"""The arithmetic of the benchmarks, without a cluster."""

import json
from pathlib import Path
from typing import Any

import pytest

from drrs_jobs.bench.overhead import PLUGIN, STOCK, Load, Run, run_pairs, summarize
from drrs_jobs.bench.process_time import CpuSamples, cpu_seconds, session_cpu_seconds
from drrs_jobs.bench.steady import steady
from drrs_jobs.bench.transfer import Load as TransferLoad
from drrs_jobs.bench.transfer import summarize as summarize_transfer


def write_latency(output: Path, parts: dict[str, range]) -> None:
    (output / "latency").mkdir()
    for name, times in parts.items():
        lines = [json.dumps({"k": "1", "s": 0, "o": time, "n": 1}, separators=(",", ":")) for time in times]
        (output / "latency" / f"part-{name}.jsonl").write_text("".join(line + "\n" for line in lines))


def test_the_steady_part_leaves_out_start_and_end_over_all_parts(tmp_path: Path) -> None:
    write_latency(tmp_path, {"0": range(1_000, 2_000), "1": range(1_500, 2_001)})
    measured = steady(tmp_path, after=0.5, until=0.9)
    assert (measured.begin, measured.end, measured.records, measured.total) == (1_500, 1_900, 800, 1_501)
    assert measured.per_second == 2_000


def test_a_part_without_records_does_not_count(tmp_path: Path) -> None:
    write_latency(tmp_path, {"0": range(0, 1_000), "1": range(0)})
    assert steady(tmp_path).total == 1_000


def test_a_run_too_short_to_measure_is_refused(tmp_path: Path) -> None:
    write_latency(tmp_path, {"0": range(5, 6)})
    with pytest.raises(ValueError, match="lasted 0 ms"):
        steady(tmp_path)
    with pytest.raises(ValueError, match="no records"):
        steady(tmp_path / "latency")


def test_cpu_time_counts_user_and_system_of_a_process_with_any_name(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text("7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 300 100 0 0 20\n")
    ticks = cpu_seconds([7], tmp_path)
    assert ticks > 0
    assert cpu_seconds([7, 7], tmp_path) == 2 * ticks


def test_cpu_time_of_a_session_is_that_of_its_processes(tmp_path: Path) -> None:
    for pid, session in ((7, 4), (8, 4), (9, 5)):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a) b) S 1 2 {session} 4 5 6 7 8 9 10 300 100 0 0 20\n")
    (tmp_path / "10").mkdir()
    assert session_cpu_seconds(4, tmp_path) == 2 * cpu_seconds([7], tmp_path)
    assert session_cpu_seconds(6, tmp_path) == 0


def test_cpu_time_of_a_period_is_interpolated() -> None:
    samples = CpuSamples([])
    for at, seconds in ((0.0, 1.0), (1_000.0, 2.0), (2_000.0, 4.0)):
        samples.add(at, seconds)
    assert samples.between(500, 1_500) == pytest.approx(1.5)
    with pytest.raises(ValueError, match="not within"):
        samples.between(500, 2_500)


def run_of(variant: str, per_second: float, cpu: float = 1.0) -> Run:
    return Run(variant, 1, per_second, cpu, 0, 0)


def test_pairs_change_their_order_and_hold_stock_first() -> None:
    order: list[str] = []

    def run(variant: str) -> Run:
        order.append(variant)
        return run_of(variant, 1.0)

    pairs = run_pairs(3, run, lambda text: None)
    assert order == [STOCK, PLUGIN, PLUGIN, STOCK, STOCK, PLUGIN]
    assert [(stock.variant, plugin.variant) for stock, plugin in pairs] == [(STOCK, PLUGIN)] * 3


@pytest.mark.parametrize(("plugin", "met"), [((95.0, 98.0, 120.0), True), ((95.0, 97.9, 120.0), False)])
def test_the_median_pair_decides(plugin: tuple[float, ...], met: bool) -> None:
    document = summarize([(run_of(STOCK, 100.0), run_of(PLUGIN, rate)) for rate in plugin], Load())
    assert document["met"] is met
    assert document["throughput_ratio"]["min"] == 0.95
    assert document["cpu_ratio"] == {"min": 1.0, "median": 1.0, "max": 1.0}


def status(moved: int, busy_ms: int = 100) -> dict[str, Any]:
    return {
        "bytes": {"moved": moved},
        "exchange": {"bytes": moved, "busy_ms": busy_ms, "probe_bytes_per_second": 1e6},
        "phases": [{"phase": "PROVISIONING", "duration_ms": 900}, {"phase": "MIGRATING", "duration_ms": 200}],
    }


def test_state_is_measured_over_the_phase_in_which_it_moves_by_the_later_half_of_the_rescales() -> None:
    document = summarize_transfer([status(1_000), status(120_000), status(140_000), status(100_000)], TransferLoad())
    assert document["state_bytes_per_second"] == 600_000
    assert document["share"] == pytest.approx(0.6)
    assert document["share_busy"] == pytest.approx(1.2)
    assert (document["least_share"], document["most_share"]) == (pytest.approx(0.5), pytest.approx(0.7))
    assert document["met"]
    assert not summarize_transfer([status(200_000), status(100_000)], TransferLoad())["met"]


def test_a_rescale_that_moved_nothing_is_no_measurement() -> None:
    with pytest.raises(ValueError, match="measured nothing"):
        summarize_transfer([status(0)], TransferLoad())
