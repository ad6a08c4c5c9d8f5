"""Putting the plug-in into a Flink home, and taking it out again.

Two things change: the jar in `lib/`, and one agent argument in the option `env.java.opts.all` of `conf/config.yaml`
(see `pyctl.agent_option`). Taking out what was put in gives back the home there was.
"""

from __future__ import annotations

import difflib
import filecmp
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from pyctl import plugin_jar
from pyctl.agent_option import agents, edit_agent
from pyctl.errors import ClusterError, Fault, Refused
from pyctl.flink_home import JAR_NAME, FlinkHome


@dataclass(frozen=True)
class Change:
    """What is to be done to a Flink home; nothing is written before `apply`."""

    config: Path
    before: str
    after: str
    jar: Path
    jar_source: Path | None
    """The jar to copy; None if `lib/` is to have none."""

    @property
    def jar_changes(self) -> bool:
        if self.jar_source is None:
            return self.jar.exists()
        return not (self.jar.is_file() and filecmp.cmp(self.jar_source, self.jar, shallow=False))

    @property
    def needed(self) -> bool:
        """False if the home is already as wanted."""
        return self.jar_changes or self.before != self.after

    def diff(self) -> str:
        """The difference as text: a line for the jar, a unified diff of the configuration."""
        lines = []
        if self.jar_changes:
            sign = "-" if self.jar_source is None else "~" if self.jar.exists() else "+"
            source = "" if self.jar_source is None else f" (copy of {self.jar_source})"
            lines.append(f"{sign} {self.jar}{source}\n")
        name = str(self.config)
        lines += difflib.unified_diff(self.before.splitlines(True), self.after.splitlines(True), name, name, n=1)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def apply(self) -> None:
        """Carry it out, in the order that never leaves an agent configured whose jar is missing."""
        if self.jar_source is not None and self.jar_changes:
            fresh = self.jar.with_suffix(".tmp")
            shutil.copyfile(self.jar_source, fresh)
            # Renamed into place: a running JVM keeps the old file.
            fresh.replace(self.jar)
        if self.before != self.after:
            real = self.config.resolve()
            fresh = real.with_suffix(".yaml.tmp")
            _write(fresh, self.after)
            shutil.copymode(real, fresh)
            os.replace(fresh, real)
        if self.jar_source is None and self.jar.exists():
            self.jar.unlink()


def plan_install(home: FlinkHome, jar: Path) -> Change:
    """The change that puts `jar` into the home. Raises Refused with all that stands in the way."""
    target = home.lib / JAR_NAME
    faults = [fault for fault in (home.version_fault(), _not_the_plugin(jar)) if fault is not None]
    if any(character.isspace() for character in str(target)):
        faults.append(
            Fault("HOME_PATH", f"The path {target} has a space in it: Flink's scripts split the agent argument there.")
        )
    faults += [
        Fault(
            "PLUGIN_COPY",
            f"{copy} is the plug-in too (version {plugin_jar.version(copy) or 'unknown'}), and one JVM takes only one: "
            f"remove it first, with its -javaagent argument if it has one.",
        )
        for copy in copies(home)
    ]
    return _change(home, target, jar, f"-javaagent:{target}", faults)


def plan_uninstall(home: FlinkHome) -> Change:
    """The change that takes the plug-in out of the home. Raises Refused if its configuration cannot be edited."""
    return _change(home, home.lib / JAR_NAME, None, None, [])


def copies(home: FlinkHome) -> list[Path]:
    """Jars of the plug-in under other names than its own: in `lib/`, and elsewhere as an agent in the configuration."""
    found = [jar for jar in sorted(home.lib.glob("*.jar")) if jar.name != JAR_NAME and plugin_jar.is_plugin(jar)]
    config = home.conf / "config.yaml"
    try:
        named = [Path(jar) for jar in agents(_read(config), str(config))] if config.is_file() else []
    except ClusterError:
        return found  # the edit of the configuration says what is wrong with it
    return found + [jar for jar in named if jar.name != JAR_NAME and jar not in found and plugin_jar.is_plugin(jar)]


def _not_the_plugin(jar: Path) -> Fault | None:
    if plugin_jar.is_plugin(jar):
        return None
    return Fault("NOT_THE_PLUGIN", f"{jar} is not the plug-in: its manifest has no agent {plugin_jar.PREMAIN_CLASS}.")


def _change(home: FlinkHome, target: Path, jar: Path | None, agent: str | None, faults: list[Fault]) -> Change:
    config = home.conf / "config.yaml"
    before = after = ""
    if config.is_file():
        try:
            before = _read(config)
            after = edit_agent(before, agent, str(config))
        except ClusterError as error:
            faults.append(Fault("CONFIG", str(error)))
    else:
        old = (home.conf / "flink-conf.yaml").is_file()
        remedy = ": it does not read flink-conf.yaml any more, bin/migrate-config-file.sh converts it." if old else "."
        faults.append(Fault("CONFIG", f"There is no {config}, where Flink 2 has its options{remedy}"))
    if faults:
        raise Refused(faults)
    return Change(config, before, after, target, jar)


def _read(config: Path) -> str:
    try:
        return config.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ClusterError(f"{config} is not a text in UTF-8.") from error


def _write(file: Path, text: str) -> None:
    # As bytes: line breaks stay what they are.
    file.write_bytes(text.encode("utf-8"))
