"""Is the evidence whole? What was read, what is missing, what each analysis can do with it, and which switch helps.

The counts come from the store and its sources, so they are what the reader saw; nothing is read twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from getrace.analysis.blocks import ALLOCS, RETURNS
from getrace.analysis.not_understood import TOO_LONG, not_understood
from getrace.analysis.runs import GraphRun, graph_runs
from getrace.analysis.switches import GE_SWITCH, RUNTIME_SWITCH, levels_of, speaks_at_info
from getrace.clock import NS_PER_SECOND
from getrace.events import EVENTS, Event
from getrace.events.aicpu import TfLaunch2023
from getrace.events.device import TaskFinished, TaskListed
from getrace.events.launch import LaunchTiling, TaskIds
from getrace.events.markers import ModelEnd, ModelStart
from getrace.events.pools import SpanAlloc
from getrace.events.shapes import ShapeResult, ShapesIn, ShapesOut
from getrace.events.streams import EventSent, EventWaited, StreamSplit
from getrace.events.text import Foreign, LogLine, Note
from getrace.events.tiling import GuideTiling, Tiling
from getrace.store.columns import CUT, GLUED, JOINED, Column, none_of
from getrace.store.store import Store

HOLE_NS = 60 * NS_PER_SECOND
"""Silence of a whole process inside a graph run that counts as a hole; a kernel of RT2 takes milliseconds."""

_UNCLAIMED_SHOWN = 100
_WORDS: tuple[type[Event], ...] = (LogLine, Note, Foreign)


class State(StrEnum):
    """What an analysis can do with a log."""

    POSSIBLE = "possible"
    PARTLY = "partly"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class Missing:
    """One kind of record that is not there, and the switch that prints it."""

    what: str
    switch: str


@dataclass(frozen=True, slots=True)
class Ability:
    """What an analysis can do, and what it lacks."""

    state: State
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True)
class Hole:
    """A silence inside a graph run, between two rows of its process."""

    before: int
    after: int
    length_ns: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence report. Rows are store rows; lines are physical lines; ``by_kind`` counts KernelTrace records."""

    dialects: tuple[str, ...]
    lines: int
    records: int
    kerneltrace: int
    events: int
    by_kind: dict[str, int]
    other_kinds: dict[str, int]
    unclaimed: int
    unclaimed_rows: tuple[int, ...]
    cut_rows: tuple[int, ...]
    joined: int
    glued: int
    not_understood: dict[str, int]
    levels: dict[str, dict[str, int]]
    markers: dict[str, int]
    open_runs: tuple[GraphRun, ...]
    holes: tuple[Hole, ...]
    broken: tuple[str, ...]
    analyses: dict[str, Ability] = field(default_factory=dict)

    @property
    def readable(self) -> bool:
        """Whether anything at all could be read as a log record."""
        return self.records > 0

    @property
    def whole(self) -> bool:
        """Whether every record was read, claimed and complete, without a hole, to the end of every file and run."""
        return not (self.unclaimed or self.too_long or self.cut_rows or self.holes or self.broken or self.open_runs)

    @property
    def too_long(self) -> int:
        """How many lines are longer than a record can be; what stands in them was not read as records."""
        return self.not_understood.get(TOO_LONG, 0)


def evidence(store: Store) -> Evidence:
    """Gather what a log holds and lacks."""
    kind, flags = store.column("kind"), store.column("flags")
    words = np.isin(kind, np.array([EVENTS.index(event) for event in _WORDS], kind.dtype))
    foreign = kind == EVENTS.index(Foreign)
    trace = _trace_rows(store)
    later_piece = (flags & JOINED) != 0
    orphans = np.flatnonzero(trace & words & ~later_piece)
    runs = graph_runs(store)
    return Evidence(
        dialects=tuple(sorted({name for source in store.sources for name in source.dialects})),
        lines=sum(source.lines for source in store.sources),
        records=_records(store, int((~foreign).sum())),
        kerneltrace=int(trace.sum()),
        events=int((~words).sum()),
        by_kind=_counts(kind[trace & ~words]),
        other_kinds=_counts(kind[~trace & ~words]),
        unclaimed=len(orphans),
        unclaimed_rows=tuple(orphans[:_UNCLAIMED_SHOWN].tolist()),
        cut_rows=tuple(np.flatnonzero((flags & CUT) != 0).tolist()),
        joined=int(later_piece.sum()),
        glued=int(np.count_nonzero(flags & GLUED)),
        not_understood=not_understood(store, len(orphans)),
        levels=levels_of(store),
        markers={"start": len(store.rows_of(ModelStart)), "end": len(store.rows_of(ModelEnd))},
        open_runs=tuple(run for run in runs if not run.complete and not run.followed),
        holes=_holes(store, runs),
        broken=tuple(source.broken for source in store.sources if source.broken),
        analyses={name: _ability(store, needs) for name, needs in _NEEDS.items()},
    )


def _records(store: Store, rows: int) -> int:
    """Give what the reader counted; a live store counts nothing, so its rows are its records."""
    return sum(source.records for source in store.sources) or rows


def _trace_rows(store: Store) -> npt.NDArray[np.bool_]:
    """Mark the rows of KernelTrace lines: those with a NAME, even an empty one, and the two markers."""
    kind = store.column("kind")
    named = store.column("kernel") != none_of("kernel")
    return np.asarray(named | np.isin(kind, [EVENTS.index(ModelStart), EVENTS.index(ModelEnd)]), bool)


def _counts(kinds: Column) -> dict[str, int]:
    numbers, counts = np.unique(kinds, return_counts=True)
    pairs = zip(numbers.tolist(), counts.tolist(), strict=True)
    return dict(sorted((EVENTS[number].kind, count) for number, count in pairs))


def _holes(store: Store, runs: Sequence[GraphRun]) -> tuple[Hole, ...]:
    """Find silences of a whole process inside a run; between runs a program may do what it likes."""
    found = {}
    for run in runs:
        part = slice(run.start, run.last + 1)
        timed = store.column("time")[part] != none_of("time")
        inside = np.flatnonzero(timed & (store.column("pid")[part] == run.pid)) + run.start
        gaps = np.diff(store.column("time")[inside].astype(np.int64))
        for index in np.flatnonzero(gaps >= HOLE_NS).tolist():
            before, after = int(inside[index]), int(inside[index + 1])
            found[before, after] = Hole(before, after, int(gaps[index]))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _Need:
    """Records an analysis wants: any of ``kinds``, or any KernelTrace line when it is empty."""

    what: str
    kinds: tuple[type[Event], ...]
    switch: str
    essential: bool = True


_TRACE = _Need("KernelTrace lines", (), GE_SWITCH)

_LAUNCHES: tuple[type[Event], ...] = (TaskIds, TfLaunch2023)

_NEEDS: dict[str, tuple[_Need, ...]] = {
    "kernels": (_TRACE,),
    "iterations": (_TRACE, _Need("start and end markers", (ModelStart,), GE_SWITCH)),
    "memory": (
        _Need("allocations of kernels", ALLOCS, GE_SWITCH),
        _Need("returns to the pool", RETURNS, GE_SWITCH, essential=False),
        _Need("allocator lines with the size asked for", (SpanAlloc,), GE_SWITCH, essential=False),
    ),
    "streams": (
        _Need(
            "events sent and waited for",
            (EventSent, EventWaited),
            "",
            essential=False,
        ),
        _Need("logical to RT stream lines", (StreamSplit,), GE_SWITCH, essential=False),
        _Need("launches with their stream and task", _LAUNCHES, GE_SWITCH),
    ),
    "shapes": (_Need("shapes of InferShape", (ShapesIn, ShapesOut, ShapeResult), GE_SWITCH),),
    "tiling": (_Need("tiling results", (Tiling, GuideTiling, LaunchTiling), GE_SWITCH),),
    "failure": (
        _TRACE,
        _Need("RUNTIME lines of tasks", (TaskListed, TaskFinished), RUNTIME_SWITCH, essential=False),
        _Need("launches with their stream and task", _LAUNCHES, GE_SWITCH, essential=False),
    ),
    "device": (_Need("RUNTIME lines of tasks", (TaskListed, TaskFinished), RUNTIME_SWITCH),),
}


def _ability(store: Store, needs: Sequence[_Need]) -> Ability:
    lacking = [need for need in needs if not _present(store, need)]
    missing = tuple(Missing(need.what, _switch(store, need)) for need in lacking)
    if any(need.essential for need in lacking):
        return Ability(State.IMPOSSIBLE, missing)
    return Ability(State.PARTLY if lacking else State.POSSIBLE, missing)


def _present(store: Store, need: _Need) -> bool:
    if need.kinds:
        return len(store.rows_of(*need.kinds)) > 0
    return bool(_trace_rows(store).any())


def _switch(store: Store, need: _Need) -> str:
    """Give the switch, or say that it was on: then the run did not come that far, or had nothing of the kind."""
    module = "RUNTIME" if need.switch == RUNTIME_SWITCH else "GE"
    on = need.switch in (GE_SWITCH, RUNTIME_SWITCH) and speaks_at_info(store, module)
    return "" if on and _trace_rows(store).any() else need.switch
