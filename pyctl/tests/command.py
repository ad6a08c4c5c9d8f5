"""What running one command line gives a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error_codes(self) -> list[str]:
        return [error["code"] for error in self.json["errors"]]


Cli = Callable[..., Result]
