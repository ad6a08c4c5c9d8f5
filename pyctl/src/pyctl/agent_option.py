"""The plug-in's agent argument in the text of a `config.yaml`: put in, taken out, all else stays byte for byte.

The text is edited in place and not written anew, so comments, order and style stay. The result is parsed and compared
with what was meant before it is returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from pyctl import flink_config
from pyctl.errors import ClusterError
from pyctl.flink_config import OPTS_KEY
from pyctl.flink_home import JAR_NAME

# With the one blank that was put before it; those that stood there already stay.
_AGENT = re.compile(rf" ?(?<!\S)-javaagent:[^\s'\"]*{re.escape(JAR_NAME)}(?![^\s'\",}}])")
_ANY_AGENT = re.compile(r"(?<!\S)-javaagent:([^\s=]+)")
_MARK = "\ufeff"
_BREAK = re.compile(r"\r\n|\n|\r")


def edit_agent(text: str, agent: str | None, origin: str = "config.yaml") -> str:
    """`text` with the plug-in's agent argument set to `agent`, or taken out if that is None.

    Taking out what was put in gives back the text there was. Raises ClusterError if the file is not what Flink would
    read, or written in a way that cannot be edited safely.
    """
    options = flink_config.parse(text, origin)
    root = _compose(text, origin)
    found = list(_entries(root))
    if len(found) > 1:
        raise ClusterError(f"{OPTS_KEY} stands in {origin} {len(found)} times: keep one of them.")
    if not found:
        edited = text if agent is None else _added(text, f"{OPTS_KEY}: {agent}", root)
    else:
        path, value = found[0]
        before = _text(options)
        if not before.split():
            raise ClusterError(
                f"{OPTS_KEY} in {origin} has no value, and Flink does not start with that: give it one or take it out."
            )
        if agent is not None and before.split().count(agent) == 1 and len(_AGENT.findall(before)) == 1:
            return text
        bare = without_agent(before)
        edited = _set(text, value, agent) if agent or bare.split() else _removed(text, path, value)
    _verify(options, edited, agent, origin)
    return edited


def without_agent(arguments: str) -> str:
    """JVM arguments without the plug-in's agent."""
    return _AGENT.sub("", arguments)


def agents(text: str, origin: str) -> list[str]:
    """The jars of all agents in the option."""
    return _ANY_AGENT.findall(_text(flink_config.parse(text, origin)))


def _text(options: dict[str, Any]) -> str:
    value = options.get(OPTS_KEY)
    return "" if value is None else str(value)


def _verify(options: dict[str, Any], edited: str, agent: str | None, origin: str) -> None:
    """Folded lines read differently but mean the same."""
    after = flink_config.parse(edited, origin)
    arguments = without_agent(_text(options)).split() + ([agent] if agent else [])
    same = _text(after).split() == arguments and (OPTS_KEY in after) == bool(arguments)
    rest = [{key: value for key, value in each.items() if key != OPTS_KEY} for each in (options, after)]
    if not same or rest[0] != rest[1]:
        raise ClusterError(f"{OPTS_KEY} in {origin} is written in a way that pyctl cannot edit: set it by hand.")


# -- places in the text ------------------------------------------------------------------------------------------------


def _compose(text: str, origin: str) -> Node | None:
    try:
        root: Node | None = YAML(typ="safe", pure=True).compose(text)
        return root
    except YAMLError as error:
        raise ClusterError(f"{origin} is not valid YAML: {' '.join(str(error).split())}.") from error


_Step = tuple[MappingNode, ScalarNode]
"""A mapping, and the key in it that leads to the option."""


def _entries(
    node: Node | None, prefix: str = "", above: tuple[_Step, ...] = ()
) -> Iterator[tuple[tuple[_Step, ...], ScalarNode]]:
    """Where the option is, whether its key is nested or flat: the mappings and keys that lead to it, and its value."""
    if not isinstance(node, MappingNode):
        return
    for key, value in node.value:
        name = f"{prefix}{key.value}"
        path = (*above, (node, key))
        if name == OPTS_KEY and isinstance(value, ScalarNode):
            yield path, value
        elif OPTS_KEY.startswith(f"{name}."):
            yield from _entries(value, f"{name}.", path)


def _set(text: str, value: ScalarNode, agent: str | None) -> str:
    """`text` with the agent replaced in this value, which stays in the style that it is written in."""
    start, end = value.start_mark.index, value.end_mark.index
    raw = text[start:end]
    opening = close = ""
    if value.style in {"'", '"'}:
        opening, inner, close = raw[0], raw[1:-1], raw[-1]
    elif value.style is None:
        inner = raw
    else:  # a block scalar ends with the line breaks behind it
        inner = raw.rstrip()
        # Blanks at the end of its last line belong to the value.
        trailing = _BREAK.split(raw[len(inner) :], maxsplit=1)[0]
        inner += trailing
        close = raw[len(inner) :]
    bare = without_agent(inner)
    fresh = bare if agent is None else f"{bare} {agent}" if bare else agent
    return text[:start] + opening + fresh + close + text[end:]


def _added(text: str, line: str, root: Node | None) -> str:
    """`text` with one more line: its last one, which ends with a line break if the text did."""
    at_end = re.search(r"(\r\n|\n|\r)\Z", text)
    if at_end or not text:
        return f"{text}{line}{at_end[1] if at_end else ''}"
    some = _BREAK.search(text)
    line_break = some[0] if some else "\n"
    last = root
    while isinstance(last, CollectionNode) and last.value:
        last = last.value[-1][1] if isinstance(last, MappingNode) else last.value[-1]
    if root is not None and isinstance(last, ScalarNode) and last.style in {"|", ">"}:
        # A line break behind it would become part of this value: the first line, then.
        start = root.start_mark.index
        return f"{text[:start]}{line}{line_break}{text[start:]}"
    return f"{text}{line_break}{line}"


def _removed(text: str, path: tuple[_Step, ...], value: ScalarNode) -> str:
    """`text` without the lines of the option, and without those of mappings that would be left empty."""
    key = path[-1][1]
    for mapping, above in reversed(path):
        key = above
        if len(mapping.value) > 1:
            break
    start = max(text.rfind("\n", 0, key.start_mark.index), text.rfind("\r", 0, key.start_mark.index)) + 1
    if start == 0 and text.startswith(_MARK):
        start = 1
    rest = _BREAK.search(text, len(text[: value.end_mark.index].rstrip()))
    if rest:
        return text[:start] + text[rest.end() :]
    before = re.search(r"(\r\n|\n|\r)\Z", text[:start])
    return text[: before.start()] if before else text[:start]
