"""Installing into a Flink home: idempotent, reversible, and refused where it would not work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command import Cli
from jars import write_jar, write_plugin
from pyctl import plugin_jar
from pyctl.flink_config import OPTS_KEY
from pyctl.flink_home import JAR_NAME, SUPPORTED_FLINK
from test_agent_option import SHIPPED

DIST = "flink-dist-2.3.0.jar"
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "flink"
    for folder in ("bin", "conf", "lib"):
        (root / folder).mkdir(parents=True)
    (root / "lib" / DIST).write_bytes(b"dist")
    (root / "conf" / "config.yaml").write_text(SHIPPED)
    write_plugin(tmp_path / "plugin.jar")
    return root


@pytest.fixture
def install(cli: Cli, home: Path) -> Cli:
    def call(*more: str):  # type: ignore[no-untyped-def]
        return cli("install", "--flink-home", str(home), "--jar", str(home.parent / "plugin.jar"), *more)

    return call


def everything(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_install_shows_the_difference_and_is_idempotent(install: Cli, home: Path) -> None:
    dry = install("--dry-run")
    assert dry.code == 0
    assert f"+ {home / 'lib' / JAR_NAME}" in dry.out
    assert f"{OPTS_KEY.rpartition('.')[2]}: " in dry.out
    assert (home / "conf" / "config.yaml").read_text() == SHIPPED

    done = install("--yes", "--json")
    assert (done.code, done.json["changed"]) == (0, True)
    assert (home / "lib" / JAR_NAME).read_bytes() == (home.parent / "plugin.jar").read_bytes()
    assert f"-javaagent:{home / 'lib' / JAR_NAME}" in (home / "conf" / "config.yaml").read_text()

    again = install("--yes")
    assert (again.code, again.out) == (0, "")
    assert "nothing to do" in again.err

    write_plugin(home.parent / "plugin.jar", "0.2.0")
    assert install("--yes", "--json").json["diff"].startswith("~ ")
    assert plugin_jar.version(home / "lib" / JAR_NAME) == "0.2.0"


@pytest.mark.parametrize(
    "config",
    [SHIPPED.encode(), b"", b"a: 1", b"a: 1\r\nenv.java.opts.all: -Xa\r\n", b"env.java.default-opts.all: -Xa\n# end"],
)
def test_uninstall_restores_the_home_to_the_byte(install: Cli, cli: Cli, home: Path, config: bytes) -> None:
    (home / "conf" / "config.yaml").write_bytes(config)
    (home / "conf" / "flink-conf.yaml").write_text("env.java.opts.all: -Xold\n")
    before = everything(home)
    assert install("--yes").code == 0
    assert everything(home) != before
    assert cli("uninstall", "--flink-home", str(home), "--yes").code == 0
    assert everything(home) == before
    assert cli("uninstall", "--flink-home", str(home), "--json").json["changed"] is False


def test_a_configuration_behind_a_link_stays_behind_it(install: Cli, home: Path) -> None:
    config = home / "conf" / "config.yaml"
    elsewhere = home.parent / "shared.yaml"
    config.rename(elsewhere)
    config.symlink_to(elsewhere)
    assert install("--yes").code == 0
    assert config.is_symlink()
    assert JAR_NAME in elsewhere.read_text()


@pytest.mark.parametrize("name", ["flink-dist-1.20.0.jar", "flink-dist_2.12-1.14.6.jar", "flink-dist-2.2.1.jar"])
def test_a_home_of_another_flink_is_refused_with_both_versions(install: Cli, cli: Cli, home: Path, name: str) -> None:
    (home / "lib" / DIST).rename(home / "lib" / name)
    before = everything(home)
    result = install("--yes", "--json")
    assert (result.code, result.error_codes) == (3, ["FLINK_VERSION"])
    version = name.removesuffix(".jar").rpartition("-")[2]
    assert f"is Flink {version}, and the plug-in is made for Flink {SUPPORTED_FLINK} only" in result.out
    assert everything(home) == before
    assert cli("uninstall", "--flink-home", str(home), "--yes").code == 0


def test_the_manifest_of_flink_dist_counts_more_than_its_name(install: Cli, home: Path) -> None:
    write_jar(home / "lib" / DIST, Implementation_Version="1.20.1")
    assert "is Flink 1.20.1" in install("--yes").err


def test_a_home_that_tells_no_version_or_two_is_refused(install: Cli, home: Path) -> None:
    (home / "lib" / "flink-dist-1.20.0.jar").write_bytes(b"")
    assert "there are 2: flink-dist-1.20.0.jar, flink-dist-2.3.0.jar" in install("--yes").err
    (home / "lib" / DIST).unlink()
    (home / "lib" / "flink-dist-1.20.0.jar").rename(home / "lib" / "flink-dist.jar")
    assert "tells no version" in install("--yes").err


def test_the_supported_flink_is_the_one_the_plugin_is_built_for() -> None:
    found = re.search(r"<flink.version>([^<]+)<", (REPOSITORY / "flink-plugin/pom.xml").read_text())
    assert found is not None
    assert found[1] == SUPPORTED_FLINK


def test_a_second_copy_of_the_plugin_is_refused_whatever_it_is_called(install: Cli, home: Path) -> None:
    write_plugin(home / "lib" / "a-copy.jar", "0.0.9")
    write_plugin(home / "elsewhere.jar", "0.0.8")
    config = f"{OPTS_KEY}: -javaagent:{home}/elsewhere.jar=x -javaagent:{home}/lib/a-copy.jar -javaagent:/no/such.jar\n"
    (home / "conf" / "config.yaml").write_text(config)
    before = everything(home)
    result = install("--yes", "--json")
    assert (result.code, result.error_codes) == (3, ["PLUGIN_COPY", "PLUGIN_COPY"])
    assert "a-copy.jar is the plug-in too (version 0.0.9)" in result.out
    assert "elsewhere.jar is the plug-in too (version 0.0.8)" in result.out
    assert everything(home) == before


def test_uninstall_names_the_copies_it_leaves(install: Cli, cli: Cli, home: Path) -> None:
    install("--yes")
    write_plugin(home / "lib" / "a-copy.jar")
    result = cli("uninstall", "--flink-home", str(home), "--yes")
    assert result.code == 0
    assert f"{home / 'lib' / 'a-copy.jar'} is the plug-in too and stays" in result.err


def test_a_jar_that_is_not_the_plugin_is_refused(install: Cli, home: Path) -> None:
    (home.parent / "plugin.jar").write_bytes(b"something else")
    assert install("--yes", "--json").error_codes == ["NOT_THE_PLUGIN"]
    write_jar(home.parent / "plugin.jar", Premain_Class="com.example.Agent")
    assert install("--yes", "--json").error_codes == ["NOT_THE_PLUGIN"]


def test_all_that_is_wrong_with_a_home_is_in_one_answer(install: Cli, home: Path) -> None:
    (home / "lib" / DIST).rename(home / "lib" / "flink-dist-1.20.0.jar")
    write_plugin(home / "lib" / "copy.jar")
    (home / "conf" / "config.yaml").rename(home / "conf" / "flink-conf.yaml")
    result = install("--yes", "--json")
    assert result.error_codes == ["FLINK_VERSION", "PLUGIN_COPY", "CONFIG"]
    assert "bin/migrate-config-file.sh converts it" in result.out


@pytest.mark.parametrize("config", [b"a: [", b"env.java.opts.all:\n", b"\xff\xfe"])
def test_a_configuration_that_cannot_be_edited_is_refused(install: Cli, home: Path, config: bytes) -> None:
    (home / "conf" / "config.yaml").write_bytes(config)
    before = everything(home)
    assert install("--yes", "--json").error_codes == ["CONFIG"]
    assert everything(home) == before


def test_without_a_terminal_yes_is_needed(install: Cli, home: Path) -> None:
    result = install("--json")
    assert (result.code, result.error_codes) == (2, ["USAGE"])
    assert not (home / "lib" / JAR_NAME).exists()


def test_a_folder_that_is_no_flink_home_is_refused(cli: Cli, tmp_path: Path) -> None:
    result = cli("install", "--flink-home", str(tmp_path), "--yes")
    assert result.code == 4
    assert "is not a Flink home" in result.err


def test_a_missing_jar_is_named(cli: Cli, home: Path) -> None:
    result = cli("install", "--flink-home", str(home), "--jar", str(home / "no.jar"), "--yes")
    assert "build it with Maven, or name it with --jar" in result.err
