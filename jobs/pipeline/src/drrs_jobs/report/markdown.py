"""A document as Markdown: all of its text and tables; of the drawings, what they show."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from drrs_jobs.report.document import Block, Bullets, Chart, Commands, Document, Heading, Paragraph, Table

_COLUMNS = 120
_SPECIAL = str.maketrans({"|": r"\|", "<": "&lt;", "*": r"\*", "_": r"\_", "`": r"\`"})


def to_markdown(document: Document) -> str:
    """Return the text; its prose has at most 120 columns."""
    blocks = [f"# {document.title}", *map(_block, document.blocks)]
    return "\n\n".join(blocks) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"## {text}"
        case Paragraph(text, kind):
            safe = _safe(text)
            return fill(f"**{safe}**" if kind in {"good", "bad"} else safe, _COLUMNS, break_long_words=False)
        case Bullets(items):
            return "\n".join(
                fill(f"- {_safe(item)}", _COLUMNS, subsequent_indent="  ", break_long_words=False) for item in items
            )
        case Commands(lines):
            return "\n".join(f"    {line}" for line in lines)
        case Table(head, rows):
            return "\n".join([_row(head), _row(["---"] * len(head)), *map(_row, rows)])
        case Chart(_, caption):
            return fill(f"*Drawn in report.html: {_safe(caption)}*", _COLUMNS, break_long_words=False)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell if cell == "---" else _safe(cell) for cell in cells) + " |"


def _safe(text: str) -> str:
    return text.translate(_SPECIAL)
