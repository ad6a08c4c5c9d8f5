"""The made-up run by which the speed of aggregation is measured."""

from pathlib import Path

from pyspark.sql import SparkSession

from drrs_jobs.bench.aggregate import Load, run


def test_a_small_run_is_measured_right_and_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    found = run(spark, Load(records=30_000, keys=100, rate=1_000), tmp_path / "run")
    assert found["records"] == 30_000
    assert found["peak_ms"] == 2_000
    assert found["per_second_and_core"] > 0
    assert found["per_cpu_second"] > 0
    assert found["jvm_peak_mebibytes"] > 50
    assert not (tmp_path / "run").exists()
