"""What was read from where: each source with its size, lines, dialects and times, and what could not be read of it."""

from dataclasses import dataclass

import numpy as np

from getrace.analysis.evidence import Evidence, evidence
from getrace.analysis.switches import GE_SWITCH
from getrace.clock import plog_time
from getrace.printable import printable, tail
from getrace.store.columns import CUT, none_of
from getrace.store.store import Store
from views.model.cards import NOWHERE, Told, fact, title
from views.model.rows import number_of
from views.model.spans import Span
from views.model.words import byte_text, duration_text, short

SHOWN = 100
"""Unclaimed and cut lines that are listed; the rest is counted."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """One source: its rows, its processes, its first and last time (ns, None: no record has one), and cut lines."""

    rows: int
    first_row: int
    pids: tuple[int, ...]
    start: int | None
    end: int | None
    cut: int


@dataclass(frozen=True, slots=True)
class SourcesReport:
    """All sources, and the evidence report over them."""

    sources: tuple[SourceFacts, ...]
    evidence: Evidence


def sources_report(store: Store) -> SourcesReport:
    """Read what the sources hold: some passes over columns, for a worker."""
    return SourcesReport(tuple(_facts(store, number) for number in range(len(store.sources))), evidence(store))


def _facts(store: Store, number: int) -> SourceFacts:
    rows = np.flatnonzero(store.column("source") == number)
    times = store.column("time")[rows]
    times = times[times != none_of("time")]
    pids = np.unique(store.column("pid")[rows])
    return SourceFacts(
        rows=len(rows),
        first_row=int(rows[0]) if len(rows) else NOWHERE,
        pids=tuple(pids[pids != none_of("pid")].tolist()),
        start=int(times.min()) if len(times) else None,
        end=int(times.max()) if len(times) else None,
        cut=int(((store.column("flags")[rows].astype(np.int64) & CUT) != 0).sum()),
    )


def source_lines(report: SourcesReport | None, store: Store, width: int, dropped: int, *, live: bool) -> list[Told]:
    """Tell it in lines of at most ``width`` cells."""
    if report is None:
        return [Told([Span("reading ...", "dim")])]
    lines: list[Told] = []
    for number, facts in enumerate(report.sources):
        lines += [*_source(store, number, facts, width), Told([])]
    lines += _unread(report.evidence, store, width)
    if live:
        said = f"{dropped:,} events: the screen was too slow for them" if dropped else "nothing"
        lines += fact("dropped", said, width, role="bad" if dropped else "text")
    lines += _clocks(store, width)
    return lines


def _source(store: Store, number: int, facts: SourceFacts, width: int) -> list[Told]:
    source = store.sources[number]
    row = facts.first_row
    lines = [Told([Span(tail(printable(source.path, 1000), max(width, 12)), "heading")], row)]
    held = f"{byte_text(source.size)}, {source.lines:,} lines, " if source.lines else ""
    lines += fact("holds", f"{held}{facts.rows:,} rows", width, row=row)
    lines += fact("dialects", ", ".join(source.dialects) or "no line tells one", width, row=row)
    lines += fact("processes", ", ".join(map(str, facts.pids)) or "no line names one", width, row=row)
    if facts.start is not None and facts.end is not None:
        span = f"{plog_time(facts.start)} to {plog_time(facts.end)[11:]}, {duration_text(facts.end - facts.start)}"
        lines += fact("times", span + " (measured, the host's clock)", width, row=row)
    for warning in source.warnings:
        lines += fact("warning", warning, width, role="note")
    if source.broken:
        lines += fact("breaks off", source.broken, width, role="bad")
    if facts.cut:
        lines += fact("cut lines", f"{facts.cut:,}: GE keeps 1,022 characters of a line, their ends are lost", width)
    return lines


def _unread(found: Evidence, store: Store, width: int) -> list[Told]:
    lines = [title("What no row of the grammar claims")]
    if not found.kerneltrace:
        lines += fact("no trace", f"the log has no KernelTrace line: set {GE_SWITCH} and run again", width, role="note")
    elif not found.unclaimed:
        lines.append(Told([Span("nothing: every KernelTrace line was read as an event", "name")]))
    else:
        lines += fact("lines", f"{found.unclaimed:,} KernelTrace lines; they are kept and searched as text", width)
    for row in found.unclaimed_rows[:SHOWN]:
        lines += fact(f"{number_of(store, row)}", short(store.event(row)), width, row=row)[:2]
    for row in found.cut_rows[:SHOWN]:
        lines += fact(f"{number_of(store, row)} cut", short(store.event(row)), width, row=row)[:1]
    for hole in found.holes:
        said = f"{duration_text(hole.length_ns)} without a record inside a graph run (measured)"
        lines += fact("hole", said, width, row=hole.before, role="note")
    return [*lines, Told([])]


def _clocks(store: Store, width: int) -> list[Told]:
    if len(store.sources) < 2:
        return []
    lines = [title("Clocks")]
    for source in store.sources:
        if source.clock is not None:
            pairs = f"{source.clock.pairs} pair{'' if source.clock.pairs == 1 else 's'} of records prove it"
            said = f"{source.clock.distance(duration_text)} {printable(source.clock.reference, 1000)} ({pairs})"
            lines += fact(tail(printable(source.path, 1000), 24), said, width)
    if len(lines) > 1:
        return lines
    return lines + fact(
        "offsets",
        "unknown: no two records of different sources belong together; sources are merged as their times stand, and "
        "those of two hosts may be off by what their clocks differ",
        width,
    )
