"""The wheel of pyctl brings the plug-in's jar: on a machine without a checkout and without Maven it suffices."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from harness.cluster import PLUGIN_JAR, ROOT, Cluster
from pyctl import __version__, plugin_jar
from pyctl.flink_home import JAR_NAME, JAR_VARIABLE, find_flink_home

QUIET = ("-q", "--disable-pip-version-check", "--no-deps")


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Standard output of a program that ends well."""
    kept = {name: value for name, value in os.environ.items() if name not in {JAR_VARIABLE, "FLINK_HOME", "PYTHONPATH"}}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env={**kept, **environment}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """`pyctl` from the wheel, in an environment of its own that sees what it depends on."""
    wheels = tmp_path / "wheels"
    build = ("--no-build-isolation", "-w", str(wheels), str(ROOT / "pyctl"))
    run(sys.executable, "-m", "pip", "wheel", *QUIET, *build, cwd=tmp_path, DRRS_PLUGIN_JAR=str(PLUGIN_JAR))
    (wheel,) = wheels.glob("pyctl-*.whl")
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", *QUIET, "--no-index", str(wheel), cwd=tmp_path)
    packages = next(environment.glob("lib/python*/site-packages"))
    # Behind its own packages; an editable pyctl in there is not seen, as its own .pth file is not read.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return environment / "bin" / "pyctl"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A Flink home of one's own; the big jars are links. Its scripts are not: they would go back to where they are."""
    stock, copy = find_flink_home().root, tmp_path / "flink"
    for folder in ("bin", "conf"):
        shutil.copytree(stock / folder, copy / folder)
    (copy / "lib").mkdir()
    for jar in (stock / "lib").glob("*.jar"):
        if not plugin_jar.is_plugin(jar):
            (copy / "lib" / jar.name).symlink_to(jar)
    return copy


def test_pip_install_and_pyctl_install_suffice(installed: Path, home: Path, tmp_path: Path) -> None:
    answer = json.loads(run(installed, "install", "--flink-home", home, "--yes", "--json", cwd=tmp_path))
    assert answer["changed"] is True
    assert Path(answer["jar"]).is_relative_to(installed.parents[1])
    assert (answer["version"], answer["build"]) == (__version__, plugin_jar.build(PLUGIN_JAR))
    assert (home / "lib" / JAR_NAME).read_bytes() == PLUGIN_JAR.read_bytes()
    assert f"-javaagent:{home / 'lib' / JAR_NAME}" in (home / "conf" / "config.yaml").read_text()
    # The command line client reads the same options, so it runs under the agent.
    loaded = tmp_path / "loaded"
    options = f"-Xlog:class+load:file={loaded}-%p"
    assert "Version: 2.3.0" in run(home / "bin" / "flink", "--version", cwd=tmp_path, JAVA_TOOL_OPTIONS=options)
    assert any(plugin_jar.PREMAIN_CLASS in log.read_text() for log in tmp_path.glob(f"{loaded.name}-*"))


def test_the_build_of_a_jar_is_what_the_plugin_says_of_itself(cluster: Cluster) -> None:
    overview = cluster.client.overview()
    assert (overview.version, overview.build) == (plugin_jar.version(PLUGIN_JAR), plugin_jar.build(PLUGIN_JAR))
