"""The progress bar of a rescale: on stderr, and only if that is a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from pyctl.model import Rescale
from pyctl.report import seconds, size


def show(statuses: Iterable[Rescale]) -> Rescale:
    """Draw each status and return the last one, which is terminal."""
    console = Console(stderr=True)
    last: Rescale | None = None
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
            progress.update(
                task,
                description=str(last.phase),
                total=last.key_groups.total or None,
                completed=last.key_groups.moved,
                detail=_detail(last),
            )
    assert last is not None, "a rescale has at least one status"
    return last


def _detail(status: Rescale) -> str:
    text = f"{status.key_groups.moved}/{status.key_groups.total} key groups, {size(status.bytes.moved)}"
    if status.eta_ms is not None and not status.phase.terminal:
        text += f", about {seconds(status.eta_ms / 1000)} left"
    return text
