"""`docker-compose.yml` and `docker/Dockerfile` as data, without a container engine."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML

from harness.cluster import ROOT

DOCKERFILE = ROOT / "docker/Dockerfile"
COMPOSE = ROOT / "docker-compose.yml"


@dataclass(frozen=True)
class Copy:
    """A `COPY` of a stage; `of` is the stage that it copies from, none for the build context."""

    sources: tuple[str, ...]
    destination: str
    of: str | None


@dataclass
class Stage:
    """A stage of the Dockerfile, with its instructions in their order."""

    name: str
    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    @property
    def copies(self) -> list[Copy]:
        return [_copy(text) for word, text in self.instructions if word == "COPY"]

    def last(self, word: str) -> str | None:
        """What the last instruction of a kind says."""
        return next((text for one, text in reversed(self.instructions) if one == word), None)


def compose() -> dict[str, Any]:
    """The compose file, its merges resolved."""
    document: dict[str, Any] = YAML(typ="safe").load(COMPOSE)
    return document


def properties(service: dict[str, Any]) -> dict[str, str]:
    """`FLINK_PROPERTIES` of a service, as the entry point of the image reads them."""
    lines = [line for line in service["environment"]["FLINK_PROPERTIES"].splitlines() if line.strip()]
    return dict(line.split(": ", 1) for line in lines)


def default_of(text: str) -> str:
    """What a `${VARIABLE:-default}` is without the variable; the text itself if it has none."""
    found = re.fullmatch(r"\$\{\w+:?-(.*)\}", text)
    return found[1] if found else text


def base_images() -> dict[str, str]:
    """The build arguments of the Dockerfile, which name its base images, with their defaults."""
    return dict(re.findall(r"^ARG (\w+)=(\S+)$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE))


def stages() -> dict[str, Stage]:
    """The stages by name; each has one."""
    found: dict[str, Stage] = {}
    current: Stage | None = None
    for word, text in _instructions():
        if word == "FROM":
            base, _, name = text.partition(" AS ")
            current = found[name] = Stage(name, base)
        elif current is not None:
            current.instructions.append((word, text))
    return found


def words_of(script: str, beginning: str) -> list[str]:
    """The words of the command in a script of `docker/` that begins so, lines that go on put together."""
    text = (ROOT / "docker" / script).read_text(encoding="utf-8").replace("\\\n", " ")
    return shlex.split(next(line for line in text.splitlines() if line.startswith(beginning)))


def _instructions() -> list[tuple[str, str]]:
    text = DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def _copy(text: str) -> Copy:
    words = shlex.split(text)
    options = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
    *sources, destination = [word for word in words if not word.startswith("--")]
    return Copy(tuple(sources), destination, options.get("from"))
