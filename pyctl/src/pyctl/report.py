"""Plans and statuses as lines for people."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

from pyctl.model import Mails, Phase, Rescale, Vertex, Waits
from pyctl.planner import Estimate, Plan, Range

_GENERATED = re.compile(r"[0-9a-f]{32}")

DEFAULT_STRATEGY = "drrs"

_SHOWN_KINDS = 3
"""Of work in mailboxes; the status as JSON has all."""


def size(count: float) -> str:
    """Bytes with a decimal unit: 210 MB, 6.4 kB."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if count >= 100 or unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError("unreachable")


def seconds(value: float) -> str:
    """A duration: 14 ms, 3.1 s, 2 min 5 s."""
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < 100:
        return f"{value:.1f} s"
    return f"{value // 60:.0f} min {value % 60:.0f} s"


def plan_lines(vertex: Vertex, parallelism: int, plan: Plan, expected: Estimate | None) -> list[str]:
    """One line for the vertex, then indented details and warnings."""
    duration = "no time" if expected is None else span(expected.total)
    lines = [
        f"{vertex.label} | parallelism {vertex.parallelism} -> {parallelism} | "
        f"key groups {plan.moves}/{vertex.max_parallelism} move | {size(plan.bytes)} | {duration}"
    ]
    if expected is not None:
        lines.append(f"  this rests on {expected.basis}{_by_phase(expected)}")
    before, after = plan.before, plan.after
    lines.append(
        f"  key groups per subtask {_span(before.min_key_groups, before.max_key_groups)} -> "
        f"{_span(after.min_key_groups, after.max_key_groups)}; the busiest subtask takes {before.peak_share:.0%} -> "
        f"{after.peak_share:.0%} of the load"
    )
    pairs = Counter((s.old_owner, s.new_owner) for s in plan.subscales)
    moves = ", ".join(f"{old} -> {new}: {count}" for (old, new), count in sorted(pairs.items())[:8])
    more = f", and {len(pairs) - 8} more pairs" if len(pairs) > 8 else ""
    lines.append(f"  {len(plan.subscales)} subscales ({moves}{more})" if pairs else "  nothing has to move")
    if plan.moves != plan.least_moves:
        lines.append(f"  the least that evens out the number of key groups would be {plan.least_moves} moves")
    if vertex.group:
        others = [label for label in vertex.group if label != vertex.label]
        lines.append(f"  scales together with it: {', '.join(others)}")
    lines += [f"  {hot.sentence()}" for hot in plan.hot]
    lines += [f"  warning: {warning}" for warning in plan.warnings]
    return lines


def span(expected: Range) -> str:
    """A range of durations: 1.2 s to 6.0 s."""
    return f"{seconds(expected.low)} to {seconds(expected.high)}"


def _by_phase(expected: Estimate) -> str:
    """Provisioning 0.3 s to 1 s; moving ..; what is a default among measured ones is marked."""
    parts = [
        f"{_PHASES[phase]} {span(each)}" + (" (default)" if phase in expected.defaults else "")
        for phase, each in expected.phases.items()
        if each.high >= 0.05
    ]
    return f": {', '.join(parts)}" if parts else ""


_PHASES = {
    "PROVISIONING": "provisioning",
    "MIGRATING": "moving",
    "RETIRING": "retirement",
    "CHECKPOINTS": "waiting for a checkpoint",
}


def balanced_line(plan: Plan, tolerance: float, explicit: bool) -> str:
    """Why a rebalance has nothing to do."""
    ratio = plan.before.peak_ratio
    if explicit:
        return "the placement is already the wanted one; nothing to do"
    if ratio <= 1 + tolerance:
        return f"the placement is balanced already (busiest subtask at {ratio:.2f} times the mean); nothing to do"
    return f"no move would make the busiest subtask less busy (it is at {ratio:.2f} times the mean); nothing to do"


def status_line(rescale: Rescale) -> str:
    """One line for a rescale, running or ended."""
    parts = [
        # A generated id is told from others by its beginning; one that goes on with another has the same beginning.
        rescale.request_id[:8] if _GENERATED.fullmatch(rescale.request_id) else rescale.request_id,
        rescale.vertex_name or (rescale.vertex_id or "")[:8],
        _goal(rescale),
        str(rescale.phase),
        f"key groups {rescale.key_groups.moved}/{rescale.key_groups.total}",
        f"{size(rescale.bytes.moved)} of {size(rescale.bytes.total)}",
    ]
    if rescale.phase.terminal and rescale.duration_ms is not None:
        parts.append(f"took {seconds(rescale.duration_ms / 1000)}")
    elif rescale.eta_ms is not None:
        parts.append(f"about {seconds(rescale.eta_ms / 1000)} left")
    return " | ".join(parts)


def history_line(rescale: Rescale) -> str:
    """One line for a rescale in a list of them: when, what, how it went, why."""
    took = f"{'took' if rescale.phase.terminal else 'for'} {seconds((rescale.duration_ms or 0) / 1000)}"
    parts = [
        moment(rescale.accepted_at),
        rescale.request_id,
        rescale.vertex_name or (rescale.vertex_id or "")[:8],
        _goal(rescale),
        str(rescale.phase),
        took,
        f"key groups {rescale.key_groups.moved}/{rescale.key_groups.total}",
        size(rescale.bytes.moved),
    ]
    if rescale.strategy != DEFAULT_STRATEGY:
        parts.append(f"strategy: {rescale.strategy}, {rescale.subscales.done} subscales")
    if rescale.cause:
        parts.append(f"cause: {rescale.cause}")
    if rescale.reason:
        parts.append(f"reason: {rescale.reason}")
    if rescale.continued_by:
        parts.append(f"continued by {', '.join(rescale.continued_by)}")
    return " | ".join(parts)


def moment(epoch_ms: int) -> str:
    """A point in time, in this machine's time zone: 2026-03-01 17:04:05 +0100."""
    return datetime.fromtimestamp(epoch_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")


def _goal(rescale: Rescale) -> str:
    if rescale.parts:
        return f"{len(rescale.parts)} operators"
    return f"parallelism {rescale.from_parallelism} -> {rescale.to_parallelism}"


def status_lines(rescale: Rescale) -> list[str]:
    """The line of a rescale and its details: phases, records, suspension, reason."""
    lines = [status_line(rescale), f"  started: {moment(rescale.accepted_at)}"]
    if rescale.cause:
        lines.append(f"  cause: {rescale.cause}")
    if rescale.phases:
        steps = [
            str(p.phase)
            + (f" {seconds(p.duration_ms / 1000)}" if p.duration_ms is not None and _lasts(p.phase) else "")
            for p in rescale.phases
        ]
        lines.append(f"  phases: {', '.join(steps)}")
    subscales = rescale.subscales
    lines.append(f"  strategy: {rescale.strategy}")
    lines.append(f"  subscales: {subscales.done} done, {subscales.open} open, {subscales.total} in all")
    lines.append(f"  records: {rescale.records.rerouted} re-routed, {rescale.records.set_aside} set aside")
    if rescale.suspension_ms:
        longest = max(rescale.suspension_ms.items(), key=lambda item: item[1])
        lines.append(f"  longest suspension: {seconds(longest[1] / 1000)} at subtask {longest[0]}")
    lines += _waits(rescale.waits)
    lines += _mailboxes(rescale.mails)
    lines += [
        f"  garbage collection on {pauses.task_manager}: {pauses.count} pauses, {pauses.total_ms} ms in all,"
        f" longest {pauses.longest_ms} ms"
        for pauses in rescale.gc_pauses
    ]
    if rescale.reason:
        lines.append(f"  reason: {rescale.reason}")
    for part in rescale.parts:
        lines += [f"  {line}" for line in status_lines(part.model_copy(update={"cause": None}))]
    return lines


def _waits(waits: Waits) -> list[str]:
    """What subscales and key groups waited for, of those that did."""
    named = (
        ("propagation", waits.propagation),
        ("alignment", waits.alignment),
        ("for a turn", waits.turn),
        ("dependency of a key group", waits.dependency),
    )
    told = [f"{name} {wait.mean_ms:.0f} / {wait.longest_ms} ms" for name, wait in named if wait.count]
    return [f"  waits, mean / longest: {', '.join(told)}"] if told else []


def _mailboxes(mails: list[Mails]) -> list[str]:
    """What kept owners from their records, the longest first."""
    slowest = sorted(mails, key=lambda kind: kind.max_us, reverse=True)
    return [
        f"  in mailboxes, {kind.kind}: {kind.count} times, 99 % within {kind.p99_us / 1000:.1f} ms,"
        f" longest {kind.max_us / 1000:.1f} ms"
        for kind in slowest[:_SHOWN_KINDS]
    ]


def _lasts(phase: Phase) -> bool:
    return not phase.terminal


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
