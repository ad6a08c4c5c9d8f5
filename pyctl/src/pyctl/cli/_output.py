"""Data to stdout, talk to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from pyctl.errors import Fault


class Output:
    """Where a command puts what it has to say: with `as_json` one JSON document on stdout and nothing else there."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def data(self, document: BaseModel | dict[str, Any], lines: Iterable[str]) -> None:
        """The result of a command in both forms; only the wanted one is printed."""
        if self.as_json:
            self.document(document)
            return
        for line in lines:
            print(line)

    def document(self, document: BaseModel | dict[str, Any], *, compact: bool = False) -> None:
        """Print a JSON document; `compact` on one line, for a stream of them."""
        value = document.model_dump(mode="json", by_alias=True) if isinstance(document, BaseModel) else document
        print(json.dumps(value, indent=None if compact else 2), flush=True)

    def table(self, document: dict[str, Any], columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A result that is a table for people."""
        if self.as_json:
            self.document(document)
            return
        table = Table(*columns, box=None, pad_edge=False, header_style="bold")
        for row in rows:
            table.add_row(*row)
        # Wide enough for whole ids when piped into another program.
        console = Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False, emoji=False)
        console.print(table)

    def say(self, text: str) -> None:
        """Talk: to stderr, also with JSON."""
        print(text, file=sys.stderr)


def print_faults(faults: Sequence[Fault], as_json: bool, about: Mapping[str, str] | None = None) -> None:
    """All faults of a request: as JSON on stdout, with `about` beside them, else one sentence a line on stderr."""
    if as_json:
        errors = [{"code": fault.code, "message": fault.message} for fault in faults]
        print(json.dumps({**(about or {}), "errors": errors}, indent=2))
        return
    for fault in faults:
        print(f"error: {fault.message}", file=sys.stderr)
