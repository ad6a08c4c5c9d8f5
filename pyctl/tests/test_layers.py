"""What may use what: only the command line talks to a terminal, and only one module knows real time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "pyctl"
MODULES = sorted(SOURCES.rglob("*.py"))
ROOT = SOURCES.parents[2]
CLIENTS = {"requests", "urllib3", "http", "aiohttp", "httpx"}
TERMINAL = {"typer", "rich", "click"}


def imported(tree: ast.AST) -> Iterator[str]:
    """Names of the modules that a source imports, at whatever place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def printed(tree: ast.AST) -> bool:
    """Whether a source calls `print`."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Name) and called.id == "print" for called in calls)


def name(module: Path) -> str:
    return str(module.relative_to(SOURCES))


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_only_the_command_line_knows_a_terminal(module: Path) -> None:
    if module.is_relative_to(SOURCES / "cli") or name(module) == "__main__.py":
        return
    tree = ast.parse(module.read_text())
    top = {".".join(one.split(".")[:2]) for one in imported(tree)}
    assert not {one for one in top if one == "pyctl.cli" or one.partition(".")[0] in TERMINAL}
    assert not printed(tree)


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_only_the_clock_knows_real_time(module: Path) -> None:
    known = "time" in {one.partition(".")[0] for one in imported(ast.parse(module.read_text()))}
    assert known == (name(module) == "clock.py")


def test_there_is_one_http_client() -> None:
    folders = [SOURCES, ROOT / "jobs" / "pipeline" / "src", ROOT / "tests"]
    modules = [module for folder in folders for module in folder.rglob("*.py")]
    users = {module for module in modules if CLIENTS & {one.partition(".")[0] for one in imports_of(module)}}
    assert {module.relative_to(ROOT).as_posix() for module in users} == {
        "pyctl/src/pyctl/rest.py", "pyctl/src/pyctl/transport.py",
        # Asks as Prometheus does, not for JSON.
        "tests/e2e/test_dashboards.py",
    }  # fmt: skip


def imports_of(module: Path) -> set[str]:
    return set(imported(ast.parse(module.read_text())))


def test_the_guard_sees_what_it_is_to_see() -> None:
    assert set(imported(ast.parse("def f():\n    from rich.console import Console"))) >= {"rich.console"}
    assert printed(ast.parse("print(1)"))
