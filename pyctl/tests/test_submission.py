"""The file that says how a job was submitted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyctl.errors import UsageError
from pyctl.submission import Submission, program, read

GOOD: dict[str, Any] = {"jar_id": "a.jar", "arguments": [], "options": {}}


def written(folder: Path, document: Any) -> Path:
    file = folder / "submission.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return file


def test_a_jar_lies_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "job.jar").touch()
    found = read(written(tmp_path, {"jar": "job.jar", "arguments": ["-x"], "options": {"a": "b"}}))
    assert found.jar == tmp_path / "job.jar"
    with pytest.raises(UsageError, match=r"other\.jar of the submission .* is not there\.$"):
        read(written(tmp_path, {"jar": "other.jar", "arguments": [], "options": {}}))


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({"jar_id": "a.jar", "options": {}}, "arguments"),
        ({"jar_id": "a.jar", "arguments": []}, "options"),
        ({"arguments": [], "options": {}}, "jar"),
        ({**GOOD, "jar": "b.jar"}, "either jar"),
        ({**GOOD, "entry": "x.Main"}, "entry"),
        ("{", "JSON"),
    ],
)
def test_what_is_missing_is_asked_for_by_name(tmp_path: Path, document: Any, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        read(written(tmp_path, document))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        read(tmp_path / "nowhere")


TEXT = st.text(alphabet="ab{}:= -", max_size=12)


@given(before=TEXT, after=TEXT, number=st.integers(1, 500))
def test_only_places_for_a_parallelism_are_filled(before: str, after: str, number: int) -> None:
    texts = [before + "{parallelism:count}" + after, before, "{parallelism}"]
    made = Submission(jar_id="j", arguments=texts, options={"k": texts[0]})
    filled = program(made, lambda name: number if name else 1000)
    assert filled.arguments == (f"{before}{number}{after}", before, "1000")
    assert filled.options == {"k": f"{before}{number}{after}"}
