"""Installing into a Flink home: idempotent, reversible, and nothing else in the configuration changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import Cli
from pyctl import flink_config
from pyctl.errors import ClusterError
from pyctl.flink_config import OPTS_KEY
from pyctl.flink_home import JAR_NAME
from pyctl.install import edit_agent

AGENT = f"-javaagent:/opt/flink/lib/{JAR_NAME}"
SHIPPED = """\
# the opens that Java 17 needs
env:
  java:
    opts:
      all: --add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED
#  log:
#    level: TRACE

jobmanager:
  rpc:
    port: 6123 # keep
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "flink"
    for folder in ("bin", "conf", "lib"):
        (root / folder).mkdir(parents=True)
    (root / "lib" / "flink-dist-2.3.0.jar").write_bytes(b"dist")
    (root / "conf" / "config.yaml").write_text(SHIPPED)
    (tmp_path / "plugin.jar").write_bytes(b"one")
    return root


def test_the_agent_is_appended_to_the_shipped_value_and_all_else_stays() -> None:
    edited = edit_agent(SHIPPED, AGENT)
    assert edited == SHIPPED.replace("java.lang=ALL-UNNAMED\n", f"java.lang=ALL-UNNAMED {AGENT}\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: 1",
        "a: 1\n",
        "env.java.opts.all: -Xa -Xb\nz: 1\n",
        "env.java:\n  opts.all: '-Xa -Xb' # note\n",
        'env.java.opts.all: "-Xa"\n',
        "env.java.opts.all:\nz: 1\n",
        "env.java.opts.all: ''\n",
        "env:\n  java:\n    opts:\n      all: >-\n        -Xa\n        -Xb\n  other: 1\n",
        "env:\n  java:\n    opts:\n      all: -Xa\n        -Xb\n",
        SHIPPED,
    ],
)
def test_any_way_to_write_the_option_is_edited_and_restored(text: str) -> None:
    before = flink_config.parse(text, "t")
    added = edit_agent(text, AGENT)
    value = str(flink_config.parse(added, "t")[OPTS_KEY])
    assert value.split()[-1] == AGENT
    assert edit_agent(added, AGENT) == added
    moved = edit_agent(added, AGENT.replace("/opt", "/srv"))
    assert str(flink_config.parse(moved, "t")[OPTS_KEY]).count("-javaagent") == 1
    removed = flink_config.parse(edit_agent(added, None), "t")
    assert str(removed.pop(OPTS_KEY, None) or "").split() == str(before.pop(OPTS_KEY, None) or "").split()
    assert removed == before


@given(st.lists(st.sampled_from(["-Xmx1g", "-Da=b", "-javaagent:/x/other.jar", AGENT]), max_size=6))
def test_other_arguments_and_their_order_survive(arguments: list[str]) -> None:
    text = f"{OPTS_KEY}: {' '.join(arguments)}\n" if arguments else ""
    options = flink_config.parse(edit_agent(text, AGENT), "t")
    assert str(options[OPTS_KEY]).split() == [a for a in arguments if a != AGENT] + [AGENT]


@pytest.mark.parametrize("text", ["a: [", "- a\n- b\n"])
def test_a_file_that_flink_could_not_read_is_refused(text: str) -> None:
    with pytest.raises(ClusterError, match=r"config\.yaml"):
        edit_agent(text, AGENT)


def test_install_shows_the_difference_and_is_idempotent(cli: Cli, home: Path) -> None:
    arguments = ("install", "--flink-home", str(home), "--jar", str(home.parent / "plugin.jar"))
    dry = cli(*arguments, "--dry-run")
    assert dry.code == 0
    assert f"+ {home / 'lib' / JAR_NAME}" in dry.out
    assert f"{OPTS_KEY.rpartition('.')[2]}: " in dry.out
    assert (home / "conf" / "config.yaml").read_text() == SHIPPED

    done = cli(*arguments, "--yes", "--json")
    assert (done.code, done.json["changed"]) == (0, True)
    assert (home / "lib" / JAR_NAME).read_bytes() == b"one"
    assert f"-javaagent:{home / 'lib' / JAR_NAME}" in (home / "conf" / "config.yaml").read_text()

    again = cli(*arguments, "--yes")
    assert (again.code, again.out) == (0, "")
    assert "nothing to do" in again.err

    (home.parent / "plugin.jar").write_bytes(b"two")
    assert cli(*arguments, "--yes", "--json").json["diff"].startswith("~ ")
    assert (home / "lib" / JAR_NAME).read_bytes() == b"two"


def test_uninstall_restores_the_home(cli: Cli, home: Path) -> None:
    cli("install", "--flink-home", str(home), "--jar", str(home.parent / "plugin.jar"), "--yes")
    assert cli("uninstall", "--flink-home", str(home), "--yes").code == 0
    assert (home / "conf" / "config.yaml").read_text() == SHIPPED
    assert sorted(p.name for p in (home / "lib").iterdir()) == ["flink-dist-2.3.0.jar"]
    assert cli("uninstall", "--flink-home", str(home), "--json").json["changed"] is False


def test_without_a_terminal_yes_is_needed(cli: Cli, home: Path) -> None:
    result = cli("install", "--flink-home", str(home), "--jar", str(home.parent / "plugin.jar"), "--json")
    assert (result.code, result.error_codes) == (2, ["USAGE"])
    assert not (home / "lib" / JAR_NAME).exists()


def test_a_folder_that_is_no_flink_home_is_refused(cli: Cli, tmp_path: Path) -> None:
    result = cli("install", "--flink-home", str(tmp_path), "--yes")
    assert result.code == 4
    assert "is not a Flink home" in result.err


def test_a_missing_jar_is_named(cli: Cli, home: Path) -> None:
    result = cli("install", "--flink-home", str(home), "--jar", str(home / "no.jar"), "--yes")
    assert "build it with Maven, or name it with --jar" in result.err
