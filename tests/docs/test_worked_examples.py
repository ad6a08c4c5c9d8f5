"""What a page shows as code is code that is compiled and run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "strategies.md"

# A file in backticks, and the next block of code behind it.
SHOWN = re.compile(r"`(flink-plugin/\S+\.java)`(?:(?!```).)*?```java\n(.*?)```", re.DOTALL)


def shown() -> list[tuple[str, str]]:
    return SHOWN.findall(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("file", "code"), shown(), ids=[Path(file).stem for file, _ in shown()])
def test_code_on_the_page_is_in_the_file_that_it_names(file: str, code: str) -> None:
    assert code in (ROOT / file).read_text(encoding="utf-8")


def test_each_block_of_java_names_its_file() -> None:
    assert len(shown()) == PAGE.read_text(encoding="utf-8").count("```java") == 3


def test_the_example_is_whole() -> None:
    """A reader who copies the class has all of it but the head of the file."""
    file, code = shown()[0]
    assert (ROOT / file).read_text(encoding="utf-8").endswith(code)
