"""The overview in lines: one card a part; a line leads to the row that shows what it says."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from getrace.analysis.evidence import State
from getrace.analysis.failure.model import Failure, Severity, Verdict
from getrace.analysis.places import Place
from getrace.analysis.runs import GraphRun, Stage
from getrace.clock import plog_time
from getrace.store.store import Store
from views.model.cards import NOWHERE, Told, columns, fact, title
from views.model.plot import sparkline
from views.model.rows import number_of
from views.model.spans import Span
from views.model.style import LANE_MARKS
from views.model.summary import WEIGHED, MemorySummary, Summary
from views.model.words import byte_text, counted, duration_text, short

Card = Callable[[Summary, Store, int, bool], list[Told]]
"""A card: from the summary, its store, a width and whether only ASCII may be used."""

READING = Told([Span("reading ...", "dim")])
_VERDICTS = {
    Verdict.FAILED: ("FAILED", "bad"),
    Verdict.CLEAN: ("CLEAN", "name"),
    Verdict.UNKNOWN: ("UNKNOWN", "note"),
}
_WITHOUT_FAILURE = {
    Verdict.CLEAN: "every graph run of the log ended, and no record shows a failure",
    Verdict.UNKNOWN: "the log shows neither a failure nor a complete run",
}
_SEVERITIES = {Severity.ERROR: "bad", Severity.WARNING: "note", Severity.INFO: "dim"}
_STAGES = {Stage.INIT: "Init", Stage.MAIN: "Main", Stage.DEINIT: "DeInit"}
_RUNS_SHOWN = 6
_FINDINGS_SHOWN = 6
_BLOCKS_SHOWN = 10


def verdict_card(summary: Summary, store: Store, width: int, ascii_only: bool) -> list[Told]:
    """Say what failed first, or that nothing did."""
    del ascii_only
    found = summary.diagnosis
    if found is None:
        return [title("Verdict"), READING]
    word, role = _VERDICTS[found.verdict]
    if found.failure is None:
        lines = [title("Verdict"), Told([Span(word, role), Span("  " + _WITHOUT_FAILURE.get(found.verdict, ""))])]
    else:
        lines = _failure(found.failure, store, width, (word, role))
    for finding in found.findings[:_FINDINGS_SHOWN]:
        row = finding.evidence[0].row if finding.evidence else NOWHERE
        lines += fact("finding", finding.message, width, row=row, role=_SEVERITIES[finding.severity])
        if finding.next_step:
            lines += fact("  next", finding.next_step, width, row=row, role="dim")
    if len(found.findings) > _FINDINGS_SHOWN:
        lines.append(Told([Span(f"and {len(found.findings) - _FINDINGS_SHOWN} more findings", "dim")]))
    return lines


def _failure(failure: Failure, store: Store, width: int, verdict: tuple[str, str]) -> list[Told]:
    at = failure.error or failure.at or failure.first_sign
    row = at.row if at is not None else NOWHERE
    what = failure.kernel or failure.op or "no kernel is named"
    lines = [title("Verdict"), Told([Span(verdict[0], verdict[1]), Span(f"  at {failure.phase}", "strong")], row)]
    lines += fact("kernel", what, width, row=failure.at.row if failure.at else row, role="strong")
    if failure.op:
        typed = f" ({failure.op_type})" if failure.op_type else ""
        lines += fact("operator", failure.op + typed, width, row=row, role="name")
    if failure.cause is not None:
        lines += fact("cause", failure.cause.what.replace("_", " "), width, row=failure.cause.place.row)
    ids = ", ".join(
        f"{name} {number}"
        for name, number in (("stream", failure.stream_id), ("task", failure.task_id), ("process", failure.pid))
        if number is not None and number >= 0
    )
    lines += fact("where", ids, width, row=row) if ids else []
    lines += fact("evidence", f"{failure.evidence} ({failure.confidence} confidence)", width, row=row)
    for label, place in (("ran at", failure.at), ("error", failure.error), ("first sign", failure.first_sign)):
        lines += _place(label, place, store, width)
    for label, kernel in (("last good", failure.last_good), ("next was", failure.expected_next)):
        if kernel is not None:
            lines += fact(label, kernel.kernel, width, row=kernel.place.row)
    if failure.consequences:
        lines += fact("effects", f"{len(failure.consequences)} later errors only repeat it", width)
    return lines


def _place(label: str, place: Place | None, store: Store, width: int) -> list[Told]:
    if place is None:
        return []
    module = store.names.text(int(store.column("module")[place.row]))
    said = f"line {number_of(store, place.row)}  {module} {short(store.event(place.row))}"
    return fact(label, said, width, row=place.row)[:3]


def runs_card(summary: Summary, store: Store, width: int, ascii_only: bool) -> list[Told]:
    """Say which phases ran, how often and how long; single runs where they are few, else those that stand out."""
    del ascii_only, width
    if summary.runs is None:
        return [title("Runs"), READING]
    if not summary.runs:
        return [title("Runs"), Told([Span("no graph run: the log has no start marker", "dim")])]
    lines = [title("Runs: time between the markers on the host, measured")]
    rows: list[tuple[Sequence[str], int]] = []
    for stage in Stage:
        rows += _stage_rows(store, [run for run in summary.runs if run.stage is stage])
    return lines + columns(rows, ("strong", "text", "dim"), (False, True, False))


def _stage_rows(store: Store, runs: Sequence[GraphRun]) -> list[tuple[Sequence[str], int]]:
    if not runs:
        return []
    name = _STAGES[runs[0].stage]
    if len(runs) <= _RUNS_SHOWN:
        return [_run_row(store, run) for run in runs]
    times = [(took, run) for run in runs if (took := took_of(store, run)) is not None]
    open_runs = [run for run in runs if not run.complete]
    told: list[tuple[Sequence[str], int]] = [((f"{name} x{len(runs):,}", _median(times), "median"), runs[0].start)]
    if times:
        slowest = max(times, key=lambda pair: pair[0])[1]
        told.append(_run_row(store, slowest, "slowest"))
    return told + [_run_row(store, run) for run in open_runs[: _RUNS_SHOWN - 2]]


def _median(times: Sequence[tuple[int, GraphRun]]) -> str:
    return duration_text(int(np.median([took for took, _ in times]))) if times else "?"


def _run_row(store: Store, run: GraphRun, note: str = "") -> tuple[Sequence[str], int]:
    took = took_of(store, run)
    name = _STAGES[run.stage] + (f" #{run.iteration}" if run.stage is Stage.MAIN else "")
    said = note or ("" if run.complete else ("aborted" if run.aborted else "no end"))
    where = f"thread {run.tid}" + (f", {said}" if said else "")
    return (name, "?" if took is None else duration_text(took), where), run.start


def took_of(store: Store, run: GraphRun) -> int | None:
    """Give the nanoseconds from a run's start marker to its end marker; None where one of them is missing."""
    start, end = store.time_or_none(run.start), store.time_or_none(run.last)
    return None if start is None or end is None or not run.complete or not run.marked else end - start


def memory_card(summary: Summary, store: Store, width: int, ascii_only: bool) -> list[Told]:
    """Say the peak, who held it, and what was left."""
    del ascii_only
    if summary.memory is None:
        waits = summary.evidence is None or summary.streams is None
        told = READING if waits else Told([Span("no block with a size and an address", "dim")])
        return [title("Memory"), told]
    return [title("Memory"), *_memory(summary.memory, store, width)]


def _memory(memory: MemorySummary, store: Store, width: int) -> list[Told]:
    row = NOWHERE if memory.peak_row is None else memory.peak_row
    time = None if memory.peak_row is None else store.time_or_none(memory.peak_row)
    when = "" if time is None else f" at {plog_time(time)[11:]}"
    lines = fact("peak", f"{byte_text(memory.peak_bytes)}{when}, {memory.alive_count} blocks", width, row=row)
    left = f"{memory.live_at_end} blocks at the end, {memory.leaks} leaked"
    lines += fact("left", left + (", not all decided" if memory.undecided else ""), width)
    held: list[tuple[Sequence[str], int]] = [
        (
            (byte_text(block.bytes), f"{block.addr:#x}", _stream(block.stream), store.kernel(block.alloc) or "?"),
            block.alloc,
        )
        for block in memory.alive[:_BLOCKS_SHOWN]
    ]
    return lines + (columns(held, ("text", "number", "dim", "name"), (True, False, False, False)) if held else [])


def _stream(stream: int | None) -> str:
    return "stream ?" if stream is None else f"stream {stream}"


def streams_card(summary: Summary, store: Store, width: int, ascii_only: bool) -> list[Told]:
    """Say what each stream did."""
    del store, width
    if summary.streams is None:
        return [title("Streams"), READING]
    if not summary.streams:
        return [title("Streams"), Told([Span("no launch, send or wait", "dim")])]
    lines = [title("Streams")]
    for stream in summary.streams:
        spans = [Span(f"{stream.label:<18} ")]
        for mark, count in stream.counts:
            look = LANE_MARKS[mark]
            spans += [
                Span(look.sign(ascii_only=ascii_only) + " ", f"lane:{mark}"),
                Span(f"{counted(count, look.word)}  "),
            ]
        lines.append(Told(spans, stream.first))
    return lines


def levels_card(summary: Summary, store: Store, width: int, ascii_only: bool) -> list[Told]:
    """Draw how many records of each level come when."""
    del store
    if summary.levels is None:
        return [title("Levels over time"), READING if summary.runs is None else _no_times()]
    levels = summary.levels
    lines = [title(f"Levels over time: {duration_text(levels.end - levels.start)} of host time, measured")]
    roles = ("bad", "note", "dim")
    for number, name in enumerate(WEIGHED):
        counts = levels.counts[number]
        room = max(width - 20, 8)
        picture = sparkline(_rebinned(counts, 2 * room), ascii_only=ascii_only)
        lines.append(
            Told([Span(f"{name:<8}", roles[number]), Span(f"{int(counts.sum()):>10,} "), Span(picture, roles[number])])
        )
    return lines


def _no_times() -> Told:
    return Told([Span("no record has a time", "dim")])


def _rebinned(counts: npt.NDArray[np.int64], bins: int) -> npt.NDArray[np.int64]:
    places = np.arange(len(counts)) * bins // len(counts)
    return np.bincount(places, weights=counts, minlength=bins).astype(np.int64)


def lacks_card(summary: Summary, store: Store, width: int, ascii_only: bool) -> list[Told]:
    """Say what each analysis can do with this log, what is missing, and the switch for it: each switch once."""
    del store, ascii_only
    if summary.evidence is None:
        return [title("What this log lacks"), READING]
    lacking = {name: one for name, one in summary.evidence.analyses.items() if one.state is not State.POSSIBLE}
    if not lacking:
        return [title("What this log lacks"), Told([Span("nothing: every analysis is possible", "name")])]
    switches = list(dict.fromkeys(missing.switch for one in lacking.values() for missing in one.missing))
    lines = [title("What this log lacks")]
    for name, ability in lacking.items():
        role = "note" if ability.state is State.PARTLY else "bad"
        what = ", ".join(f"{missing.what} ({switches.index(missing.switch) + 1})" for missing in ability.missing)
        lines += fact(name, f"{ability.state}: {what}" if what else str(ability.state), width, role=role)
    for number, switch in enumerate(switches, 1):
        lines += fact(f"  ({number})", f"set {switch}" if switch else _SWITCH_WAS_ON, width, role="strong")
    return lines


_SWITCH_WAS_ON = "its switch was on: the run had none of it"


LEFT: tuple[Card, ...] = (verdict_card, lacks_card)
RIGHT: tuple[Card, ...] = (runs_card, levels_card, memory_card, streams_card)
ALL: tuple[Card, ...] = (verdict_card, runs_card, levels_card, memory_card, streams_card, lacks_card)


def card_lines(cards: Sequence[Card], summary: Summary, store: Store, width: int, *, ascii_only: bool) -> list[Told]:
    """Give the lines of some cards, a blank one between two."""
    lines: list[Told] = []
    for card in cards:
        lines += [*([Told([])] if lines else []), *card(summary, store, width, ascii_only)]
    return lines
