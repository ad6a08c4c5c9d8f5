"""Putting the plug-in into a Flink home, and taking it out again.

Two things change: the jar in `lib/`, and one agent argument in the option `env.java.opts.all` of `conf/config.yaml`.
The file is edited in place and not written anew, so comments and order stay; the result is parsed and compared with
what was meant before anything is written.
"""

from __future__ import annotations

import difflib
import filecmp
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from pyctl import flink_config
from pyctl.errors import ClusterError
from pyctl.flink_config import OPTS_KEY
from pyctl.flink_home import JAR_NAME, FlinkHome

_AGENT = re.compile(rf"\s*-javaagent:[^\s'\"]*{re.escape(JAR_NAME)}")


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
            fresh = self.config.with_suffix(".yaml.tmp")
            fresh.write_text(self.after)
            shutil.copymode(self.config, fresh)
            os.replace(fresh, self.config.resolve())
        if self.jar_source is None and self.jar.exists():
            self.jar.unlink()


def plan_install(home: FlinkHome, jar: Path) -> Change:
    """The change that puts `jar` into the home. Raises ClusterError if the home's configuration cannot be edited."""
    target = home.lib / JAR_NAME
    if any(character.isspace() for character in str(target)):
        raise ClusterError(f"The path {target} has a space in it: Flink's scripts split the agent argument there.")
    return _change(home, target, jar, f"-javaagent:{target}")


def plan_uninstall(home: FlinkHome) -> Change:
    """The change that takes the plug-in out of the home."""
    return _change(home, home.lib / JAR_NAME, None, None)


def _change(home: FlinkHome, target: Path, jar: Path | None, agent: str | None) -> Change:
    config = home.conf / "config.yaml"
    if not config.is_file():
        raise ClusterError(f"There is no {config}: the plug-in is for Flink 2.x, which has its options there.")
    before = config.read_text()
    return Change(config, before, edit_agent(before, agent, str(config)), target, jar)


def edit_agent(text: str, agent: str | None, origin: str = "config.yaml") -> str:
    """`text` with the plug-in's agent argument set to `agent`, or taken out if that is None; the rest stays as it is.

    Raises ClusterError if the file is not what Flink would read, or written in a way that cannot be edited safely.
    """
    options = flink_config.parse(text, origin)
    old = str(options.get(OPTS_KEY) or "")
    bare = _AGENT.sub("", old).strip()
    wanted = " ".join(part for part in (bare, agent) if part)
    if wanted == old:
        return text
    found = _find(YAML(typ="safe", pure=True).compose(text), "")
    if found is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        edited = f"{text}{gap}{OPTS_KEY}: {wanted}\n"
    else:
        edited = _edit(text, *found, agent)
    if _without_empty(flink_config.parse(edited, origin)) != _without_empty({**options, OPTS_KEY: wanted}):
        raise ClusterError(f"{OPTS_KEY} in {origin} is written in a way that pyctl cannot edit: set it by hand.")
    return edited


def _edit(text: str, key: ScalarNode, value: ScalarNode, agent: str | None) -> str:
    """`text` with the agent replaced in this value, which stays in the style that it is written in."""
    start, end = value.start_mark.index, value.end_mark.index
    raw = text[start:end]
    if not raw:
        # An empty value has its place at the next token, which may be lines below.
        start = end = text.index(":", key.end_mark.index) + 1
        return f"{text[:start]} {agent or ''}{text[end:]}"
    if value.style in {"'", '"'}:
        fresh = raw[0] + _join(raw[1:-1], agent) + raw[0]
    elif value.style is None:
        fresh = _join(raw, agent)
    else:  # a block scalar: one quoted line instead
        fresh = flink_config.quote(_join(value.value.strip(), agent)) + "\n"
    return text[:start] + fresh + text[end:]


def _join(arguments: str, agent: str | None) -> str:
    return " ".join(part for part in (_AGENT.sub("", arguments), agent) if part)


def _find(node: Node | None, prefix: str) -> tuple[ScalarNode, ScalarNode] | None:
    """Key and value of the option, whether its key is nested or flat."""
    if not isinstance(node, MappingNode):
        return None
    for key, value in node.value:
        name = f"{prefix}{key.value}"
        if name == OPTS_KEY and isinstance(value, ScalarNode):
            return key, value
        if OPTS_KEY.startswith(f"{name}."):
            found = _find(value, f"{name}.")
            if found is not None:
                return found
    return None


def _without_empty(options: dict[str, Any]) -> dict[str, Any]:
    """Folded lines and an empty value read differently but mean the same."""
    clean = {key: value for key, value in options.items() if key != OPTS_KEY}
    value = " ".join(str(options.get(OPTS_KEY) or "").split())
    return {**clean, OPTS_KEY: value} if value else clean
