"""`doctor`: is every JVM armed with the same plug-in, and are there slots to grow into?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import typer

from pyctl import __version__
from pyctl.cli._options import DEFAULT_MASTER, AsJson, CaFile, Master, connect
from pyctl.cli._output import Output
from pyctl.client import Client
from pyctl.errors import ExitCode, Fault, NotPlugged, OnlyHistory, Refused
from pyctl.model import Overview, TaskManagerState
from pyctl.slot_needs import Need, needs


def doctor(master: Master = DEFAULT_MASTER, ca_file: CaFile = None, as_json: AsJson = False) -> None:
    """Say for each JVM of the cluster whether the plug-in is there and armed, and what slots there are.

    Exit code 0 only if all JVMs are known to be armed with the same plug-in, and pyctl is of its version; else 3.
    """
    output = Output(as_json)
    with connect(master, ca_file) as client:
        try:
            overview = client.overview()
        except OnlyHistory:
            raise
        except NotPlugged as error:
            _stock(client, output, error.faults[0])
            raise typer.Exit(ExitCode.REFUSED) from None
        wanted = list(_needs(client)) if overview.armed else []
        address = client.base_url
    faults = list(_faults(overview))
    _show(output, overview, address, wanted, faults)
    if faults:
        raise typer.Exit(ExitCode.REFUSED)


def _faults(overview: Overview) -> Iterator[Fault]:
    if not overview.armed:
        reason = (overview.reason or "no reason given").rstrip(".")
        yield Fault("NOT_ARMED", f"The JobManager's plug-in is not armed: {reason}.")
    for point in overview.join_points:
        if not point.ok:
            yield Fault("JOIN_POINT", f"Join point {point.name} does not fit this Flink: {point.target}.")
    if overview.version != __version__:
        yield Fault(
            "PYCTL_VERSION",
            f"pyctl is version {__version__} and the plug-in {overview.version}: use the pyctl of that version.",
        )
    lacking = [tm.id for tm in overview.task_managers if tm.armed is False and not _is_other(tm, overview)]
    if lacking:
        yield Fault(
            "PLUGIN_MISSING_ON_TASKMANAGER",
            f"The plug-in is missing, not armed or too old to tell its version on: {', '.join(lacking)}.",
        )
    others = [f"{tm.id} ({_plugin(tm.version, tm.build)})" for tm in overview.task_managers if _is_other(tm, overview)]
    if others:
        yield Fault(
            "PLUGIN_VERSION",
            f"Another plug-in than the JobManager's ({_plugin(overview.version, overview.build)}) is on: "
            f"{', '.join(others)}; put the same jar there and restart them.",
        )
    unknown = [tm.id for tm in overview.task_managers if tm.armed is None]
    if unknown:
        yield Fault(
            "NOT_KNOWN_YET",
            f"Whether the plug-in is armed is not known yet of: {', '.join(unknown)}; their first metrics have not "
            f"arrived. Ask again in some seconds; if it stays so, the JobManager cannot fetch metrics from them "
            f"(metrics.fetcher.update-interval, metrics.internal.query-service.port).",
        )


def _is_other(tm: TaskManagerState, overview: Overview) -> bool:
    return tm.armed is False and tm.version is not None and (tm.version, tm.build) != (overview.version, overview.build)


def _outcome(rehearsal: str | None) -> str:
    return (rehearsal or "").partition(":")[0]


def _plugin(version: str | None, build: str | None) -> str:
    return f"{version}, build {build}" if build else str(version)


def _needs(client: Client) -> Iterator[Need]:
    for job in client.jobs():
        if job.ended:
            continue
        try:
            yield from needs(client.vertices(job.jid))
        except (NotPlugged, Refused):
            continue  # not elastic, or it has ended just now


def _show(output: Output, overview: Overview, address: str, wanted: list[Need], faults: list[Fault]) -> None:
    usable = [tm for tm in overview.task_managers if not tm.drained]
    slots = {
        "total": sum(tm.slots for tm in overview.task_managers),
        "free": sum(tm.free_slots for tm in usable),
        "free_on_drained": sum(tm.free_slots for tm in overview.task_managers if tm.drained),
    }
    rows = [("JobManager", address, _word(overview.armed), overview.version, "", _outcome(overview.rehearsal))]
    rows += [
        (
            f"TaskManager {tm.id}",
            tm.address,
            ("other plug-in" if _is_other(tm, overview) else _word(tm.armed)) + (", drained" if tm.drained else ""),
            tm.version or "",
            f"{tm.free_slots} of {tm.slots}",
            _outcome(tm.rehearsal),
        )
        for tm in overview.task_managers
    ]
    if not output.as_json:
        fine = sum(point.ok for point in overview.join_points)
        output.say(
            f"plug-in {_plugin(overview.version, overview.build)} on Flink {overview.flink_version}, "
            f"{fine} of {len(overview.join_points)} join points fit; pyctl {__version__}"
        )
    document = {
        **overview.model_dump(mode="json"),
        "pyctl_version": __version__,
        "slots": slots,
        "needs": [asdict(need) for need in wanted],
        "errors": [asdict(fault) for fault in faults],
    }
    output.table(document, ("JVM", "ADDRESS", "PLUG-IN", "VERSION", "SLOTS FREE", "REHEARSAL"), rows)
    if output.as_json:
        return
    print(_slots_line(overview, slots))
    for need in wanted:
        print(f"  {need.sentence()}")
    rehearsals = {"the JobManager": overview.rehearsal}
    rehearsals |= {f"TaskManager {tm.id}": tm.rehearsal for tm in overview.task_managers}
    for where, rehearsal in rehearsals.items():
        if rehearsal is not None and rehearsal.startswith(("failed", "stopped")):
            output.say(f"rehearsal on {where} {rehearsal}")
    for fault in faults:
        output.say(f"error: {fault.message}")
    gone = {drain.task_manager for drain in overview.drains} - {tm.id for tm in overview.task_managers}
    if gone:
        output.say(f"drained, but not registered: {', '.join(sorted(gone))}")


def _slots_line(overview: Overview, slots: dict[str, int]) -> str:
    line = f"slots: {slots['free']} of {slots['total']} free"
    if slots["free_on_drained"]:
        line += f", {slots['free_on_drained']} more on drained TaskManagers, where nothing is placed"
    return line + ("; more come by themselves when they are missing" if overview.starts_task_managers else "")


def _stock(client: Client, output: Output, fault: Fault) -> None:
    version, managers = client.flink_version(), client.task_managers()
    document = {
        "version": None, "build": None, "flink_version": version, "armed": False, "reason": fault.message,
        "join_points": [], "task_managers": [{"id": name, "address": None, "armed": None} for name in managers],
        "pyctl_version": __version__, "errors": [asdict(fault)],
    }  # fmt: skip
    rows = [("JobManager", client.base_url, "missing")]
    rows += [(f"TaskManager {name}", "", "not known") for name in managers]
    output.table(document, ("JVM", "ADDRESS", "PLUG-IN"), rows)
    if not output.as_json:
        output.say(f"error: {fault.message}")


def _word(armed: bool | None) -> str:
    return {True: "armed", False: "missing", None: "not known yet"}[armed]
