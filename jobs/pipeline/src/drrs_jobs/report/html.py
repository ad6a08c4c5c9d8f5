"""A document as one HTML file that needs nothing from outside and has no script."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from drrs_jobs.report.document import Block, Bullets, Chart, Commands, Document, Heading, Paragraph, Table

_CLASSES = {"plain": "", "good": ' class="verdict good"', "bad": ' class="verdict bad"', "hint": ' class="hint"'}


def to_html(document: Document) -> str:
    """Return the page."""
    style = files("drrs_jobs.report").joinpath("report.css").read_text(encoding="utf-8")
    title = escape(document.title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title>\n<style>\n{style}</style></head>\n<body><main><h1>{title}</h1>\n"
        + "\n".join(map(_block, document.blocks))
        + "\n</main></body></html>\n"
    )


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h2>{escape(text)}</h2>"
        case Paragraph(text, kind):
            return f"<p{_CLASSES[kind]}>{escape(text)}</p>"
        case Bullets(items):
            return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"
        case Commands(lines):
            return f"<pre>{escape(chr(10).join(lines))}</pre>"
        case Table(head, rows):
            header = "".join(f"<th>{escape(cell)}</th>" for cell in head)
            body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            return f'<div class="scroll"><table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div>'
        case Chart(svg, caption):
            return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
