"""A bench: its order, its folder, how it goes on, what stops it; and the figures of one that was recorded."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from pyctl.client import Client
from pyctl.errors import ClusterError
from pyctl.submission import Submission
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

import made_up
import recorded_runs
from drrs_jobs import job_run, machine
from drrs_jobs.figures import Measurement, Rescale
from drrs_jobs.job_run import TaskTime
from drrs_jobs.kafka_replay import Topic
from drrs_jobs.records.latency import first_outputs, read_latency
from drrs_jobs.replay import Replay
from drrs_jobs.report import contents
from drrs_jobs.report.document import Chart
from drrs_jobs.runner import bench as bench_module
from drrs_jobs.runner import command, drive, evaluate, places, recorded, reporting, setting
from drrs_jobs.runner.bench import Bench, Clusters, Turn, WrongOutputError, prepare, read_bench, run_bench
from drrs_jobs.runner.drive import WARM_UPS, Driver
from drrs_jobs.runner.places import Place, Places
from drrs_jobs.runner.recorded import Recorded
from drrs_jobs.tail import LatencyTail
from drrs_jobs.workloads.loading import load
from drrs_jobs.workloads.model import Rate, RateStep
from recorded_runs import END_S, STEADY_MS, run_of


class Heard:
    """What a listener hears of."""

    def __init__(self) -> None:
        self.began_: list[tuple[int, int, float]] = []
        self.ended_: list[str] = []

    def began(self, turn: Turn, of: int, left_s: float) -> None:
        self.began_.append((turn.number, of, left_s))

    def said(self, text: str) -> None:
        del text

    def ended(self, turn: Turn, run: Recorded, left_s: float) -> None:
        del run, left_s
        self.ended_.append(str(turn))


@pytest.fixture
def driven(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Runs are not run but noted; each takes 50 s, as it says."""
    ran: list[str] = []

    class Driven:
        def __init__(self, *of: Any) -> None:
            self.workload = of[0]

        def run(self, strategy: Any, folder: Path, events: list[Any]) -> Recorded:
            assert len(events) == self.workload.total_events
            folder.mkdir(parents=True)
            ran.append(f"{folder.parent.name} {strategy.label}")
            return run_of(strategy.label, 100, "count: lost 1" if strategy.label == "wrong" else "exact")

    monkeypatch.setattr(bench_module, "Driver", Driven)
    return ran


def test_strategies_take_turns_and_each_round_begins_one_later(tmp_path: Path, driven: list[str]) -> None:
    heard = Heard()
    run_bench(recorded_runs.bench("drrs,otfs,restart", 2), tmp_path, Path("job.jar"), heard)
    assert driven == [
        "round-1 drrs", "round-1 otfs", "round-1 restart", "round-2 otfs", "round-2 restart", "round-2 drrs"
    ]  # fmt: skip
    # Before a run has been seen it is estimated by its schedule, of 36 s.
    assert heard.began_[:3] == [(1, 6, 396.0), (2, 6, 250.0), (3, 6, 200.0)]


def test_a_bench_that_was_interrupted_goes_on_with_what_is_missing(tmp_path: Path, driven: list[str]) -> None:
    run_bench(recorded_runs.bench(repeat=1), tmp_path, Path("job.jar"), Heard())
    (tmp_path / "made/round-1/restart/run.json").unlink()
    (tmp_path / "made/round-1/restart").rmdir()
    driven.clear()
    heard = Heard()
    run_bench(recorded_runs.bench(repeat=2), tmp_path, Path("job.jar"), heard)
    assert driven == ["round-1 restart", "round-2 restart", "round-2 drrs"]
    assert len(heard.ended_) == 4
    assert read_bench(tmp_path)[0].repeat == 2


def test_a_bench_that_began_in_one_order_goes_on_in_it(tmp_path: Path, driven: list[str]) -> None:
    made = recorded_runs.bench(repeat=2)
    prepare(replace(made, turning=False), tmp_path)
    run_bench(made, tmp_path, Path("job.jar"), Heard())
    assert driven == ["round-1 drrs", "round-1 restart", "round-2 drrs", "round-2 restart"]
    found, document = read_bench(tmp_path)
    assert not found.turning
    assert setting._order(document) == "drrs, restart in each round"


def test_the_order_of_a_bench_is_recorded_and_told(tmp_path: Path) -> None:
    prepare(recorded_runs.bench("drrs,otfs,restart", 4), tmp_path)
    prepare(recorded_runs.bench("drrs,otfs,restart", 1), tmp_path)
    found, document = read_bench(tmp_path)
    assert [order[0] for order in document["order"]] == ["drrs", "otfs", "restart", "drrs"]
    assert [turn.strategy.label for turn in found.turns()][3:6] == document["order"][1]
    assert setting._order(document) == "drrs, otfs, restart in round 1; each further round begins one strategy later"
    prepare(recorded_runs.bench("drrs,otfs", 1), tmp_path / "one")
    assert setting._order(read_bench(tmp_path / "one")[1]) == "drrs, otfs"


def test_what_needs_another_cluster_does_not_end_a_kept_one_between_two_runs() -> None:
    kept = replace(recorded_runs.bench("adaptive,drrs,restart", 3), clusters="kept")
    assert [[one.label for one in kept.order(number)] for number in (1, 2, 3)] == [
        ["drrs", "restart", "adaptive"], ["restart", "drrs", "adaptive"], ["drrs", "restart", "adaptive"]
    ]  # fmt: skip


def test_a_wrong_output_fails_the_bench_and_does_not_go_away_by_itself(tmp_path: Path, driven: list[str]) -> None:
    made = recorded_runs.bench("wrong=drrs,restart")
    for _ in range(2):
        with pytest.raises(WrongOutputError, match=r"made, round 1, wrong is not that of the reference: count: lost 1"):
            run_bench(made, tmp_path, Path("job.jar"), Heard())
    assert driven == ["round-1 wrong"]


def test_the_folder_of_another_bench_is_refused(tmp_path: Path) -> None:
    prepare(recorded_runs.bench("drrs,restart"), tmp_path)
    with pytest.raises(ValueError, match="holds a bench with other strategies"):
        prepare(recorded_runs.bench("drrs,otfs"), tmp_path)
    with pytest.raises(ValueError, match="holds a bench with other clusters"):
        prepare(replace(recorded_runs.bench("drrs,restart"), clusters="kept"), tmp_path)
    other = Bench((load("twitch"),), recorded_runs.bench().strategies, 1)
    with pytest.raises(ValueError, match="holds a bench with other workloads"):
        prepare(other, tmp_path)


def test_what_was_recorded_is_read_as_it_was_written(tmp_path: Path) -> None:
    for written in (run_of("drrs", 100), run_of("restart", 5_000)):
        recorded.write(written, tmp_path)
        assert recorded.read(tmp_path) == written
    (tmp_path / recorded.FILE).write_text("{}")
    with pytest.raises(ValueError, match=r"is damaged or of another version .* delete .* to run it again"):
        recorded.read(tmp_path)


def test_a_bench_is_known_again_by_its_folder(tmp_path: Path) -> None:
    made = recorded_runs.bench("drrs,fluid=megaphone(batch=1)", 3)
    prepare(made, tmp_path)
    assert read_bench(tmp_path)[0] == made
    prepare(replace(made, others_limit=0.2), tmp_path)
    assert read_bench(tmp_path)[0].others_limit == 0.2
    again, _ = reporting.command(made, tmp_path / "b")
    assert '--strategies "drrs,fluid=megaphone(drrs.megaphone.batch=1)" --repeat 3' in again
    files = replace(made, given=("demo", "my loads/made.yaml"), quick=True, clusters="kept")
    prepare(files, tmp_path / "files")
    assert read_bench(tmp_path / "files")[0] == files
    again, _ = reporting.command(files, tmp_path / "b")
    assert again.startswith("pyctl bench run demo 'my loads/made.yaml' --quick --keep-clusters --strategies")
    with pytest.raises(ValueError, match="holds no bench"):
        read_bench(tmp_path / "nowhere")


def test_a_busy_machine_is_refused_when_patience_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(0, 100_000, 1_000))
    monkeypatch.setattr(machine.MachineTime, "read", classmethod(lambda cls, _: cls(next(ticks) // 2, next(ticks))))
    monkeypatch.setattr(machine, "cpu_seconds", lambda _: 0.0)
    with pytest.raises(machine.MachineBusyError, match="Other programs keep 50% of the machine busy, at most 10%"):
        machine.await_quiet(0.1, patience_s=0.0, sample_s=0.0)
    assert machine.await_quiet(0.6, patience_s=0.0, sample_s=0.0) == pytest.approx(0.5, abs=0.02)


class _NoSpark:
    """Measuring has its own tests; here each rescale's highest latency is as long as its operation."""

    def stop(self) -> None:
        pass


def measured(_: Any, runs: Sequence[tuple[Path, Sequence[Rescale]]], *of: Any, first_only: bool) -> list[Measurement]:
    del of
    assert not first_only
    return [_one_measured(*run) for run in runs]


def _one_measured(output: Path, rescales: Sequence[Rescale]) -> Measurement:
    assert output.is_dir()
    lengths = [(rescale.operation_end or 0) - rescale.requested_at for rescale in rescales]
    figures = [
        replace(made_up.run(peak=length).figures, operation_ms=length, requested_at=rescale.requested_at)
        for rescale, length in zip(rescales, lengths, strict=True)
    ]
    one = made_up.measurement(figures[0], 50.0, live=True)
    return replace(one, figures=tuple(figures), distributions=one.distributions * len(figures))


@pytest.fixture
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "spark_session", lambda *_, **__: _NoSpark())
    monkeypatch.setattr(evaluate, "measure_round", measured)
    for name in ("overview", "close_up", "cdf", "gap_map", "bars", "used"):
        monkeypatch.setattr(contents, name, lambda *_, name=name: Chart("<svg />", name, name))


@pytest.fixture
def reported(tmp_path: Path, without_spark: None) -> Any:
    """Three recorded rounds, the third without its restart, evaluated and reported."""
    del without_spark
    recorded_runs.record(recorded_runs.bench(repeat=3), tmp_path, {"drrs": [100, 140, 500], "restart": [2_000, 1_400]})
    return command.report(tmp_path)


def test_each_rescale_of_a_script_is_compared_by_itself(reported: Any) -> None:
    document, _, found = reported
    assert [section.title for section in found.sections] == ["made, 2 -> 4", "made, 4 -> 2"]
    for one in document["comparisons"]:
        peaks = [{name: run["peak_ms"] for name, run in each["runs"].items()} for each in one["rounds"]]
        assert peaks == [{"drrs": 100, "restart": 2_000}, {"drrs": 140, "restart": 1_400}]
        assert one["strategies"]["restart"]["operation_ms"] == {
            "median": 1_700, "low": 1_400, "high": 2_000, "known": 2
        }  # fmt: skip
    # What is missing of a workload is counted once.
    assert [one["missing_runs"] for one in document["comparisons"]] == [1, 0]
    assert document["oracle"] == "exact"
    assert document["measurement"] is True


def test_facts_of_the_status_are_those_of_a_live_strategy(reported: Any) -> None:
    runs = reported[0]["comparisons"][0]["rounds"][0]["runs"]
    live, restart = runs["drrs"], runs["restart"]
    assert (live["suspension_ms"], live["rerouted"], live["set_aside"], live["moved_mb"]) == (14, 5, 7, 1.0)
    assert restart["suspension_ms"] is None


def test_the_report_is_written_with_its_sentences_first_and_what_is_missing(reported: Any) -> None:
    _, files, _ = reported
    html, markdown, figures, *pictures = (file.read_text(encoding="utf-8") for file in files)
    first = "made, 2 -&gt; 4: The winner is drrs: its highest latency is 13.3 times lower than with restart, within"
    assert html.index(f"{first} 10 to 20 times (median of 2 rounds") < html.index("<svg")
    assert "whole rounds are shown; runs still to come: 1." in html
    assert "| highest latency | 120 ms (100 ms .. 140 ms) | 1,700 ms (1,400 ms .. 2,000 ms) |" in markdown
    assert json.loads(figures)["oracle"] == "exact"
    assert len(pictures) == len(json.loads(figures)["comparisons"])
    assert all(picture.startswith("<svg ") for picture in pictures)


@pytest.mark.usefixtures("without_spark")
@pytest.mark.parametrize("clusters", ["each", "given"])
def test_the_size_of_a_cluster_is_told_of_one_that_the_bench_has_started(tmp_path: Path, clusters: Clusters) -> None:
    made = replace(recorded_runs.bench("restart"), clusters=clusters)
    recorded_runs.record(made, tmp_path, {"restart": [1_400]})
    set_up = reporting.find(tmp_path).sections[0].set_up
    assert ("4 TaskManagers of 1 slots" in set_up["rescale"]) == (clusters == "each")


@pytest.mark.usefixtures("without_spark")
def test_a_bench_without_a_whole_round_has_no_report(tmp_path: Path) -> None:
    recorded_runs.record(recorded_runs.bench(), tmp_path, {"drrs": [100], "restart": []})
    with pytest.raises(command.BenchError, match="has no round yet in which every strategy has run"):
        command.report(tmp_path)


def test_of_sliding_windows_an_events_first_result_tells_its_latency(tmp_path: Path, spark: SparkSession) -> None:
    recorded_runs.write_records(tmp_path, 100, twice=True)
    first = first_outputs(read_latency(spark, tmp_path))
    found = first.agg(F.count("*").alias("records"), F.max("latency_ms").alias("peak")).first()
    assert found is not None
    assert (found["records"], found["peak"]) == (END_S * 100, 100)
    tail = LatencyTail(tmp_path, slide_ms=500)
    tail.poll()
    assert tail.p99(5_000) == STEADY_MS
    assert tail.running_ms() == END_S * 1_000 - 10 + STEADY_MS + 3_000


@pytest.mark.parametrize("name", ["demo", "q7-drrs", "twitch", "synthetic"])
def test_only_output_and_parallelism_differ_between_runs(name: str, tmp_path: Path) -> None:
    driver = Driver(load(name), tmp_path / "job.jar", print, Places(print), tmp_path / "replay")
    one, other = (driver.arguments(tmp_path / "out", number) for number in (91, 92))
    assert [(a, b) for a, b in zip(one, other, strict=True) if a != b] == [("91", "92")]


def test_a_workload_becomes_the_arguments_of_its_job(tmp_path: Path) -> None:
    words = Driver(load("twitch"), tmp_path / "job.jar", print, Places(print)).arguments(tmp_path, 4)
    given = dict(zip(words[::2], words[1::2], strict=True))
    assert given.items() >= {
        "--query": "synthetic", "--rate": "900", "--rate-shape": "sine", "--rate-2": "1200", "--zipf-percent": "100",
        "--rate-period-ms": "20000", "--keys": "20000", "--preload-keys": "20000", "--ballast-bytes": "4096",
        "--ballast-spread": "true", "--service-us": "1800", "--unaligned": "false", "--parallelism": "4",
    }.items()  # fmt: skip
    two = (RateStep(events_per_second=5, seconds=2), RateStep(events_per_second=9, seconds=1))
    stepped = load("twitch").model_copy(update={"rate": Rate(shape="steps", steps=two)})
    words = Driver(stepped, tmp_path / "job.jar", print, Places(print)).arguments(tmp_path, 4)
    assert words[words.index("--rate-shape") :][:4] == ["--rate-shape", "steps", "--rate-steps", "5,2000,9,1000"]
    assert "--hold" in Driver(load("q7-drrs"), tmp_path / "job.jar", print, Places(print)).arguments(tmp_path, 8)
    assert "--hold" not in given


def test_a_workload_from_kafka_becomes_the_arguments_of_a_job_that_reads_a_topic(tmp_path: Path) -> None:
    driver = Driver(load("demo-kafka"), tmp_path / "job.jar", print, Places(print), None, "there:9092")
    words = driver.arguments(tmp_path, 2, Topic("there:9092", "demo-kafka-1"))
    given = dict(zip(words[::2], words[1::2], strict=True))
    assert given.items() >= {
        "--kafka": "there:9092", "--kafka-topic": "demo-kafka-1", "--events": "86250", "--preload-keys": "52000",
        "--hold": "true",
    }.items()  # fmt: skip
    assert not {"--rate", "--seed", "--mode", "--replay"} & given.keys()


def test_all_of_a_topic_is_read_when_the_offsets_of_all_partitions_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    offsets = [3, 3, 3, 0]
    monkeypatch.setattr(Topic, "committed", lambda _, *parts: sum(offsets[part] for part in parts))
    monkeypatch.setattr(job_run, "has_finished", lambda *_: False)
    running = drive._Running(
        Place(Client("localhost:1"), {}),
        "job",
        LatencyTail(Path("nowhere")),
        Submission(jar_id="jar", arguments=[], options={}),
        topic=Topic("there:9092", "t"),
    )
    replay = Replay(events=7, preload_keys=3)
    assert not running.has_read(replay)
    offsets[3] = 1
    assert running.has_read(replay)


def test_a_broker_is_started_once_where_a_workload_needs_one_and_none_is_given(
    tmp_path: Path, driven: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []

    @contextmanager
    def started_in(folder: Path) -> Iterator[tuple[str, int]]:
        started.append(folder)
        yield "127.0.0.1:1", os.getpid()

    monkeypatch.setattr(bench_module, "broker", started_in)
    made = recorded_runs.bench("drrs,restart", 1)
    run_bench(made, tmp_path / "files", Path("job.jar"), Heard())
    reads = replace(made, workloads=(made.workloads[0].model_copy(update={"events": "kafka"}),))
    run_bench(reads, tmp_path / "given", Path("job.jar"), Heard(), kafka="there:9092")
    assert (made.reads_kafka, reads.reads_kafka, started) == (False, True, [])
    for _ in range(2):  # the second time there is nothing to run
        run_bench(reads, tmp_path / "own", Path("job.jar"), Heard())
    assert started == [tmp_path / "own/kafka.broker"]


def test_a_busy_share_that_flink_does_not_know_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = {0: TaskTime(0, 20_000, 30_000), 1: TaskTime(0, 20_000, 30_000), 3: TaskTime(0, 20_000, 30_000)}
    end = {1: TaskTime(0, 26_000, 38_000), 2: TaskTime(0, 2_000, 8_000), 3: TaskTime(0, 19_300, 30_300)}
    told = iter([begin, end])
    monkeypatch.setattr(job_run, "task_times", lambda *_: next(told))
    sample = drive._BusySample(Client("localhost:1"), "job", "operator")
    assert sample.shares() == (0.75, 0.25)


def test_faults_of_workloads_and_strategies_are_told_together() -> None:
    with pytest.raises(command.BenchError) as told:
        command.bench_of(["nowhere", "demo", "demo"], "foo bar", 1)
    assert told.value.usage
    assert len(told.value.sentences) == 3
    made = command.bench_of(["demo"], "drrs", 2, quick=True)
    assert made.workloads[0] == load("demo", quick=True)
    assert replace(made, repeat=1).repeat == 1


def test_the_workloads_that_come_along_are_listed_with_their_titles() -> None:
    assert ("twitch", load("twitch").title) in command.names()


class _Cluster:
    """In place of a cluster of JVMs; ``events`` of all of them."""

    events: ClassVar[list[str]] = []

    def __init__(self, folder: Path, **given: Any) -> None:
        self.layout = SimpleNamespace(root=folder)
        self.state = SimpleNamespace(processes=[SimpleNamespace(name="tm", pid=1)])
        self.rest_address = "localhost:1"
        self._kind = f"{given['slots']} slots {given['options'].get('jobmanager.scheduler', '')}".strip()

    @classmethod
    def attach(cls, folder: Path) -> Any:
        raise ClusterError(f"none in {folder}")

    def start(self) -> Any:
        self.events.append(f"start {self._kind}")
        self.layout.root.mkdir(parents=True)
        return self

    def stop(self) -> None:
        self.events.append("stop")


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        (False, ["start 1 slots", "run", "stop", "start 1 slots", "run", "stop"]),
        (True, ["start 1 slots", "run", "run", "stop"]),
    ],
)
def test_a_cluster_is_for_a_run_or_kept_for_all_that_can_use_it(
    keep: bool, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "LocalCluster", _Cluster)
    monkeypatch.setattr(_Cluster, "events", [])
    turns = list(recorded_runs.bench("drrs,otfs,adaptive").turns())
    with Places(print, keep=keep) as there:
        for turn in turns[:2]:
            with there.of(turn.workload, turn.strategy, turn.folder(tmp_path)) as place:
                _Cluster.events.append("run")
                assert place.pids == {"tm": 1}
                assert place.cold == (keep and turn.number == 1)
            assert there.pids == ([1] if keep else [])
        if keep:
            # Another scheduler is another cluster, and so is that of another workload.
            for workload, strategy in ((turns[2].workload, turns[2].strategy), (load("twitch"), turns[0].strategy)):
                with there.of(workload, strategy, turns[2].folder(tmp_path)):
                    _Cluster.events.append("run")
            expected = [*expected, "start 1 slots adaptive", "run", "stop", "start 2 slots", "run", "stop"]
    assert _Cluster.events == expected
    assert not (tmp_path / "made/cluster").exists()


def test_a_cluster_whose_run_fails_is_stopped_and_leaves_its_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "LocalCluster", _Cluster)
    monkeypatch.setattr(_Cluster, "events", [])
    (turn,) = recorded_runs.bench("drrs").turns()
    with (
        pytest.raises(RuntimeError, match="failed"),
        Places(print) as there,
        there.of(turn.workload, turn.strategy, turn.folder(tmp_path)),
    ):
        raise RuntimeError("failed")
    assert _Cluster.events == ["start 1 slots", "stop"]
    assert (tmp_path / "made/cluster").is_dir()


def _warm_up(strategies: str, folder: Path, monkeypatch: pytest.MonkeyPatch, times: int) -> list[object]:
    """Warm up a cluster whose job has time for so many rescales; return what came of it."""
    done: list[object] = []

    def rescale(*given: Any) -> None:
        if len(done) > times:
            raise job_run.JobEndedError("the schedule was over")
        done.append(given[-3:-1])

    def ran(ms: int) -> bool:
        done.append(f"ran {ms}")
        return True

    running = SimpleNamespace(leave=lambda: done.append("left"), ran=ran)
    monkeypatch.setattr(Driver, "_start", lambda *_: running)
    monkeypatch.setattr(Driver, "_rescale", lambda *given: rescale(2, 4, given[-1]))
    monkeypatch.setattr(Driver, "_live", rescale)
    (turn,) = recorded_runs.bench(strategies).turns()
    driver = Driver(turn.workload, folder / "job.jar", print, Places(print))
    driver._warm_up(places.Place(Client("localhost:1"), {}, cold=True), turn.strategy, folder / "warm-up")
    assert not (folder / "warm-up").exists()
    return done


def test_a_warm_up_rescales_out_and_in_and_a_restart_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first when it is due, whatever the latency is.
    due, out, back = f"ran {recorded_runs.REQUEST_S * 1_000}", (2, 4), (4, 2)
    assert _warm_up("drrs", tmp_path, monkeypatch, WARM_UPS) == [due, out, back, out, back, out, "left"]
    assert _warm_up("restart", tmp_path, monkeypatch, WARM_UPS) == [due, out, "left"]


def test_a_warm_up_without_time_for_its_rescales_is_no_failure_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    due = f"ran {recorded_runs.REQUEST_S * 1_000}"
    assert _warm_up("drrs", tmp_path, monkeypatch, 0) == [due, "left"]
    assert _warm_up("drrs", tmp_path, monkeypatch, 2) == [due, (2, 4), (4, 2), "left"]
