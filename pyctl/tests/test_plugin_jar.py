"""The plug-in's jar: what it says of itself, where it is looked for, and how it gets into the wheel."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile
import zlib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from jars import write_plugin
from pyctl import __version__, flink_home, plugin_jar
from pyctl.errors import ClusterError
from pyctl.flink_home import JAR_IN_REPO, JAR_NAME, JAR_VARIABLE, find_plugin_jar

PROJECT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder, and a place of the package, with no checkout around them."""
    for folder in ("cwd", "package"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setattr(flink_home, "__file__", str(tmp_path / "package" / "flink_home.py"))
    monkeypatch.delenv(JAR_VARIABLE, raising=False)


def built(folder: Path) -> Path:
    """A built plug-in in a checkout."""
    (folder / JAR_IN_REPO).parent.mkdir(parents=True)
    return write_plugin(folder / JAR_IN_REPO)


def test_the_build_is_a_digest_of_the_sorted_names_and_check_sums(tmp_path: Path) -> None:
    jar = write_plugin(tmp_path / "plugin.jar")
    with zipfile.ZipFile(jar, "a") as archive:
        archive.writestr("b/B.class", b"two")
        archive.writestr("a/A.class", b"one")
        archive.writestr("a/", b"")
    text = f"{{a/A.class={zlib.crc32(b'one')}, b/B.class={zlib.crc32(b'two')}}}"
    assert plugin_jar.build(jar) == hashlib.sha256(text.encode()).hexdigest()[:12]
    assert plugin_jar.title(jar) == f"0.1.0, build {plugin_jar.build(jar)}"
    (tmp_path / "text.jar").write_text("no jar")
    assert plugin_jar.build(tmp_path / "text.jar") is None


def test_the_jar_that_came_with_pyctl_is_taken_before_one_that_was_built_around(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match=r"neither in this installation of pyctl nor at .* name it with --jar"):
        find_plugin_jar()
    around_the_package = built(tmp_path / "package")
    assert find_plugin_jar() == around_the_package
    around_the_folder = built(tmp_path / "cwd")
    assert find_plugin_jar() == around_the_folder
    came_with_it = write_plugin(tmp_path / "package" / JAR_NAME)
    assert find_plugin_jar() == came_with_it


def test_what_is_named_is_taken_or_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plugin(tmp_path / "package" / JAR_NAME)
    named = write_plugin(tmp_path / "named.jar")
    monkeypatch.setenv(JAR_VARIABLE, str(named))
    assert find_plugin_jar() == named
    with pytest.raises(ClusterError, match=r"at .*no\.jar"):
        find_plugin_jar(tmp_path / "no.jar")


# -- the build of the wheel --------------------------------------------------------------------------------------------


def hatch_build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", PROJECT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packed(root: Path, version: str = "standard") -> tuple[dict[str, str], list[str]]:
    """What the hook adds to a wheel of the project in `root`, and its warnings."""
    warnings: list[str] = []
    app: Any = SimpleNamespace(display_warning=warnings.append)
    metadata: Any = SimpleNamespace(version=__version__)
    hook = hatch_build().JarInWheel(str(root), {}, None, metadata, "dist", "wheel", app)
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize(version, data)
    return data["force_include"], warnings


def test_the_names_are_those_that_pyctl_looks_for() -> None:
    module = hatch_build()
    assert (module.JAR_NAME, module.JAR_IN_REPO, module.JAR_VARIABLE) == (JAR_NAME, JAR_IN_REPO, JAR_VARIABLE)


def test_the_built_jar_is_in_the_wheel_and_in_no_editable_install(tmp_path: Path) -> None:
    jar = built(tmp_path)
    assert packed(tmp_path / "pyctl") == ({str(jar): f"pyctl/{JAR_NAME}"}, [])
    assert packed(tmp_path / "pyctl", "editable") == ({}, [])


def test_a_wheel_without_a_jar_is_warned_of_and_one_with_a_named_jar_that_is_missing_is_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    included, warnings = packed(tmp_path / "pyctl")
    assert included == {}
    assert "without the plug-in's jar" in warnings[0]
    monkeypatch.setenv(JAR_VARIABLE, str(tmp_path / "no.jar"))
    with pytest.raises(FileNotFoundError, match="which is not there"):
        packed(tmp_path / "pyctl")


def test_a_jar_of_another_version_is_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(JAR_VARIABLE, str(write_plugin(tmp_path / "other.jar", "9.9.9")))
    with pytest.raises(ValueError, match=r"is version 9\.9\.9 of the plug-in, and pyctl is"):
        packed(tmp_path / "pyctl")
