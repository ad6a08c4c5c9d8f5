"""`install` and `uninstall`: the plug-in in a Flink home of one's own."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from pyctl import plugin_jar
from pyctl.cli._options import AsJson, Jar
from pyctl.cli._output import Output
from pyctl.errors import ExitCode, UsageError
from pyctl.flink_home import FlinkHome, find_plugin_jar
from pyctl.install import Change, copies, plan_install, plan_uninstall

RequiredHome = Annotated[Path, typer.Option("--flink-home", metavar="DIR", help="The Flink home to change.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the difference only.")]


def install(
    flink_home: RequiredHome, jar: Jar = None, yes: Yes = False, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Put the plug-in's jar into lib/ and the agent into conf/config.yaml; shows the difference first."""
    home = FlinkHome(flink_home.resolve()).check()
    source = find_plugin_jar(jar)
    change = plan_install(home, source)
    about = {"jar": str(source), "version": plugin_jar.version(source), "build": plugin_jar.build(source)}
    if not as_json:
        print(f"plug-in {plugin_jar.title(source)}: {source}", file=sys.stderr)
    _carry_out(change, "the plug-in is installed already", yes, dry_run, as_json, about)


def uninstall(flink_home: RequiredHome, yes: Yes = False, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Take the plug-in out of a Flink home again; shows the difference first."""
    home = FlinkHome(flink_home.resolve()).check()
    _carry_out(plan_uninstall(home), "the plug-in is not installed", yes, dry_run, as_json, {})
    for copy in copies(home):
        print(f"{copy} is the plug-in too and stays: it was not put there by pyctl", file=sys.stderr)


def _carry_out(
    change: Change, nothing: str, yes: bool, dry_run: bool, as_json: bool, about: Mapping[str, str | None]
) -> None:
    output = Output(as_json)
    needed, diff = change.needed, change.diff()
    if needed and not dry_run and not yes and (as_json or not sys.stdin.isatty()):
        raise UsageError("There is no terminal to ask on: give --yes, or --dry-run to see the difference only.")
    if not as_json:
        print(diff, end="")
    if needed and not dry_run:
        if not yes and not typer.confirm("Write this?", err=True):
            output.say("nothing was written")
            raise typer.Exit(ExitCode.REFUSED)
        change.apply()
    if as_json:
        output.document({"changed": needed and not dry_run, "needed": needed, "diff": diff, **about})
    elif not needed:
        output.say(f"nothing to do: {nothing}")
    elif not dry_run:
        output.say("done; restart the cluster so that its JVMs take it up")
