"""The figures of made-up runs whose figures are known by construction."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

from drrs_jobs.aggregates.key_groups import key_groups
from drrs_jobs.aggregates.over_time import over_time
from drrs_jobs.aggregates.periods import Period
from drrs_jobs.figures import Measurement, Rescale, Windows
from drrs_jobs.measure import main, measure_round, measure_run, write_measurement
from drrs_jobs.records.latency import read_latency

T0 = 1_700_000_000_000
KEYS = 5


def write_run(output: Path, latency_of: Callable[[int], int], length_ms: int = 60_000, every_ms: int = 10) -> Path:
    """A run with a record due each ``every_ms``, over five keys; ``latency_of`` gets ms since the start."""
    folder = output / "latency"
    folder.mkdir(parents=True)
    lines = [
        json.dumps({"k": str(i % KEYS), "s": T0 + at, "o": T0 + at + latency_of(at), "n": i // KEYS + 1})
        for i, at in enumerate(range(0, length_ms, every_ms))
    ]
    for part in range(2):
        (folder / f"part-{part}.jsonl").write_text("".join(f"{line}\n" for line in lines[part::2]))
    return output


def key_group_of(key: int) -> int:
    return int(key_groups(np.array([key]), 128)[0])


def stall(begin: int, end: int, usual: int = 5) -> Callable[[int], int]:
    """All records that are due between begin and end come out at end."""
    return lambda at: max(usual, end - at) if begin <= at < end else usual


def measure(spark: SparkSession, output: Path, *rescales: Rescale, hold_ms: int = 10_000) -> Measurement:
    return measure_run(spark, output, rescales, Windows(steady_ms=10_000, hold_ms=hold_ms))


def test_a_stall_of_four_seconds_has_its_peak_average_and_duration(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, stall(20_500, 24_500))
    (figures,) = measure(spark, tmp_path, Rescale("r", T0 + 20_000, T0 + 24_000)).figures
    assert figures.steady_p99_ms == figures.steady_peak_ms == 5
    assert figures.peak_ms == 4_000
    assert figures.operation_ms == 4_000
    # The records come out at 24 500, in the bucket that ends at 24 600; from then on all is as before.
    assert figures.re_stable_ms == 4_600
    assert 1_700 < (figures.avg_ms or 0) < 2_000
    # Each key has a record each 50 ms, so it was due within 50 ms of the stall's begin.
    assert 3_950 <= (figures.longest_gap_ms or 0) <= 4_000
    assert figures.keys_with_gap_over_1s == KEYS
    assert figures.notes == ()


def test_a_run_without_disturbance_is_stable_at_once(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, lambda at: 5)
    (figures,) = measure(spark, tmp_path, Rescale("r", T0 + 20_000, T0 + 21_000)).figures
    assert (figures.re_stable_ms, figures.operation_ms) == (0, 1_000)
    assert (figures.peak_ms, figures.avg_ms, figures.longest_gap_ms) == (5, 5.0, 5)


def test_a_stall_longer_than_the_hold_is_not_taken_for_stable(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, stall(20_500, 35_000))
    (figures,) = measure(spark, tmp_path, Rescale("r", T0 + 20_000, T0 + 35_000), hold_ms=5_000).figures
    assert figures.re_stable_ms == 15_100


def test_a_late_outlier_counts_only_within_the_hold(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, lambda at: 100 if at in (21_000, 30_000) else 5)
    long_hold = measure(spark, tmp_path, Rescale("r", T0 + 20_000, T0 + 20_500), hold_ms=10_000).figures[0]
    short_hold = measure(spark, tmp_path, Rescale("r", T0 + 20_000, T0 + 20_500), hold_ms=5_000).figures[0]
    assert long_hold.re_stable_ms == 10_200
    assert short_hold.re_stable_ms == 1_200


def test_a_hold_cut_short_by_the_end_of_the_run_is_said(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, stall(20_500, 55_000))
    (figures,) = measure(spark, tmp_path, Rescale("r", T0 + 20_000, T0 + 55_000)).figures
    assert figures.re_stable_ms == 35_100
    assert figures.notes == ("re-stable held for 4895 ms to the end of the run, not 10000 ms",)


def test_a_run_that_never_recovers_has_no_re_stable_moment(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, lambda at: 5 if at < 20_000 else 500)
    (figures,) = measure(spark, tmp_path, Rescale("r", T0 + 20_000, None)).figures
    assert figures.re_stable_ms is None
    assert figures.operation_ms is None
    assert figures.peak_ms == 500
    assert figures.notes == ("not re-stable by the end of the run", "the operation did not end")


def test_runs_that_are_compared_have_one_limit(spark: SparkSession, tmp_path: Path) -> None:
    quiet = write_run(tmp_path / "a", lambda at: 40 if 21_000 <= at < 22_000 else 5)
    noisy = write_run(tmp_path / "b", lambda at: 40 if at % 5_000 == 0 or 21_000 <= at < 22_000 else 5)
    windows, rescale = Windows(steady_ms=10_000, hold_ms=10_000), Rescale("r", T0 + 20_000, T0 + 20_500)
    own = measure_run(spark, quiet, [rescale], windows).figures[0]
    same, other = (one.figures[0] for one in measure_round(spark, [(quiet, [rescale]), (noisy, [rescale])], windows))
    # By its own limit the quiet one is disturbed; by the one of both it is not.
    assert (own.re_stable_ms, own.limit_ms) == (2_100, 6.0)
    assert (same.re_stable_ms, same.limit_ms, same.steady_peak_ms) == (0, 48.0, 5)
    assert (other.limit_ms, other.steady_peak_ms) == (48.0, 40)


def test_two_rescales_of_a_run_are_measured_apart(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, lambda at: max(stall(15_000, 16_000)(at), stall(40_000, 42_000)(at)))
    run = measure(spark, tmp_path, Rescale("b", T0 + 40_000, None), Rescale("a", T0 + 15_000, T0 + 16_000))
    assert [(f.label, f.peak_ms) for f in run.figures] == [("a", 1_000), ("b", 2_000)]


def test_buckets_without_output_show_how_long_the_oldest_record_waits(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, stall(1_000, 2_000), length_ms=3_000)
    rows = {row["bucket"] - T0: row for row in over_time(read_latency(spark, tmp_path)).collect()}
    assert sorted(rows) == list(range(0, 3_000, 100))
    assert (rows[500]["records"], rows[500]["p50_ms"], rows[500]["max_ms"], rows[500]["worst_ms"]) == (10, 5, 5, 5)
    assert (rows[1_400]["records"], rows[1_400]["max_ms"]) == (0, None)
    assert rows[1_400]["waiting_ms"] == rows[1_400]["worst_ms"] == 500
    assert rows[2_000]["max_ms"] == 1_000


def test_outputs_by_latency_and_gaps_by_key_group_are_measured_too(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, stall(20_500, 24_500))
    run = measure(spark, tmp_path, Rescale("r", T0 + 20_000, T0 + 24_000))
    (distribution,) = run.distributions
    assert distribution[0] == {"up_to_ms": 5, "records": 60}
    assert 4_000 <= distribution[-1]["up_to_ms"] <= 4_040
    # From the request to the end of the bucket from which on all is steady.
    assert sum(row["records"] for row in distribution) == 460
    stalled = [row for row in run.key_group_gaps if row["gap_ms"] > 3_900]
    assert {row["key_group"] for row in stalled} == {key_group_of(key) for key in range(KEYS)}
    assert {row["bucket"] - T0 for row in stalled} == set(range(20_500, 24_501, 250))
    assert run.resources == ()


def test_a_period_has_exact_figures_and_few_steps() -> None:
    some = Period([(1, 6), (11, 3), (2_001, 1)])
    assert (some.records, some.peak_ms, some.mean_ms) == (10, 2_001, 204.0)
    assert [some.percentile(share) for share in (0.0, 0.5, 1.0)] == [1, 1, 2_001]
    assert some.percentile(0.6) == pytest.approx(1 + 10 * 0.4)
    assert some.percentile(0.99) == pytest.approx(11 + 1_990 * 0.91)
    assert some.distribution()[:2] == ({"up_to_ms": 1, "records": 6}, {"up_to_ms": 11, "records": 3})
    assert 2_001 <= some.distribution()[2]["up_to_ms"] <= 2_021
    none = Period([])
    assert (none.records, none.peak_ms, none.mean_ms, none.percentile(0.5), none.distribution()) == (
        0, None, None, None, ()
    )  # fmt: skip


def test_the_operation_ends_with_the_migration_not_with_the_retirement() -> None:
    phases = [{"phase": "PLANNED", "at": 10}, {"phase": "MIGRATING", "at": 20}]
    status = {"request_id": "x", "accepted_at": 9, "phases": phases}
    assert Rescale.from_status(status) == Rescale("x", 9, None)
    phases += [{"phase": "RETIRING", "at": 30}, {"phase": "COMPLETED", "at": 40}]
    assert Rescale.from_status(status) == Rescale("x", 9, 30)


def test_a_request_without_output_before_it_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    write_run(tmp_path, lambda at: 5, length_ms=2_000)
    with pytest.raises(ValueError, match="no output in the 10000 ms before"):
        measure(spark, tmp_path, Rescale("r", T0 - 1, None))


def test_figures_and_buckets_are_written_as_json(spark: SparkSession, tmp_path: Path) -> None:
    run = measure(spark, write_run(tmp_path, lambda at: 5), Rescale("r", T0 + 20_000, T0 + 20_100))
    write_measurement(run, tmp_path / "figures")
    figures = json.loads((tmp_path / "figures" / "figures.json").read_text())
    assert figures["records"] == 6_000
    assert figures["per_core"] > 0
    assert figures["figures"][0]["operation_ms"] == 100
    assert len((tmp_path / "figures" / "buckets.jsonl").read_text().splitlines()) == 600


def test_the_command_line_wants_a_rescale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--run", str(tmp_path), "--out", str(tmp_path)])
    assert "--status or --requested-at" in capsys.readouterr().err
