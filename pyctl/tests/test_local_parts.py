"""The parts of a local cluster that need no Flink: options, processes, ports, configuration."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyctl import flink_config
from pyctl.flink_home import FlinkHome
from pyctl.local_cluster import process
from pyctl.local_cluster.layout import Layout, options
from pyctl.local_cluster.ports import ephemeral_floor, free_ports


@pytest.fixture
def home(tmp_path: Path) -> FlinkHome:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text("env:\n  java:\n    opts:\n      all: --add-opens=a/b=ALL-UNNAMED\n")
    return FlinkHome(tmp_path)


def test_the_agent_is_appended_to_the_shipped_options(home: FlinkHome, tmp_path: Path) -> None:
    result = options(Layout(tmp_path / "c"), home, True, 1, 2, 3, {})
    agent = f"-javaagent:{tmp_path}/c/lib/drrs-flink-plugin.jar"
    assert result["env.java.opts.all"] == f"--add-opens=a/b=ALL-UNNAMED {agent}"
    assert "javaagent" not in options(Layout(tmp_path / "c"), home, False, 1, 2, 3, {})["env.java.opts.all"]


def test_given_options_win_but_never_over_the_ports(home: FlinkHome, tmp_path: Path) -> None:
    given_options = {"taskmanager.memory.process.size": "2g", "rest.port": "9"}
    result = options(Layout(tmp_path), home, False, 1, 2, 3, given_options)
    assert result["taskmanager.memory.process.size"] == "2g"
    assert result["rest.port"] == "1"


def test_another_way_to_size_the_memory_replaces_ours(home: FlinkHome, tmp_path: Path) -> None:
    sizes = {"taskmanager.memory.flink.size": "1g", "taskmanager.memory.managed.fraction": "0.4"}
    result = options(Layout(tmp_path), home, False, 1, 2, 3, sizes)
    assert "taskmanager.memory.process.size" not in result
    assert "taskmanager.memory.managed.size" not in result
    assert result["jobmanager.memory.process.size"] == "1g"


option_values = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1).map(str.strip)


@given(st.dictionaries(st.from_regex(r"[a-z]+(\.[a-z]+)?", fullmatch=True), option_values.filter(bool), max_size=4))
def test_every_value_that_is_written_reads_back(values: dict[str, str]) -> None:
    flow = {key: value for key, value in values.items() if not value.startswith(("[", "{"))}
    if any(a != b and b.startswith(f"{a}.") for a in flow for b in flow):
        return
    read = flink_config.parse(flink_config.render(flow), "t")
    # Numbers and booleans come back as such; Flink reads them the same either way.
    assert {k for k, v in read.items() if isinstance(v, str) and v != flow[k]} == set()
    assert read.keys() == flow.keys()


def test_free_ports_are_different_and_below_the_ephemeral_range() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    assert max(ports) < max(ephemeral_floor(), 22_000)


def sleeper(tmp_path: Path, code: str) -> process.JvmProcess:
    log = tmp_path / "x.log"
    return process.start(
        "taskmanager", "x", [sys.executable, "-c", code], os.environ, tmp_path, log, log.with_suffix(".out")
    )


def test_a_process_is_stopped_and_known_to_be_gone(tmp_path: Path) -> None:
    started = sleeper(tmp_path, "import time; time.sleep(60)")
    assert started.alive()
    process.stop_all([started], grace_s=5)
    assert not started.alive()
    started.send(signal.SIGKILL)  # gone: no error, and nobody else is hit


def test_a_process_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
    )
    started = sleeper(tmp_path, code)
    while "ready" not in started.out.read_text():
        assert started.alive()
    process.stop_all([started], grace_s=0.2)
    assert not started.alive()


def test_a_reused_pid_is_not_taken_for_ours(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        stale = process.JvmProcess(
            role="taskmanager", name="old", pid=other.pid, started="0", log=tmp_path / "l", out=tmp_path / "o"
        )
        assert not stale.alive()
        process.stop_all([stale], grace_s=0.1)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_process_that_ends_before_anybody_looks_is_told_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    popen = subprocess.Popen

    def ended(*command: Any, **options: Any) -> subprocess.Popen[bytes]:
        child = popen(*command, **options)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        return child

    monkeypatch.setattr(subprocess, "Popen", ended)
    started = sleeper(tmp_path, "import sys; sys.exit('no such option')")
    assert not started.alive()
    assert "no such option" in started.tail()


def test_the_last_lines_of_a_process_explain_its_end(tmp_path: Path) -> None:
    started = sleeper(tmp_path, "import sys; sys.exit('no such option')")
    assert started.wait_gone(10)
    assert "no such option" in started.tail()
