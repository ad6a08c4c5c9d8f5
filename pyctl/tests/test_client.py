"""The client: what is retried, what is not, and what each answer becomes."""

from __future__ import annotations

import json

import pytest
import requests
import responses
from responses import matchers

from fake_jobmanager import JOB, refusal, status, vertex, vertices
from pyctl.client import Client
from pyctl.errors import NotPlugged, NotReachable, ProtocolError, Refused
from pyctl.model import Phase, RescaleRequest

URL = "http://jm:8081"


@pytest.fixture
def client() -> Client:
    return Client("jm:8081", retry_s=0.5)


@responses.activate
def test_vertices_are_parsed_and_unknown_fields_ignored(client: Client) -> None:
    responses.get(f"{URL}/jobs/{JOB}/drrs/vertices", json={**vertices(vertex(later="x")), "new_field": 1})
    found = client.vertices(JOB)
    assert found.slots.free == 3
    assert found.vertices[0].label == "count"
    assert found.vertices[0].key_groups[7].bytes == 100


@responses.activate
def test_status_with_parts_not_measured_yet_is_parsed(client: Client) -> None:
    body = status("PLANNED", suspension_ms=None, exchange=None, bytes=None, eta_ms=None)
    responses.get(f"{URL}/jobs/{JOB}/drrs/rescales/r1", json=body)
    found = client.status(JOB, "r1")
    assert found.phase is Phase.PLANNED
    assert found.exchange.bytes == 0


@responses.activate
def test_a_rescale_carries_an_id_of_its_own_and_the_agreed_names(client: Client) -> None:
    posted = responses.post(f"{URL}/jobs/{JOB}/drrs/rescales", status=202, json={"request_id": "r1"})
    assert client.rescale(JOB, RescaleRequest(vertex="count", parallelism=4)) == "r1"
    body = json.loads(posted.calls[0].request.body or "")
    assert len(body.pop("request_id")) == 32
    assert body == {"vertex": "count", "parallelism": 4, "strategy": "drrs", "dry_run": False, "options": {}}


@responses.activate
def test_a_connection_error_is_retried_with_the_same_request_id(client: Client) -> None:
    url = f"{URL}/jobs/{JOB}/drrs/rescales"
    broken = responses.post(url, body=requests.ConnectionError("reset"))
    good = responses.post(url, status=202, json={"request_id": "r1"})
    client.rescale(JOB, RescaleRequest(vertex="count", parallelism=4))
    assert broken.calls[0].request.body == good.calls[0].request.body


@responses.activate
def test_a_jobmanager_without_a_leader_is_asked_again(client: Client) -> None:
    url = f"{URL}/jobs/overview"
    responses.get(url, status=503, json={"errors": ["Service temporarily unavailable."]})
    responses.get(url, json={"jobs": []})
    assert client.jobs() == []


@responses.activate
@pytest.mark.parametrize("code", [400, 404, 409, 500])
def test_an_answer_with_faults_is_never_retried(client: Client, code: int) -> None:
    answer = responses.get(f"{URL}/jobs/{JOB}/drrs/vertices", status=code, json=refusal("UNKNOWN_JOB")[1])
    with pytest.raises(Refused) as caught:
        client.vertices(JOB)
    assert caught.value.faults[0].code == "UNKNOWN_JOB"
    assert len(answer.calls) == 1


@responses.activate
def test_all_faults_of_a_request_are_kept(client: Client) -> None:
    responses.post(
        f"{URL}/jobs/{JOB}/drrs/rescales",
        status=409,
        json=refusal("ABOVE_CEILING", "NOT_ENOUGH_SLOTS")[1],
        match=[matchers.json_params_matcher({"dry_run": True}, strict_match=False)],
    )
    with pytest.raises(Refused) as caught:
        client.check(JOB, RescaleRequest(vertex="count", parallelism=99))
    assert [fault.code for fault in caught.value.faults] == ["ABOVE_CEILING", "NOT_ENOUGH_SLOTS"]


@responses.activate
def test_a_stock_cluster_is_told_from_an_unknown_job(client: Client) -> None:
    responses.get(f"{URL}/drrs/overview", status=404, json={"errors": ["Not found: /drrs/overview"]})
    responses.get(f"{URL}/config", json={"flink-version": "2.3.0", "features": {"web-submit": True}})
    with pytest.raises(NotPlugged, match="pyctl install"):
        client.overview()


@responses.activate
def test_the_stack_trace_of_flinks_own_errors_is_cut(client: Client) -> None:
    text = "org.apache.flink.runtime.rest.NotFoundException: Job x not found\n\tat java.base/Thread.run(Thread.java)"
    responses.get(f"{URL}/jobs/overview", status=404, json={"errors": [text]})
    with pytest.raises(Refused) as caught:
        client.jobs()
    assert str(caught.value) == "Job x not found"


@responses.activate
def test_nobody_there_is_not_reachable_within_the_retry_time(client: Client) -> None:
    responses.get(f"{URL}/jobs/overview", body=requests.ConnectionError("Connection refused"))
    with pytest.raises(NotReachable, match="connection refused"):
        client.jobs()


@responses.activate
def test_an_answer_without_an_agreed_field_names_it(client: Client) -> None:
    body = vertices(vertex())
    del body["slots"]
    responses.get(f"{URL}/jobs/{JOB}/drrs/vertices", json=body)
    with pytest.raises(ProtocolError, match="slots"):
        client.vertices(JOB)
