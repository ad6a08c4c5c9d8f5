"""Reading and writing Flink's `config.yaml`."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from pyctl.errors import ClusterError

OPTS_KEY = "env.java.opts.all"

_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./:+-]*[A-Za-z0-9_./+-]|[A-Za-z0-9]")


def read(path: Path) -> dict[str, Any]:
    """All options of a `config.yaml` with flat keys. Raises ClusterError if it is not YAML or not a mapping."""
    return parse(path.read_text(encoding="utf-8"), str(path))


def parse(text: str, origin: str) -> dict[str, Any]:
    """All options in `text` with flat keys; `origin` names it in an error."""
    try:
        loaded = YAML(typ="safe", pure=True).load(io.StringIO(text))
    except YAMLError as error:
        raise ClusterError(f"{origin} is not valid YAML: {' '.join(str(error).split())}.") from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ClusterError(f"{origin} does not hold a mapping of options.")
    return _flatten(loaded, "")


def _flatten(mapping: Mapping[Any, Any], prefix: str) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in mapping.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            flat.update(_flatten(value, f"{name}."))
        else:
            flat[name] = value
    return flat


def render(options: Mapping[str, str]) -> str:
    """A `config.yaml` with one flat key a line, in the order given."""
    return "".join(f"{key}: {quote(value)}\n" for key, value in options.items())


def quote(value: str) -> str:
    """A YAML scalar that reads back as `value`; lists and maps in flow style stay what they are."""
    if value.startswith(("[", "{")) or _PLAIN.fullmatch(value):
        return value
    return "'" + value.replace("'", "''") + "'"
