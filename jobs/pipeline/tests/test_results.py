"""What of a bench is committed, and which bench is not."""

import csv
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

import recorded_runs
from drrs_jobs.report.document import Chart, Commands, Document
from drrs_jobs.report.markdown import to_markdown
from drrs_jobs.runner import reporting
from drrs_jobs.runner.results import main, write_results
from drrs_jobs.runner.summary import summary
from made_up import SET_UP, section, three

AGAIN = [f"pyctl bench {what} /somewhere/else/b-again" for what in ("run made --strategies drrs --out", "report")]


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A bench of two runs with a report whose figures are made up."""
    folder = tmp_path / "bench"
    recorded_runs.record(recorded_runs.bench(), folder, {"drrs": [100], "restart": [2_000]})
    found = [section(three(100.0), three(200.0))]
    report = Document("Compared", [Chart("<svg></svg>", "what is drawn " * 20), Commands(AGAIN)])
    (folder / "report.md").write_text(to_markdown(report))
    (folder / "summary.json").write_text(json.dumps(summary(found, SET_UP)))
    (folder / "latency-1.svg").write_text("<svg></svg>")
    return folder


def test_each_run_is_a_line_and_no_place_of_the_machine_is_told(bench: Path, tmp_path: Path) -> None:
    files = write_results(bench, tmp_path / "out")
    assert [file.name for file in files] == ["report.md", "summary.json", "runs.csv", "bench.json", "latency-1.svg"]
    rows = list(csv.DictReader((tmp_path / "out/runs.csv").read_text().splitlines()))
    assert [(row["rescale"], row["round"], row["strategy"], row["peak_ms"]) for row in rows[2:4]] == [
        ("demo, 2 -> 4", "1", "megaphone(batch=4)", "400.0"),
        ("demo, 2 -> 4", "2", "live rescale", "200.0"),
    ]
    assert (rows[0]["load_average_after"], rows[1]["suspension_ms"]) == ("1.2", "")
    text = (tmp_path / "out/report.md").read_text()
    assert "--out build/b-again\n" in text
    assert "bench report build/b-again\n" in text
    assert "drawn" not in text.lower()
    assert not any("/somewhere" in file.read_text() or str(tmp_path) in file.read_text() for file in files)


def test_a_workload_of_a_file_is_named_by_it_as_it_was_given_and_by_its_name_if_it_may_be_anywhere(
    bench: Path, tmp_path: Path
) -> None:
    for given, shown in (("docs/results/made.yaml", "docs/results/made.yaml"), ("/somewhere/a b.yaml", "'a b.yaml'")):
        made = replace(recorded_runs.bench(), given=(given,))
        (bench / "bench.json").write_text(json.dumps({**made.document, "machine": {}, "java": "17"}))
        command = reporting.command(made, Path("/somewhere/else/b"))
        (bench / "report.md").write_text(to_markdown(Document("Compared", [Commands(command)])))
        write_results(bench, tmp_path / "out")
        text = (tmp_path / "out/report.md").read_text()
        assert f"pyctl bench run {shown} --strategies" in text
        assert "/somewhere" not in text + (tmp_path / "out/bench.json").read_text()


def test_a_bench_that_is_not_over_or_not_exact_is_refused_with_all_reasons(
    bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (bench / "made/round-1/restart/run.json").unlink()
    os.utime(bench / "summary.json", (1, 1))
    wrong = json.loads((bench / "summary.json").read_text()) | {"oracle": "drrs: count: lost 1"}
    (bench / "summary.json").write_text(json.dumps(wrong))
    os.utime(bench / "summary.json", (1, 1))
    assert main([str(bench), "x", "--into", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "not that of the reference (drrs: count: lost 1); 1 of 2 runs are still to come" in told
    assert "runs are newer than the report" in told
    assert not (tmp_path / "x").exists()


def test_without_a_report_there_is_nothing_to_commit(bench: Path, tmp_path: Path) -> None:
    (bench / "report.md").unlink()
    with pytest.raises(ValueError, match=r"has no report.md: run `pyctl bench report"):
        write_results(bench, tmp_path / "out")
