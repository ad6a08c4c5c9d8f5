"""Options that several commands have, with the letters of Flink's own command line where the meaning is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyctl.client import Client
from pyctl.errors import UsageError
from pyctl.rest import DEFAULT_ADDRESS
from pyctl.transport import CA_VARIABLE

Master = Annotated[
    str,
    typer.Option(
        "-m",
        "--jobmanager",
        metavar="ADDRESS",
        envvar="PYCTL_JOBMANAGER",
        help="HOST:PORT of REST, an http(s) URL, or zookeeper://HOST:PORT/flink/default.",
    ),
]
CaFile = Annotated[
    Path | None,
    typer.Option(
        "--ca-file",
        metavar="FILE",
        envvar=CA_VARIABLE,
        help="Certificates (PEM) to trust instead of the usual ones, for an https address.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
JobArgument = Annotated[
    str | None,
    typer.Argument(metavar="JOB", help="Id, beginning of an id, or name; the only running job if left out."),
]
VertexArgument = Annotated[
    str | None, typer.Argument(metavar="VERTEX", help="Uid, name or id; the only elastic vertex if left out.")
]
Properties = Annotated[
    list[str] | None, typer.Option("-D", metavar="KEY=VALUE", help="An option; may be given more than once.")
]
Home = Annotated[
    Path | None, typer.Option("--flink-home", metavar="DIR", help="Flink home; else FLINK_HOME, else the PyPI package.")
]
Jar = Annotated[
    Path | None,
    typer.Option("--jar", metavar="JAR", help="The plug-in; else what came with pyctl, or was built here."),
]

DEFAULT_MASTER = DEFAULT_ADDRESS


def properties(given: list[str] | None) -> dict[str, str]:
    """`-D key=value` arguments as a dict; the last one of a key wins. Raises UsageError."""
    result: dict[str, str] = {}
    for item in given or []:
        key, sign, value = item.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"-D {item} is not KEY=VALUE.")
        result[key.strip()] = value
    return result


def connect(master: str, ca_file: Path | None = None) -> Client:
    """The client for `-m` and `--ca-file`."""
    return Client(master, ca_file=ca_file)
