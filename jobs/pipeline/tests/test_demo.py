"""The demo's driver, without a cluster."""

from pathlib import Path

import pytest

from drrs_jobs import checkout, demo
from drrs_jobs.workloads.loading import load


def test_the_state_is_at_least_200_megabytes_and_the_load_about_60_percent() -> None:
    workload = load("demo")
    assert workload.state.target_bytes > 200_000_000
    bids_per_subtask = workload.rate.events_per_second * 46 / 50 / workload.operator.parallelism
    assert 0.5 <= bids_per_subtask * workload.operator.service_us / 1e6 <= 0.65


def test_a_missing_job_jar_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checkout, "JOB_JAR", Path("no/such.jar"))
    assert demo.main(["--build-dir", str(tmp_path)]) == 1
    assert "build it with Maven" in capsys.readouterr().err


def test_no_pairs_at_all_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        demo.main(["--build-dir", str(tmp_path), "--pairs", "0"])
    assert "--pairs must be at least 1" in capsys.readouterr().err
