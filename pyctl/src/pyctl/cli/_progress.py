"""The progress bar of a rescale: on stderr, and only if that is a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from pyctl.model import Rescale
from pyctl.report import seconds, size


class Bar:
    """Draws what an Execution tells, one bar for each request; a context manager, so that it ends on errors too."""

    def __init__(self, when_accepted: Callable[[], None] = lambda: None) -> None:
        """`when_accepted` is called as soon as a request is."""
        self._when_accepted = when_accepted
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def accepted(self, job_id: str, request_id: str) -> None:
        del job_id, request_id
        self._end()
        self._when_accepted()

    def progressed(self, status: Rescale) -> None:
        if self._progress is None:
            self._progress = _begin()
            self._task = self._progress.add_task("PLANNED", total=None, detail="")
        self._progress.update(
            self._task,
            description=str(status.phase),
            total=status.key_groups.total or None,
            completed=status.key_groups.moved,
            detail=_detail(status),
        )

    def _end(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def _begin() -> Progress:
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description:<12}"),
        BarColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=False,
    )
    progress.start()
    return progress


def _detail(status: Rescale) -> str:
    text = f"{status.key_groups.moved}/{status.key_groups.total} key groups, {size(status.bytes.moved)}"
    if status.eta_ms is not None and not status.phase.terminal:
        text += f", about {seconds(status.eta_ms / 1000)} left"
    return text
