"""``report.html``: one file without any outside resource, with the latency of both runs over time and the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from drrs_jobs.compare import EXACT
from drrs_jobs.demo_table import GAP, limit_sentence, ratio_sentences
from drrs_jobs.latency import BUCKET_MS
from drrs_jobs.pairs import QUANTITIES, Pair, doubts
from drrs_jobs.runs import Mark, Run, oracle
from drrs_jobs.svg import Band, Chart, Line

_BEFORE_S = 15.0
_LABEL_ROWS = 3
_STYLES = ("first", "second")


def render(runs: Sequence[Run], events: int, set_up: Mapping[str, str], pairs: Sequence[Pair] = ()) -> str:
    """Return the page for up to two runs, the first of them the live rescale; ``pairs`` are all that there were."""
    verdict = oracle([run for pair in pairs for run in pair.runs] or runs)
    sections = [
        _doubts(runs, pairs),
        f'<p class="verdict {"good" if verdict == EXACT else "bad"}">Output against the reference: {escape(verdict)} '
        f"({events:,} events in each run).</p>",
        _table(["", "set-up"], [[name, text] for name, text in set_up.items()]),
        "<h2>Latency over time</h2>",
        _legend(runs),
        _overview(runs),
        "<h2>Figures</h2>",
        _figures(runs),
        _pairs(pairs),
        *(_phases(run, style) for run, style in zip(runs, _STYLES, strict=False)),
        _notes(runs),
        _definitions(),
    ]
    style = files("drrs_jobs").joinpath("report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Live rescale beside stop-and-restart</title>\n<style>\n{style}</style></head>\n"
        "<body><main><h1>Live rescale beside stop-and-restart</h1>\n"
        + "\n".join(sections)
        + "\n</main></body></html>\n"
    )


def _overview(runs: Sequence[Run]) -> str:
    """The whole of both runs, with one mark per rescale."""
    bands = []
    for row, (run, style) in enumerate(zip(runs, _STYLES, strict=False)):
        if run.marks:
            begin, end = run.marks[0].begin, run.marks[-1].end
            bands.append(_band(run, style, Mark(run.title, begin, end), row))
    last = max(run.measurement.buckets[-1]["bucket"] - run.figures.requested_at for run in runs)
    lines = [line for run, style in zip(runs, _STYLES, strict=False) for line in _lines(run, style)]
    return Chart(lines, bands, (-_BEFORE_S, max(last / 1000, 1.0)), title="Latency of both runs over time").render()


def _close_up(run: Run, style: str) -> str:
    """The time of one rescale, with its phases."""
    if not run.marks:
        return ""
    bands = [_band(run, style, mark, row % _LABEL_ROWS) for row, mark in enumerate(run.marks)]
    length = max((run.marks[-1].end - run.figures.requested_at) / 1000, 1.0)
    x_range = (-max(0.5, length / 4), length * 1.5)
    return Chart(_lines(run, style), bands, x_range, height=300, title=f"Latency of the {run.title}").render()


def _lines(run: Run, style: str) -> list[Line]:
    zero = run.figures.requested_at
    at = [((bucket["bucket"] + BUCKET_MS / 2 - zero) / 1000, bucket) for bucket in run.measurement.buckets]
    return [
        Line(f"{run.title}: maximum", f"{style} maximum", [(x, bucket["worst_ms"]) for x, bucket in at]),
        Line(f"{run.title}: median", f"{style} median", [(x, bucket["p50_ms"]) for x, bucket in at]),
    ]


def _band(run: Run, style: str, mark: Mark, row: int) -> Band:
    zero = run.figures.requested_at
    return Band(mark.label, style, (mark.begin - zero) / 1000, (mark.end - zero) / 1000, row)


def _legend(runs: Sequence[Run]) -> str:
    entries = "".join(
        f'<li><svg viewBox="0 0 36 10" aria-hidden="true"><path class="line {style} maximum" d="M0 3H36"/>'
        f'<path class="line {style} median" d="M0 8H36"/></svg>{escape(run.title)}</li>'
        for run, style in zip(runs, _STYLES, strict=False)
    )
    return (
        f'<ul class="legend">{entries}</ul><p class="hint">Thick: highest latency per {BUCKET_MS} ms, or how long the '
        "oldest record that is due has waited; thin: median. Shaded: the phases of the rescale and of the restart.</p>"
    )


def _figures(runs: Sequence[Run]) -> str:
    rows: list[tuple[str, list[str]]] = [
        *((quantity.name, [_ms(quantity.of(run)) for run in runs]) for quantity in QUANTITIES),
        ("keys with a gap over 1 s", [str(run.figures.keys_with_gap_over_1s) for run in runs]),
        ("steady p99 / peak before", [
            f"{_ms(run.figures.steady_p99_ms)} / {_ms(run.figures.steady_peak_ms)}" for run in runs
        ]),
        ("state", [f"{run.state_bytes / 1e6:,.0f} MB" for run in runs]),
        ("moved key groups (least)", [_moved(run) for run in runs]),
        ("checkpoints completed / failed", [_checkpoints(run) for run in runs]),
        ("busy per subtask before", [_shares(run.busy_before) for run in runs]),
        ("busy per subtask after", [_shares(run.busy_after) for run in runs]),
        ("limit for steady again", [_ms(run.figures.limit_ms) for run in runs]),
        ("CPU of the machine / of other programs", [f"{run.cpu.busy:.0%} / {run.cpu.others:.0%}" for run in runs]),
        ("load average before / after", [f"{run.load[0]:.1f} / {run.load[1]:.1f}" for run in runs]),
        ("output against the reference", [run.oracle for run in runs]),
    ]  # fmt: skip
    return _table(["", *(run.title for run in runs)], [[name, *cells] for name, cells in rows])


def _doubts(runs: Sequence[Run], pairs: Sequence[Pair]) -> str:
    found = doubts(pairs) if pairs else [doubt for run in runs for doubt in run.doubts]
    if not found:
        return ""
    entries = "".join(f"<li>{escape(doubt)}</li>" for doubt in found)
    return f'<div class="verdict bad">Not a measurement, the machine was busy:<ul>{entries}</ul></div>'


def _pairs(pairs: Sequence[Pair]) -> str:
    """What was the same for both runs, each pair if there are several, and the ratios or why there are none."""
    if not pairs:
        return ""
    parts = [f"<p>{escape(limit_sentence(pair))}</p>" for pair in pairs[:1] if len(pairs) == 1]
    if len(pairs) > 1:
        rows = [
            [
                str(number), f"{_ms(pair.limit_ms)}",
                *(f"{_ms(quantity.of(pair.plugin))} / {_ms(quantity.of(pair.restart))}" for quantity in QUANTITIES),
            ]
            for number, pair in enumerate(pairs, 1)
        ]  # fmt: skip
        parts.append("<h2>All pairs: live rescale / restart</h2>")
        parts.append(_table(["pair", "limit", *(quantity.name for quantity in QUANTITIES)], rows))
    parts.append("<ul>" + "".join(f"<li>{escape(one.strip())}</li>" for one in ratio_sentences(pairs)) + "</ul>")
    return "".join(parts)


def _phases(run: Run, style: str) -> str:
    zero = run.figures.requested_at
    rows = [[mark.label, _ms(mark.begin - zero), _ms(mark.end - mark.begin)] for mark in run.marks]
    rows += [[name, value, ""] for name, value in run.facts.items()]
    return (
        f"<h2>Phases: {escape(run.title)}</h2>"
        + _close_up(run, style)
        + _table(["", "from the request", "duration"], rows)
    )


def _notes(runs: Sequence[Run]) -> str:
    notes = [f"{run.title}: {note}" for run in runs for note in (*run.notes, *run.figures.notes)]
    speed = [
        f"{run.title}: {run.measurement.records:,} latency records aggregated in {run.measurement.seconds} s, "
        f"{run.measurement.per_core:,.0f} per second and core"
        for run in runs
    ]
    return "<h2>Notes</h2><ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes + speed) + "</ul>"


def _definitions() -> str:
    return (
        "<h2>What is measured</h2><p>A record's latency is the time from when the workload's schedule says that its "
        "event is due to the sink's output; a source that stalls does not hide it. Operation end: the last subscale is "
        "done, or the restarted job runs. Steady again: from this moment on each 100 ms stays below the limit, which "
        "is 1.2 times the higher one of the two steady peaks and the same for both runs. Latencies and gaps are over "
        f"the time from the request to the later of the two. {GAP} The restart is driven over REST with the jar "
        "uploaded beforehand and a native savepoint, so that no start of a command line counts against it. Absolute "
        "times belong to this machine and this run; a ratio takes repeated pairs.</p>"
    )


def _moved(run: Run) -> str:
    if run.status is None:
        return "all"
    return f"{run.status['key_groups']['moved']} ({run.status['min_key_groups']})"


def _checkpoints(run: Run) -> str:
    return "-" if run.checkpoints is None else f"{run.checkpoints.completed} / {run.checkpoints.failed}"


def _shares(shares: Sequence[float]) -> str:
    return ", ".join(f"{share:.0%}" for share in shares) or "-"


def _ms(value: float | None) -> str:
    if value is None:
        return "never"
    return f"{value:,.1f} ms" if isinstance(value, float) and value < 100 else f"{value:,.0f} ms"


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    header = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div>'
