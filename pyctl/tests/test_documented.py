"""Every code that a program may get from pyctl is in docs/interfaces.md, and every exit code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyctl.errors import ExitCode

ROOT = Path(__file__).parents[2]
INTERFACES = (ROOT / "docs" / "interfaces.md").read_text()
SOURCES = sorted((ROOT / "pyctl" / "src").rglob("*.py"))
FAULT_CODES = ROOT / "flink-plugin/runtime/src/main/java/dev/drrs/runtime/answer/FaultCode.java"

_IN_PYCTL = re.compile(r'''(?:Fault|ResolveError|OnlyHistory)\(\s*"([A-Z_]+)"|\bcode(?:: str)? ?= ?"([A-Z_]+)"''')
_IN_JAVA = re.compile(r"^    ([A-Z_]+)\(\d+\)[,;]$", re.MULTILINE)


def codes() -> list[str]:
    found = {a or b for source in SOURCES for a, b in _IN_PYCTL.findall(source.read_text())}
    return sorted(found | set(_IN_JAVA.findall(FAULT_CODES.read_text())))


def test_the_codes_are_found() -> None:
    assert {"FLINK_VERSION", "AMBIGUOUS_JOB", "NO_HISTORY", "TLS", "TIMEOUT", "ABOVE_CEILING"} <= set(codes())


@pytest.mark.parametrize("code", codes())
def test_each_code_is_documented(code: str) -> None:
    assert f"`{code}`" in INTERFACES


@pytest.mark.parametrize("code", list(ExitCode))
def test_each_exit_code_is_documented(code: ExitCode) -> None:
    assert f"| {int(code)} |" in INTERFACES
