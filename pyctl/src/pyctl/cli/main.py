"""The command `pyctl`: entry point, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import typer

from pyctl import __version__
from pyctl.cli import bench, cluster, doctor, drain, install, local, observe, rebalance, rescale
from pyctl.cli._output import print_faults
from pyctl.errors import ExitCode, Fault, PyctlError

app = typer.Typer(
    name="pyctl",
    help="Live rescaling of keyed operators on stock Apache Flink.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"pyctl {__version__}")
        raise typer.Exit


@app.callback()
def _root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Version.")) -> None:
    del version


app.command(name="doctor")(doctor.doctor)
app.command()(cluster.jobs)
app.command()(rescale.plan)
app.command(name="rescale")(rescale.rescale)
app.command(name="rebalance")(rebalance.rebalance)
app.command(name="drain")(drain.drain)
app.command()(drain.undrain)
app.command()(observe.status)
app.command()(observe.history)
app.command()(observe.abort)
app.command(name="install")(install.install)
app.command()(install.uninstall)
app.add_typer(local.app, name="local")
app.add_typer(bench.app, name="bench")


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code (docs/interfaces.md); nothing escapes but a bug in here.

    `PYCTL_DEBUG=1` prints tracebacks.
    """
    as_json = "--json" in arguments
    try:
        result = app(list(arguments), prog_name="pyctl", standalone_mode=False)
    except PyctlError as error:
        _trace()
        print_faults(error.faults, as_json, error.about)
        return int(error.exit_code)
    except typer.TyperException as error:
        if as_json:
            print_faults([Fault("USAGE", error.format_message())], as_json)
        else:
            # Typer's own display has the usage line; its base class does not declare it.
            show = getattr(error, "show", None)
            print(f"error: {error.format_message()}", file=sys.stderr) if show is None else show()
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        print_faults([Fault("INTERRUPTED", "Interrupted.")], as_json)
        return int(ExitCode.INTERRUPTED)
    except Exception as error:
        _trace()
        text = " ".join(str(error).split()) or type(error).__name__
        print_faults([Fault("INTERNAL", f"Internal error of pyctl ({type(error).__name__}): {text}")], as_json)
        return int(ExitCode.INTERNAL)
    return result if isinstance(result, int) else int(ExitCode.DONE)


def _trace() -> None:
    if os.environ.get("PYCTL_DEBUG"):
        traceback.print_exc()


def main() -> None:
    """Console script."""
    sys.exit(run(sys.argv[1:]))
