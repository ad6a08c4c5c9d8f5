"""The progress bar of a rescale: on stderr, and only if that is a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from pyctl.model import Rescale
from pyctl.report import seconds, size


def show(statuses: Iterable[Rescale]) -> list[Rescale]:
    """Draw each status; return the last one of each rescale, in the order in which they were seen."""
    console = Console(stderr=True)
    kept: dict[str, Rescale] = {}
    with Progress(
        TextColumn("{task.description:<12}"),
        BarColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=False,
    ) as progress:
        task = progress.add_task("PLANNED", total=None, detail="")
        for last in statuses:
            kept.pop(last.request_id, None)
            kept[last.request_id] = last
            progress.update(
                task,
                description=str(last.phase),
                total=last.key_groups.total or None,
                completed=last.key_groups.moved,
                detail=_detail(last),
            )
    return list(kept.values())


def _detail(status: Rescale) -> str:
    text = f"{status.key_groups.moved}/{status.key_groups.total} key groups, {size(status.bytes.moved)}"
    if status.eta_ms is not None and not status.phase.terminal:
        text += f", about {seconds(status.eta_ms / 1000)} left"
    return text
