"""What the report of a bench has in it, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context

from drrs_jobs.aggregates.over_time import BUCKET_MS
from drrs_jobs.compare import EXACT
from drrs_jobs.figures import STABLE_FACTOR
from drrs_jobs.quantities import OF_LIVE
from drrs_jobs.report.document import Block, Bullets, Commands, Document, Heading, Paragraph
from drrs_jobs.report.plots.bars import bars
from drrs_jobs.report.plots.cdf import cdf
from drrs_jobs.report.plots.gaps import gap_map
from drrs_jobs.report.plots.latency import close_up, overview
from drrs_jobs.report.plots.ownership import ownership_map
from drrs_jobs.report.plots.resources import used
from drrs_jobs.report.tables import (
    further_table,
    phases_table,
    ratios_table,
    rounds_table,
    set_up_table,
    strategies_table,
)
from drrs_jobs.report.verdict import verdict
from drrs_jobs.rounds import ROUNDS_FOR_A_RATIO, Round, doubts, filled, middle_round
from drrs_jobs.runs import MOST_UNKNOWN, Run, oracle
from drrs_jobs.session import CORES

GAP = "Longest gap of one key: how long one key had a record due while nothing of it came out."

_MANY_RUNS = 8
"""From so many on, drawing them in processes of their own is worth the start of those."""

_DEFINITIONS = (
    "A record's latency is the time from when the workload's schedule says that its event is due to the sink's output; "
    "a source that stalls does not hide it. With sliding windows an event comes out several times: its first result "
    "counts. Operation end: the last subscale is done, or the restarted job runs. Steady again: from this moment on "
    f"each {BUCKET_MS} ms stays below the limit, which is {STABLE_FACTOR} times the highest of the steady peaks of a "
    f"round and the same for all its runs. Latencies and gaps are over the time from the request to the later of the "
    f"two. {GAP} A restart is driven over REST with the jar uploaded beforehand and a native savepoint, so that no "
    "start of a command line counts against it. CPU beyond the steady: seconds that the cluster's processes took from "
    "the request to the later of the two, less what they take as long in the ten seconds before. Loads are shares of "
    "all processors: by the run itself, which is the cluster's processes and what drives them, and by other programs, "
    "which is the rest of what was busy. A run is marked where others took more than they may, on a cluster that was "
    f"given where all together took more than {MOST_UNKNOWN:.0%}. Absolute times belong to this "
    "machine and this session; a ratio takes repeated rounds."
)


@dataclass(frozen=True, slots=True)
class Section:
    """One rescale of a workload under all strategies; ``missing`` says how many runs of it are still to come."""

    title: str
    rounds: Sequence[Round]
    events: int
    set_up: Mapping[str, str]
    missing: int = 0


def contents(title: str, sections: Sequence[Section], set_up: Mapping[str, str], again: Sequence[str]) -> Document:
    """Return the report; ``set_up`` is what all sections have in common, ``again`` the commands to make it anew."""
    with ExitStack() as stack:
        phases = _phases(sections, stack)
        blocks: list[Block] = [*_first_screen(sections)]
        blocks.append(set_up_table(set_up))
        for section in sections:
            blocks += _section(section, phases, alone=len(sections) == 1)
    blocks += [
        Heading("How to run it again"), Commands(again), Heading("What is measured"), Paragraph(_DEFINITIONS),
        Paragraph(OF_LIVE),
    ]  # fmt: skip
    return Document(title, blocks)


def _phases(sections: Sequence[Section], stack: ExitStack) -> Iterator[Sequence[Block]]:
    """Yield what there is of each run that is shown, in order; of many runs it is drawn beside the rest."""
    shown = [(run, section.title) for section in sections for run in middle_round(section.rounds).runs]
    if len(shown) < _MANY_RUNS:
        return (_rescale(*one) for one in shown)
    # Fresh processes: a copy of this one would have a part of what its threads hold.
    pool = stack.enter_context(ProcessPoolExecutor(CORES, mp_context=get_context("spawn")))
    return pool.map(_rescale, *zip(*shown, strict=True))


def _first_screen(sections: Sequence[Section]) -> Iterator[Block]:
    """Who wins, whether that is a measurement, and whether all outputs are right."""
    for section in sections:
        found = verdict(section.rounds)
        yield found if len(sections) == 1 else Paragraph(f"{section.title}: {found.text}", found.kind)
    busy = [doubt for section in sections for doubt in doubts(section.rounds)]
    if busy:
        yield Paragraph("Not a measurement, the machine was busy:", "bad")
        yield Bullets(busy)
    exact = oracle([run for section in sections for one in section.rounds for run in one.runs])
    yield Paragraph(f"Output against the reference: {exact}.", "good" if exact == EXACT else "bad")
    missing = sum(section.missing for section in sections)
    if missing:
        yield Paragraph(f"The bench is not over, whole rounds are shown; runs still to come: {missing}.", "bad")
    for section in sections:
        yield bars(section.rounds, section.title)


def _section(section: Section, phases: Iterator[Sequence[Block]], *, alone: bool) -> Iterator[Block]:
    rounds, shown = section.rounds, middle_round(section.rounds)
    yield Heading(section.title)
    yield set_up_table({**section.set_up, "events": f"{section.events:,} in each run"})
    full = filled(rounds)
    if full is not None:
        yield Paragraph(full, "hint")
    yield strategies_table(rounds)
    table = ratios_table(rounds)
    yield Paragraph(ratio_sentence(rounds), "hint")
    if table is not None:
        yield table
        yield rounds_table(rounds)
    yield Paragraph(limit_sentence(shown), "hint")
    yield Heading("Latency over time" if alone else f"Latency over time: {section.title}")
    yield overview(shown.runs, section.title)
    if any(run.measurement.distributions for run in shown.runs):
        yield cdf([run for one in rounds for run in one.runs], section.title)
    yield further_table(shown.runs)
    for _ in shown.runs:
        yield from next(phases)
    yield Heading("What the runs used" if alone else f"What the runs used: {section.title}")
    yield used(shown.runs, section.title) or Paragraph("No metric records were written.")
    notes = _notes(shown.runs)
    if notes:
        yield Heading("Notes")
        yield Bullets(notes)


def ratio_sentence(rounds: Sequence[Round]) -> str:
    """What the ratios are, or why there are none."""
    count = len(rounds)
    if len(rounds[0].runs) < 2:
        return "With one strategy there is no ratio."
    if count < 2:
        return f"One run of each gives no ratio: it takes repeated rounds, at least {ROUNDS_FOR_A_RATIO}."
    few = count < ROUNDS_FOR_A_RATIO
    remark = f" ({count} are an indication and no result: that takes {ROUNDS_FOR_A_RATIO})" if few else ""
    return f"Ratios of runs of the same round, median and range of {count} rounds{remark}."


def limit_sentence(of: Round) -> str:
    """What "steady again" means, the same for all runs of a round."""
    peak = max(run.figures.steady_peak_ms for run in of.runs)
    return (
        f"Steady again: from then on each {BUCKET_MS} ms stays below {of.limit_ms:,.0f} ms in all runs of the round, "
        f"{STABLE_FACTOR} x the highest of their steady peaks before the request ({peak:,.0f} ms)."
    )


def _rescale(run: Run, of: str) -> list[Block]:
    """Return the phases of one rescale, and what became of each key group."""
    blocks: list[Block] = [Heading(f"Phases: {run.name}")]
    if run.marks:
        blocks.append(close_up(run, of))
    blocks.append(phases_table(run))
    if run.measurement.key_group_gaps:
        blocks.append(gap_map(run, of))
    if run.ownership is not None:
        blocks.append(ownership_map(run, of))
    return blocks


def _notes(runs: Sequence[Run]) -> list[str]:
    notes = [f"{run.name}: {note}" for run in runs for note in (*run.notes, *run.figures.notes)]
    speed = [
        f"{run.name}: {run.measurement.records:,} latency records aggregated in {run.measurement.seconds} s, "
        f"{run.measurement.per_core:,.0f} per second and core"
        for run in runs
    ]
    return notes + speed
