"""What a report consists of, whatever it is written as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences; ``kind`` is how they are set: plain, good, bad or hint."""

    text: str
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines for a shell."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below a head; all have as many cells."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing as one SVG element, with a sentence that says what it shows; ``name`` tells it from others."""

    svg: str
    caption: str
    name: str = ""


Block = Heading | Paragraph | Bullets | Commands | Table | Chart


@dataclass(frozen=True, slots=True)
class Document:
    """A title and what is below it."""

    title: str
    blocks: Sequence[Block]
