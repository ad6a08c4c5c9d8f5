"""Strategies of a bench: ``drrs``, ``megaphone(batch=4)``, ``fluid=megaphone(batch=1)``, ``restart``, ``adaptive``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyctl import adapting, restarting

RESTART, ADAPTIVE = restarting.STRATEGY, adapting.STRATEGY
WHOLE_JOB = (RESTART, ADAPTIVE)
"""Those that stop the whole job; all others are live, and known to the JobManager."""

_SPEC = re.compile(r"(?:(?P<label>[^=()]+)=)?\s*(?P<name>[a-z][a-z0-9-]*)\s*(?:\((?P<options>[^()]*)\))?")
_PREFIX = {"drrs": "drrs.strategy.", RESTART: "restart."}


class StrategyError(ValueError):
    """One or more faults of what was given, a sentence each."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = tuple(sentences)


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to rescale, with options by their whole names; ``label`` is what tables call it."""

    label: str
    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def live(self) -> bool:
        """Whether the job runs on meanwhile."""
        return self.name not in WHOLE_JOB

    @property
    def slug(self) -> str:
        """Name of its folders."""
        return re.sub(r"[^A-Za-z0-9.]+", "-", self.label).strip("-")


def parse_strategies(text: str) -> list[Strategy]:
    """Read strategies, separated by commas outside of parentheses. Raises ``StrategyError`` with all faults."""
    found: list[Strategy] = []
    sentences: list[str] = []
    for spec in _split(text):
        try:
            found.append(_strategy(spec))
        except StrategyError as error:
            sentences += error.sentences
    slugs = [one.slug for one in found]
    sentences += [f"the strategy {one.label} is given more than once" for one in found if slugs.count(one.slug) > 1][:1]
    if not found and not sentences:
        sentences.append("no strategy is given; drrs,restart would be two")
    if sentences:
        raise StrategyError(sentences)
    return found


def _split(text: str) -> Iterator[str]:
    """Yield what is between commas that are in no parentheses."""
    depth, spec = 0, ""
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            yield spec.strip()
            spec = ""
        else:
            spec += sign
    if spec.strip():
        yield spec.strip()


def _strategy(spec: str) -> Strategy:
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise StrategyError([f"{spec!r} is no strategy: write name, name(option=value, ..) or label=name(..)"])
    name, options, faults = match["name"], {}, []
    for given in filter(None, (one.strip() for one in (match["options"] or "").split(","))):
        key, sign, value = (part.strip() for part in given.partition("="))
        if not sign or not key or not value:
            faults.append(f"{given!r} in {spec} is not option=value")
        options[_whole(name, key)] = value
    if faults:
        raise StrategyError(faults)
    return Strategy((match["label"] or spec).strip(), name, options)


def _whole(name: str, key: str) -> str:
    """Return the whole name of an option: one with a dot has it already."""
    return key if "." in key else _PREFIX.get(name, f"drrs.{name}.") + key
