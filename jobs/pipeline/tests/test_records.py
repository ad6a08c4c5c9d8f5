"""Records of a run are read by their schema, and what is none is named."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from drrs_jobs.aggregates.resources import resources
from drrs_jobs.figures import Rescale
from drrs_jobs.measure import measure_run
from drrs_jobs.records.latency import read_latency
from drrs_jobs.records.metrics import has_metrics, read_metrics
from drrs_jobs.records.reading import BadRecordsError
from drrs_jobs.records.results import read_results
from drrs_jobs.reference import QUERIES

RECORD = '{"k":"1","s":10,"o":15,"n":1}'


def write(output: Path, folder: str, parts: Sequence[str]) -> Path:
    (output / folder).mkdir(parents=True)
    for number, text in enumerate(parts):
        (output / folder / f"part-{number}.jsonl").write_text(text)
    return output


def test_a_run_without_records_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no latency records"):
        read_latency(spark, tmp_path)


def test_fields_beyond_those_of_the_form_are_passed_over(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "latency", [RECORD + '\n{"k":"2","s":1,"o":4,"n":0,"more":[1]}\n'])
    found = {tuple(row) for row in read_latency(spark, tmp_path).collect()}
    assert found == {("1", 10, 15, 5), ("2", 1, 4, 3)}


def test_all_lines_that_are_no_records_are_counted_and_the_first_named(spark: SparkSession, tmp_path: Path) -> None:
    bad = ['{"k":"1","s":10', "", '{"k":"1","o":15}', '{"k":"1","s":"soon","o":15}', "[1]", RECORD + RECORD]
    write(tmp_path, "latency", [RECORD + "\n", "".join(f"{line}\n" for line in [RECORD, *bad, RECORD])])
    with pytest.raises(BadRecordsError) as fault:
        read_latency(spark, tmp_path)
    said = str(fault.value)
    assert said.startswith("6 of 9 lines in latency/ are no records of the form (k string, s long, o long, n long): ")
    assert 'part-1.jsonl: \'{"k":"1","o":15}\' has no valid s, n; ..' in said
    assert "part-1.jsonl: '' has no valid k, s, o, n, end; " in said
    with pytest.raises(BadRecordsError, match="6 of 9 lines"):
        measure_run(spark, tmp_path, [Rescale("r", 12, 15)])


def test_a_last_line_that_was_not_written_to_its_end_is_no_record_yet(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "latency", [RECORD + "\n" + RECORD[:-4], RECORD + "\n"])
    assert read_latency(spark, tmp_path).count() == 2


def test_metric_records_are_summed_up_per_second(spark: SparkSession, tmp_path: Path) -> None:
    assert not has_metrics(tmp_path)
    samples = [(1_000, 0.25), (1_500, 0.75), (2_100, 0.5)]
    lines = "".join(f'{{"t":{t},"name":"cpu","of":"machine","v":{v}}}\n' for t, v in samples)
    write(tmp_path, "metrics", [lines])
    assert has_metrics(tmp_path)
    found = [tuple(row) for row in resources(read_metrics(spark, tmp_path)).collect()]
    assert found == [("cpu", "machine", 1_000, 0.5, 0.75), ("cpu", "machine", 2_000, 0.5, 0.5)]


def test_result_records_have_the_fields_of_their_query(spark: SparkSession, tmp_path: Path) -> None:
    line = '{"q":"q11","bidder":1,"bid_count":2,"start_time":3,"end_time":4}\n'
    write(tmp_path, "results", [line])
    assert [tuple(row) for row in read_results(spark, tmp_path, QUERIES["q11"]).collect()] == [("q11", 1, 2, 3, 4)]
    write(tmp_path / "bad", "results", [line.replace("2", "true")])
    with pytest.raises(BadRecordsError, match="has no valid bid_count"):
        read_results(spark, tmp_path / "bad", QUERIES["q11"])
