"""The models fit the answers that a Java test writes (AnswersTest), field by field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import responses
from pydantic import BaseModel

from pyctl.client import Client
from pyctl.errors import Refused
from pyctl.model import Accepted, DrainState, JobVertices, Overview, Rescale, Rescales, Valid

ANSWERS = Path(__file__).parents[2] / "flink-plugin" / "runtime" / "src" / "test" / "resources" / "answers"

MODELS: dict[str, type[BaseModel]] = {
    "overview": Overview,
    "drain": DrainState,
    "vertices": JobVertices,
    "accepted": Accepted,
    "valid": Valid,
    "rescale": Rescale,
    "rescales": Rescales,
}


def answer(name: str) -> Any:
    return json.loads((ANSWERS / f"{name}.json").read_text(encoding="utf-8"))


def unlike(read: Any, sent: Any, where: str) -> list[str]:
    """Where what was read is not what was sent; fields that are not read do not count."""
    if isinstance(read, dict) and isinstance(sent, dict):
        return [
            fault
            for key, value in read.items()
            for fault in (unlike(value, sent[key], f"{where}.{key}") if key in sent else [f"{where}.{key} is not sent"])
        ]
    if isinstance(read, list) and isinstance(sent, list) and len(read) == len(sent):
        pairs = enumerate(zip(read, sent, strict=True))
        return [fault for i, (one, other) in pairs for fault in unlike(one, other, f"{where}[{i}]")]
    return [] if read == sent else [f"{where} is {read!r}, not {sent!r}"]


@pytest.mark.parametrize("name", MODELS)
def test_each_field_of_a_model_is_in_the_answer_and_is_read_as_it_was_sent(name: str) -> None:
    sent = answer(name)
    assert unlike(MODELS[name].model_validate(sent).model_dump(mode="json"), sent, name) == []


def test_a_field_that_nobody_sends_or_that_has_another_value_is_found() -> None:
    sent = answer("vertices")
    read = JobVertices.model_validate(sent).model_dump(mode="json")
    del sent["vertices"][0]["ceiling"]
    sent["slots"]["free"] = 4
    assert unlike(read, sent, "v") == ["v.slots.free is 3, not 4", "v.vertices[0].ceiling is not sent"]


@responses.activate
def test_faults_are_read_as_they_were_sent() -> None:
    sent = answer("errors")
    responses.get("http://jm:8081/drrs/overview", json=sent, status=409)
    with pytest.raises(Refused) as refused:
        Client("jm:8081").overview()
    assert [{"code": fault.code, "message": fault.message} for fault in refused.value.faults] == sent["errors"]


def test_no_answer_is_left_without_a_reader() -> None:
    assert {path.stem for path in ANSWERS.glob("*.json")} == {*MODELS, "errors"}
