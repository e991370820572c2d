"""The shapes that a log prints: which row belongs to which step, and what it says, without reading a row twice.

A log of millions of rows repeats a few shapes, so rows are compared as they stand and only new ones are parsed; and at
most ``ROWS`` are looked at: those whose length is new for their kernel come first, as they surely say something new.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from getrace.analysis.runs import GraphRun, Stage
from getrace.events import Event
from getrace.events.shapes import DynamicShape, ExtShapesOut, ShapeResult, ShapesIn, ShapesOut, TensorSize
from getrace.ids import split_kernel_name
from getrace.store.store import Store

ROWS = 100_000
"""Rows with shapes that are looked at."""
PARSED = 20_000
"""Different rows that are parsed."""

KINDS: tuple[type[Event], ...] = (ShapesIn, ShapesOut, ExtShapesOut, ShapeResult, TensorSize, DynamicShape)

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Said:
    """One row that says a shape: its kernel's parts, the index of its run, its event."""

    row: int
    kernel: str
    type: str
    node: str
    run: int
    event: Event


@dataclass(slots=True)
class Observed:
    """What was said, in row order. ``unread`` rows with shapes were not looked at."""

    said: list[Said] = field(default_factory=list)
    unread: int = 0


def observe(store: Store, runs: Sequence[GraphRun]) -> Observed:
    """Read the rows that print shapes inside Main runs."""
    rows = store.rows_of(*KINDS).astype(np.int64)
    owner = owners(store, runs, rows)
    main = np.array([run.stage is Stage.MAIN for run in runs] + [False])
    rows, owner = rows[main[owner]], owner[main[owner]]
    chosen = _choose(store, rows)
    observed = Observed(unread=len(rows) - len(chosen))
    reader = _Reader(store)
    kernels = store.column("kernel")[rows[chosen]].tolist()
    for row, run, number in zip(rows[chosen].tolist(), owner[chosen].tolist(), kernels, strict=True):
        event = reader.event(row, number)
        if event is None:
            observed.unread += 1
        else:
            observed.said.append(Said(row, *reader.parts(number), run, event))
    return observed


def _choose(store: Store, rows: Rows) -> Rows:
    """Give the positions of the rows that are read, in order."""
    if len(rows) <= ROWS:
        return np.arange(len(rows))
    cells = np.stack([store.column(name)[rows].astype(np.int64) for name in ("kernel", "kind", "length")])
    _, first = np.unique(cells, axis=1, return_index=True)
    rest = np.setdiff1d(np.arange(len(rows)), first)
    return np.sort(np.concatenate([first[:ROWS], rest[: max(0, ROWS - len(first))]]))


class _Reader:
    """Parses each different row once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._events: dict[tuple[int, int, Hashable], Event] = {}
        self._parts: dict[int, tuple[str, str, str]] = {}
        self._kind = store.column("kind")

    def parts(self, number: int) -> tuple[str, str, str]:
        """Give a kernel's NAME, its type and its operator."""
        if number not in self._parts:
            kernel = self._store.names.text(number) if number >= 0 else ""
            name = split_kernel_name(kernel)
            self._parts[number] = (kernel, name.type, name.node)
        return self._parts[number]

    def event(self, row: int, number: int) -> Event | None:
        """Give the event of a row; None when there are too many different ones."""
        key = (int(self._kind[row]), number, self._store.same(row))
        if key not in self._events:
            if len(self._events) >= PARSED:
                return None
            self._events[key] = self._store.event(row)
        return self._events[key]


def owners(store: Store, runs: Sequence[GraphRun], rows: Rows) -> Rows:
    """Give the index of the run that each row belongs to, or -1.

    A row of a thread without runs (a worker) belongs to the run of its process that is open then; with several open
    runs nobody can tell.
    """
    owner = np.full(len(rows), -1, np.int64)
    if not len(rows) or not runs:
        return owner
    pid, tid = store.column("pid")[rows], store.column("tid")[rows]
    threads: dict[tuple[int, int], list[int]] = {}
    processes: dict[int, list[int]] = {}
    for index, run in enumerate(runs):
        threads.setdefault((run.pid, run.tid), []).append(index)
        processes.setdefault(run.pid, []).append(index)
    for process, indices in processes.items():
        mine = np.flatnonzero(pid == process)
        owner[mine] = _inside(runs, indices, rows[mine], alone=True)
    for (process, thread), indices in threads.items():
        mine = np.flatnonzero((pid == process) & (tid == thread))
        owner[mine] = _inside(runs, indices, rows[mine])
    return owner


def _inside(runs: Sequence[GraphRun], indices: list[int], rows: Rows, *, alone: bool = False) -> Rows:
    """Give the run that is open at each row; with ``alone`` only where no other one is open, as nobody could tell."""
    starts = np.array([runs[index].start for index in indices])
    lasts = np.array([runs[index].last for index in indices])
    at = np.searchsorted(starts, rows, "right") - 1
    fits = (at >= 0) & (rows <= lasts[at])
    if alone:
        before = np.maximum.accumulate(np.concatenate([[-1], lasts[:-1]]))
        fits &= before[at] < rows
    return np.where(fits, np.array(indices)[at], -1)
