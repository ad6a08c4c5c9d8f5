"""Who owned which key group when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from matplotlib.patches import Patch

from drrs_jobs.report.document import Chart
from drrs_jobs.report.plots.style import drawing
from drrs_jobs.runs import Run

_HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "++++", "oo")
_LIGHTEST, _DARKEST = 0.97, 0.5
_AROUND = 0.35


def ownership_map(run: Run, of: str = "") -> Chart:
    """Bars for the time before and the time after; between them the key groups that keep their owner."""
    ownership = run.ownership
    if ownership is None:
        raise ValueError(f"nothing is known of who owned what with {run.name}")
    zero = run.figures.requested_at
    begin, end = ((at - zero) / 1_000 for at in (ownership.begin, ownership.end))
    margin = max((end - begin) * _AROUND, 0.2)
    # Key groups that change hands between the same two are side by side, whatever their numbers.
    changes = sorted(zip(ownership.before, ownership.after, strict=True))
    stay = [before if before == after and not ownership.stopped else None for before, after in changes]
    looks = _looks(sorted({*ownership.before, *ownership.after}))
    with drawing(f"ownership {of} {run.name}", 3.6) as drawn:
        axes = drawn.figure.add_subplot()
        for column, left, right in (
            ([before for before, _ in changes], begin - margin, begin),
            (stay, begin, end),
            ([after for _, after in changes], end, end + margin),
        ):
            for owner, low, count in _stretches(column):
                if owner is not None:
                    axes.bar(
                        left, count, width=right - left, bottom=low, align="edge", edgecolor="0.25", **looks[owner]
                    )
        for at in (begin, end):
            axes.axvline(at, color="black", linewidth=0.8)
        axes.set_xlim(begin - margin, end + margin)
        axes.set_ylim(0, len(changes))
        axes.set_xlabel("time since the request [s]")
        axes.set_ylabel("number of key groups")
        keys = [Patch(edgecolor="0.25", label=f"subtask {owner}", **look) for owner, look in looks.items()]
        between = "nobody: the job is stopped" if ownership.stopped else "moves in this time"
        keys.append(Patch(facecolor="white", edgecolor="0.25", label=between))
        drawn.figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 6))
        moved = sum(before != after for before, after in changes)
        return drawn.chart(
            f"Owners of key groups, {run.name}",
            f"{run.name}: key groups by their owners; {moved} of {len(changes)} have another one afterwards. The "
            "moment at which a single one changes hands is not recorded.",
        )


def _looks(owners: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return shade and hatch of each owner."""
    step = (_LIGHTEST - _DARKEST) / max(len(owners) - 1, 1)
    return {
        owner: {"facecolor": f"{_LIGHTEST - number * step:.3f}", "hatch": _HATCHES[number % len(_HATCHES)]}
        for number, owner in enumerate(owners)
    }


def _stretches(owners: Sequence[int | None]) -> Iterator[tuple[int | None, int, int]]:
    """Yield owner, first position and number of positions that are side by side and have the same owner."""
    low = 0
    for owner, stretch in groupby(owners):
        count = len(list(stretch))
        yield owner, low, count
        low += count
