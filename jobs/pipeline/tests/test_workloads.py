"""Workload files: what comes along is right, and what is wrong with one is told at once and with its place."""

from pathlib import Path

import pytest

from drrs_jobs.reference import QUERIES
from drrs_jobs.workloads.loading import WorkloadError, load, load_all, parse, shipped
from drrs_jobs.workloads.rules import STEADY_WAIT_S, steady_wait_s

GOOD = """\
name: small
title: a small one
query: count
seconds: 30
rate: {events_per_second: 100}
operator:
  uid: count
  name: running count
  parallelism: 2
rescales:
  - {to: 4, after_s: 12}
"""


def faults(text: str) -> list[str]:
    with pytest.raises(WorkloadError) as told:
        parse(text, "w.yaml")
    return list(told.value.sentences)


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", shipped())
def test_what_comes_along_is_valid_and_known_by_its_name(name: str, quick: bool) -> None:
    workload = load(name, quick=quick)
    assert workload.name == name
    assert (workload.seconds <= 65) == quick
    assert load(name, quick=False, warm=True) == load(name)
    assert workload.of_query is QUERIES[workload.query]


def test_there_are_those_of_drrs_the_demo_and_a_stand_in_for_twitch() -> None:
    assert shipped() == ["demo", "demo-kafka", "q7-drrs", "q8-drrs", "synthetic", "twitch"]


def test_all_faults_are_told_at_once_with_their_lines() -> None:
    text = GOOD.replace("small\n", "A b\n").replace("100}", "'100', shape: wavy}").replace("title: a small one\n", "")
    assert faults(text + "colour: red\n") == [
        "w.yaml line 1, name: must be of small letters, digits and hyphens, not 'A b'",
        "w.yaml, title: is missing",
        "w.yaml line 4, rate.events_per_second: must be a whole number, not '100'",
        "w.yaml line 4, rate.shape: must be 'constant', 'square', 'sine' or 'steps', not 'wavy'",
        "w.yaml line 11, colour: is not a field that a workload has here",
    ]


def test_what_does_not_fit_together_is_told_beside_what_is_wrong_alone() -> None:
    text = GOOD.replace("events_per_second: 100", "events_per_second: 0").replace("to: 4", "to: 200")
    assert faults(text + "window: {size_ms: 500, slide_ms: 300}\n") == [
        "w.yaml line 5, rate.events_per_second: must be at least 1, not 0",
        "w.yaml line 12, window: a sliding window is for q5, drrs-q7, drrs-q7-event, drrs-q8, drrs-q8-event, not for "
        "count",
        "w.yaml line 12, window.size_ms: 500 ms must be a multiple of slide_ms, 300 ms",
        "w.yaml, cluster: 4 TaskManagers of 1 slots have 4 slots, and 200 subtasks need as many",
        "w.yaml line 11, rescales[1].to: 200 subtasks are more than the 128 key groups",
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("query: count", "query: q99"), "line 3, query: there is no query 'q99'; there are count, q5"),
        (("to: 4", "to: 2"), "line 11, rescales[1].to: the operator has 2 subtasks by then, so nothing would change"),
        (
            ("seconds: 30", "seconds: 26"),
            "the schedule of 26 s must go on for 15 s after the last rescale is due, at 12 s",
        ),
        (("after_s: 12", "after_s: 6"), "measure.steady_s: 10 s do not fit before the first rescale, at 6 s"),
        (("query: count", "query: q11\nstate: {keys: 5, value_bytes: 9}"), "state: state made beforehand is for count"),
        (("query: count", "query: count\nkeys: {count: 5}"), "keys: the skew of keys is for the query synthetic"),
        (("query: count", "query: count\nbackend: rocksdb"), "backend: must be 'hashmap', not 'rocksdb'"),
        (("100}", "100, other: 5}"), "rate.other: a rate of shape constant has none: say shape: square or shape: sine"),
        (("100}", "100, shape: sine, other: 5}"), "rate.period_s: a rate of shape sine needs it"),
        (
            ("query: count", "query: q5\nevents: kafka"),
            "line 3, query: a job that reads from Kafka stays after its events, so that event time stops at the last "
            "one and not all results of q5 come; events: kafka is for count, synthetic, q12, drrs-q7, drrs-q8",
        ),
        (
            ("query: count", "query: count\nevents: kafka\nsource_parallelism: 5"),
            "line 5, source_parallelism: 5 subtasks are more than the 4 partitions of the topic",
        ),
    ],
)
def test_each_rule_has_its_sentence(change: tuple[str, str], sentence: str) -> None:
    (only,) = faults(GOOD.replace(*change))
    assert sentence in only


def test_a_rate_in_steps_has_the_events_of_its_steps_over_and_over() -> None:
    steps = "{shape: steps, steps: [{events_per_second: 100, seconds: 8}, {events_per_second: 300, seconds: 4}]}"
    found = parse(GOOD.replace("{events_per_second: 100}", steps), "w.yaml")
    assert found.total_events == 2 * (800 + 1_200) + 6 * 100
    (only,) = faults(GOOD.replace("{events_per_second: 100}", steps.replace("seconds: 4", "seconds: 0")))
    assert only == "w.yaml line 5, rate.steps[2].seconds: must be at least 1, not 0"
    (only,) = faults(GOOD.replace("{events_per_second: 100}", steps.replace("shape: steps", "shape: constant")))
    assert only == "w.yaml line 5, rate.steps: a rate of shape constant has none: say shape: steps"
    assert faults(GOOD.replace("100}", "100, shape: steps, other: 5}")) == [
        "w.yaml line 5, rate.other: a rate of shape steps has none: say shape: square or shape: sine",
        "w.yaml line 5, rate.steps: a rate of shape steps needs them: a list of events_per_second and seconds",
        "w.yaml line 5, rate.events_per_second: the steps of a rate say what it is",
    ]


def test_event_time_at_a_changing_rate_has_no_reference() -> None:
    changing = GOOD.replace("100}", "100, shape: square, other: 200, period_s: 4}")
    assert parse(changing, "w.yaml").total_events == 4_500
    (only,) = faults(changing.replace("query: count", "query: q11"))
    assert "the reference of q11 knows event time at a constant rate only" in only


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [", "w.yaml line 1: "),
        ("- a", "w.yaml: a workload is a mapping of fields to values"),
        (GOOD + "seconds: 3\n", 'w.yaml line 12: found duplicate key "seconds"'),
        (GOOD + "quick: 5\n", "w.yaml, quick: is a mapping of the fields"),
    ],
)
def test_what_is_no_workload_at_all_is_one_sentence(text: str, sentence: str) -> None:
    (only,) = faults(text)
    assert only.startswith(sentence)


def test_the_short_form_differs_in_what_the_file_says_and_is_checked_either_way() -> None:
    text = GOOD + "quick:\n  seconds: 28\n  rate: {events_per_second: 7}\n"
    assert parse(text, "w.yaml").seconds == 30
    short = parse(text, "w.yaml", quick=True)
    assert (short.seconds, short.rate.events_per_second, short.operator.uid) == (28, 7, "count")
    (only,) = faults(text.replace("seconds: 28", "seconds: 10"))
    assert only.startswith("w.yaml (quick)")
    text += "  warm: {seconds: 27}\n"
    warm = parse(text, "w.yaml", quick=True, warm=True)
    assert (warm.seconds, warm.rate.events_per_second) == (27, 7)
    assert parse(text, "w.yaml", quick=True) == short
    (only,) = faults(text.replace("seconds: 27", "seconds: 10"))
    assert only.startswith("w.yaml (quick, warm)")


def test_what_differs_in_a_form_is_a_mapping_and_is_told_with_all_other_faults() -> None:
    text = GOOD.replace("seconds: 30", "seconds: thirty") + "quick: {seconds: 28, warm: 5}\ntraced: [1]\n"
    told = faults(text)
    assert told[:2] == [
        "w.yaml, quick.warm: is a mapping of the fields that differ in a short run on a warm cluster, not 5",
        "w.yaml, traced: is a mapping of the fields that differ with a trace, not [1]",
    ]
    assert len(told) == 3
    assert "seconds: must be a whole number, not 'thirty'" in told[2]


def test_files_and_names_are_read_together_and_all_their_faults_told(tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(GOOD)
    assert [one.name for one in load_all([str(file), "demo"])] == ["small", "demo"]
    file.write_text("name: 5")
    with pytest.raises(WorkloadError) as told:
        load_all([str(file), "nowhere", "demo", "demo"])
    assert [sentence.split(" ")[0] for sentence in told.value.sentences][-2:] == ["nowhere", "the"]
    assert "the workload demo is given more than once" in told.value.sentences


def test_a_rescale_that_is_put_off_has_room_before_the_end_of_a_short_schedule() -> None:
    assert steady_wait_s(load("demo"), 0) == steady_wait_s(load("demo", quick=True), 0) == STEADY_WAIT_S
    for name in ("demo", "q7-drrs", "twitch"):
        short = load(name, quick=True, warm=True)
        assert 0 < steady_wait_s(short, 0) < STEADY_WAIT_S
        assert short.seconds - short.rescales[0].after_s - steady_wait_s(short, 0) == 10
