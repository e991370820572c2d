"""What the overview screen tells of a whole log: verdict, runs, levels, memory, streams, and what the log lacks.

Every part is an analysis of ``getrace.analysis``, so the screen and the commands give one answer. The parts come one
after the other, the quick ones first: over a huge log the screen fills while the rest is read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from getrace.analysis.block_columns import Block
from getrace.analysis.evidence import Evidence, evidence
from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.memory import MemoryReport, memory_report
from getrace.analysis.runs import GraphRun, graph_runs
from getrace.events import Level
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.lanes import MARKS, Lanes, lanes_of

BINS = 400
"""Steps of time in which levels are counted: more than a wide terminal has dots."""
WEIGHED = ("ERROR", "WARNING", "other")
"""The rows of the picture of levels."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """How many records of each weight (``WEIGHED``) each of ``BINS`` equal steps from ``start`` to ``end`` has (ns)."""

    start: int
    end: int
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StreamCount:
    """What one stream did: (mark, how often) for each mark it has."""

    label: str
    counts: tuple[tuple[str, int], ...]
    first: int


@dataclass(frozen=True, slots=True)
class MemorySummary:
    """Device memory: the peak, who was alive then (the biggest first), what lives at the end, and leaks."""

    peak_bytes: int
    peak_row: int | None
    alive: tuple[Block, ...]
    alive_count: int
    live_at_end: int
    leaks: int
    undecided: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """The parts that are read so far; None for those that are not."""

    levels: Levels | None = None
    runs: tuple[GraphRun, ...] | None = None
    diagnosis: Diagnosis | None = None
    evidence: Evidence | None = None
    streams: tuple[StreamCount, ...] | None = None
    memory: MemorySummary | None = None


def summaries(store: Store) -> Iterator[Summary]:
    """Read a store part by part; each summary holds the parts before it, the last one all."""
    summary = Summary(levels=levels_over_time(store), runs=tuple(graph_runs(store)))
    yield summary
    summary = replace(summary, diagnosis=diagnose(store))
    yield summary
    summary = replace(summary, evidence=evidence(store), streams=count_streams(lanes_of(store)))
    yield summary
    yield replace(summary, memory=summarise_memory(memory_report(store)))


def levels_over_time(store: Store) -> Levels | None:
    """Count records by level and time; None when no record has a time."""
    times = store.column("time")
    known = times != none_of("time")
    if not known.any():
        return None
    start, end = int(times[known].min()), int(times[known].max())
    weights = np.full(256, 2)
    weights[[Level.ERROR, Level.CRITICAL, Level.EXCEPTION]] = 0
    weights[Level.WARNING] = 1
    # Relative to the start: a float has no room for the nanoseconds of an epoch.
    steps = ((times[known] - start) * (BINS / max(end - start, 1))).astype(np.int64).clip(0, BINS - 1)
    cells = weights[store.column("level")[known]] * BINS + steps
    return Levels(start, end, np.bincount(cells, minlength=3 * BINS).reshape(3, BINS))


def count_streams(lanes: Lanes) -> tuple[StreamCount, ...]:
    """Count what each stream did."""
    made = []
    for lane in lanes.lanes:
        counts = np.bincount(lane.marks.astype(np.int64), minlength=len(MARKS)).tolist()
        told = tuple((mark, count) for mark, count in zip(MARKS, counts, strict=True) if count)
        made.append(StreamCount(lane.label, told, int(lane.rows[0])))
    return tuple(made)


def summarise_memory(report: MemoryReport) -> MemorySummary | None:
    """Give the part of the memory report that the overview shows; None without any block."""
    if not report.blocks:
        return None
    return MemorySummary(
        peak_bytes=report.peak_bytes,
        peak_row=report.peak_row,
        alive=tuple(report.live_at_peak[:10]),
        alive_count=len(report.live_at_peak),
        live_at_end=len(report.live_at_end),
        leaks=len(report.leaks),
        undecided=report.undecided,
    )
