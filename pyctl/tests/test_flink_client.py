"""Flink's own calls: what is typed, what is sent once, and what time it takes to give up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
import responses

from fake_clock import FakeClock
from fake_jobmanager import JOB
from pyctl.client import Client
from pyctl.errors import NotFlink, NotReachable, Refused

URL = "http://jm:8081"
BROKEN = requests.ConnectionError("reset")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def client(clock: FakeClock) -> Iterator[Client]:
    with Client("jm:8081", clock=clock) as made:
        yield made


@responses.activate
def test_giving_up_takes_five_seconds_of_the_clock_handed_in(client: Client, clock: FakeClock) -> None:
    responses.get(f"{URL}/jobs/overview", body=BROKEN)
    with pytest.raises(NotReachable):
        client.jobs()
    assert 5 <= clock.now() < 7


@responses.activate
def test_a_job_has_its_vertices_and_how_many_tasks_run(client: Client) -> None:
    vertices = [{"id": "v", "name": "count", "parallelism": 4, "tasks": {"RUNNING": 2, "CREATED": 2}}]
    responses.get(f"{URL}/jobs/{JOB}", json={"jid": JOB, "name": "x", "state": "RUNNING", "vertices": vertices})
    (vertex,) = client.job(JOB).vertices
    assert (vertex.id, vertex.parallelism, vertex.tasks.running) == ("v", 4, 2)


@responses.activate
def test_a_list_is_an_answer_where_flink_has_one(client: Client) -> None:
    some = [{"id": "a", "value": "1"}]
    for path in ("/jobmanager/metrics?get=a", f"/jobs/{JOB}/vertices/v/watermarks", "/jobmanager/config"):
        responses.get(f"{URL}{path}", json=some)
        assert client.get(path) == some
    responses.get(f"{URL}/jobs/overview", json=[])
    with pytest.raises(NotFlink):
        client.jobs()


@responses.activate
def test_the_cause_of_a_failure_is_one_line(client: Client) -> None:
    entries = [{"stacktrace": "java.lang.IllegalStateException: Key 5 is lost\n\tat x"}]
    responses.get(f"{URL}/jobs/{JOB}/exceptions", json={"exceptionHistory": {"entries": entries}})
    assert client.cause_of_failure(JOB) == "Key 5 is lost"
    responses.replace(responses.GET, f"{URL}/jobs/{JOB}/exceptions", json={"exceptionHistory": {"entries": []}})
    assert client.cause_of_failure(JOB) is None


@responses.activate
def test_a_jar_is_uploaded_as_a_form_and_run_with_options(client: Client, tmp_path: Path) -> None:
    jar = tmp_path / "job.jar"
    jar.write_bytes(b"content of the jar")
    form = responses.post(f"{URL}/jars/upload", json={"filename": "/tmp/flink-web/7_job.jar"})
    run = responses.post(f"{URL}/jars/7_job.jar/run", json={"jobid": JOB})
    assert client.upload_jar(jar) == "7_job.jar"
    sent = form.calls[0].request
    assert sent.headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert b'name="jarfile"; filename="job.jar"' in (sent.body or b"")
    assert b"content of the jar" in (sent.body or b"")
    assert client.run_jar("7_job.jar", ["-x", "1"], {"drrs.enabled": "true"}, savepoint="file:/s") == JOB
    assert json.loads(run.calls[0].request.body or "") == {
        "programArgsList": ["-x", "1"], "flinkConfiguration": {"drrs.enabled": "true"}, "savepointPath": "file:/s"
    }  # fmt: skip


@responses.activate
@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("/jars/j/run", lambda client: client.run_jar("j", [], {})),
        (f"/jobs/{JOB}/savepoints", lambda client: client.trigger_savepoint(JOB)),
        (f"/jobs/{JOB}/stop", lambda client: client.trigger_savepoint(JOB, stop=True)),
        ("/x", lambda client: client.exchange("POST", "/x", b"{}")),
    ],
)
def test_what_would_be_done_twice_is_sent_once(client: Client, path: str, call: Callable[[Client], object]) -> None:
    sent = responses.post(URL + path, body=BROKEN)
    with pytest.raises(NotReachable):
        call(client)
    assert len(sent.calls) == 1


@responses.activate
def test_an_exchange_returns_a_bad_answer_as_it_is(client: Client) -> None:
    responses.post(f"{URL}/jobs/{JOB}/drrs/rescales", status=400, json={"errors": [{"code": "X", "message": "y"}]})
    answer = client.exchange("POST", f"/jobs/{JOB}/drrs/rescales", b"{")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "X")


@responses.activate
def test_a_savepoint_has_a_place_or_a_cause(client: Client, tmp_path: Path) -> None:
    asked = responses.post(f"{URL}/jobs/{JOB}/stop", json={"request-id": "t"})
    assert client.trigger_savepoint(JOB, stop=True, folder=tmp_path, native=True) == "t"
    assert json.loads(asked.calls[0].request.body or "") == {
        "formatType": "NATIVE", "drain": False, "targetDirectory": tmp_path.as_uri()
    }  # fmt: skip
    path = f"{URL}/jobs/{JOB}/savepoints/t"
    responses.get(path, json={"status": {"id": "IN_PROGRESS"}, "operation": None})
    assert not client.savepoint(JOB, "t").completed
    responses.replace(responses.GET, path, json={"status": {"id": "COMPLETED"}, "operation": {"location": "file:/s"}})
    assert client.savepoint(JOB, "t").location == "file:/s"
    cause = {"class": "a.B", "stack-trace": "a.B: disk full\n\tat x", "serialized-throwable": "00"}
    responses.replace(responses.GET, path, json={"status": {"id": "COMPLETED"}, "operation": {"failure-cause": cause}})
    failed = client.savepoint(JOB, "t")
    assert (failed.completed, failed.location) == (True, None)
    assert str(failed.failure).startswith("a.B: disk full")


@responses.activate
def test_an_unknown_job_is_refused_with_flinks_cause_and_the_status(client: Client) -> None:
    text = "org.apache.flink.runtime.rest.NotFoundException: Job x not found\n\tat java.base/Thread.run(Thread.java)"
    responses.get(f"{URL}/jobs/x", status=404, json={"errors": [text]})
    with pytest.raises(Refused, match="Job x not found") as caught:
        client.job("x")
    assert caught.value.status == 404


@responses.activate
def test_a_stop_with_an_id_of_its_own_is_tried_again(client: Client) -> None:
    sent = responses.post(f"{URL}/jobs/{JOB}/stop", body=BROKEN)
    again = responses.post(f"{URL}/jobs/{JOB}/stop", json={"request-id": "t"})
    assert client.trigger_savepoint(JOB, stop=True, trigger_id="t") == "t"
    assert json.loads(again.calls[0].request.body or "")["triggerId"] == "t"
    assert sent.calls[0].request.body == again.calls[0].request.body


@responses.activate
def test_requirements_are_written_as_they_are_read(client: Client) -> None:
    path = f"{URL}/jobs/{JOB}/resource-requirements"
    document = {"v": {"parallelism": {"lowerBound": 1, "upperBound": 2}}}
    responses.get(path, json=document)
    put = responses.put(path, json={})
    client.require(JOB, client.requirements(JOB))
    assert json.loads(put.calls[0].request.body or "") == document


@responses.activate
def test_a_stack_trace_is_told_by_its_first_line_and_its_last_cause(client: Client) -> None:
    trace = "a.RestHandlerException: Could not execute.\n\tat x\nCaused by: b.C: d.E: no --query\n\tat y"
    responses.post(f"{URL}/jars/j/plan", status=400, json={"errors": [trace]})
    with pytest.raises(Refused, match=r"^Could not execute: no --query$"):
        client.plan_of_jar("j", [], {})
    server = "<Exception on server side:\njava.util.X: The DefaultScheduler cannot.\n\tat x"
    responses.get(f"{URL}/jobs/{JOB}/status", status=500, json={"errors": ["Internal server error.", server]})
    with pytest.raises(Refused) as caught:
        client.state(JOB)
    assert [fault.message for fault in caught.value.faults] == [
        "Internal server error.",
        "The DefaultScheduler cannot.",
    ]
