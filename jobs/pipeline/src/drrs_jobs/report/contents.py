"""What the report of a demo has in it, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from drrs_jobs.aggregates.over_time import BUCKET_MS
from drrs_jobs.compare import EXACT
from drrs_jobs.demo_table import GAP, limit_sentence, ratio_sentences
from drrs_jobs.pairs import Pair, doubts
from drrs_jobs.report.document import Block, Bullets, Chart, Commands, Document, Heading, Paragraph
from drrs_jobs.report.plots.bars import bars
from drrs_jobs.report.plots.cdf import cdf
from drrs_jobs.report.plots.gaps import gap_map
from drrs_jobs.report.plots.latency import close_up, overview
from drrs_jobs.report.plots.ownership import ownership_map
from drrs_jobs.report.plots.resources import used
from drrs_jobs.report.tables import figures_table, pairs_table, phases_table, set_up_table
from drrs_jobs.report.verdict import verdict
from drrs_jobs.runs import Run, oracle

_DEFINITIONS = (
    "A record's latency is the time from when the workload's schedule says that its event is due to the sink's "
    "output; a source that stalls does not hide it. Operation end: the last subscale is done, or the restarted job "
    f"runs. Steady again: from this moment on each {BUCKET_MS} ms stays below the limit, which is 1.2 times the higher "
    "one of the two steady peaks and the same for both runs. Latencies and gaps are over the time from the request "
    f"to the later of the two. {GAP} The restart is driven over REST with the jar uploaded beforehand and a native "
    "savepoint, so that no start of a command line counts against it. Absolute times belong to this machine and this "
    "run; a ratio takes repeated pairs."
)


def contents(
    runs: Sequence[Run],
    events: int,
    set_up: Mapping[str, str],
    pairs: Sequence[Pair] = (),
    again: Sequence[str] = (),
) -> Document:
    """Return the report for up to two runs, the first of them the live rescale.

    ``pairs`` are all that there were, ``again`` the commands that make the same once more.
    """
    blocks = [
        *_first_screen(runs, events, pairs),
        set_up_table(set_up),
        Heading("Latency over time"),
        overview(runs),
        Heading("Figures"),
        figures_table(runs),
        *_comparison(runs, pairs),
        *(block for run in runs for block in _rescale(run)),
        *_use(runs),
        Heading("How to run it again"),
        Commands(again),
        Heading("Notes"),
        Bullets(_notes(runs)),
        Heading("What is measured"),
        Paragraph(_DEFINITIONS),
    ]
    return Document("Live rescale beside stop-and-restart", blocks)


def _first_screen(runs: Sequence[Run], events: int, pairs: Sequence[Pair]) -> Iterator[Block]:
    if pairs:
        yield verdict(pairs)
    found = doubts(pairs) if pairs else [doubt for run in runs for doubt in run.doubts]
    if found:
        yield Paragraph("Not a measurement, the machine was busy:", "bad")
        yield Bullets(found)
    exact = oracle([run for pair in pairs for run in pair.runs] or runs)
    yield Paragraph(
        f"Output against the reference: {exact} ({events:,} events in each run).", "good" if exact == EXACT else "bad"
    )
    if pairs:
        yield bars(pairs)


def _comparison(runs: Sequence[Run], pairs: Sequence[Pair]) -> Iterator[Block]:
    """What was the same for both runs, each pair if there are several, and the ratios or why there are none."""
    if len(pairs) == 1:
        yield Paragraph(limit_sentence(pairs[0]))
    if len(pairs) > 1:
        yield Heading("All pairs: live rescale / restart")
        yield pairs_table(pairs)
    if pairs:
        yield Bullets([sentence.strip() for sentence in ratio_sentences(pairs)])
    if any(run.measurement.distributions for run in runs):
        yield Heading("Latencies from the request until steady again")
        yield cdf([run for pair in pairs for run in pair.runs] or runs)


def _rescale(run: Run) -> Iterator[Block]:
    """The phases of one rescale, and what became of each key group."""
    yield Heading(f"Phases: {run.title}")
    if run.marks:
        yield close_up(run)
    yield phases_table(run)
    if run.measurement.key_group_gaps:
        yield gap_map(run)
    if run.ownership is not None:
        yield ownership_map(run)


def _use(runs: Sequence[Run]) -> Iterator[Block]:
    yield Heading("What the runs used")
    drawing: Chart | None = used(runs)
    yield drawing or Paragraph("No metric records were written, so only the shares in the table of figures are known.")


def _notes(runs: Sequence[Run]) -> list[str]:
    notes = [f"{run.title}: {note}" for run in runs for note in (*run.notes, *run.figures.notes)]
    speed = [
        f"{run.title}: {run.measurement.records:,} latency records aggregated in {run.measurement.seconds} s, "
        f"{run.measurement.per_core:,.0f} per second and core"
        for run in runs
    ]
    return notes + speed
