"""The shapes that a log prints: which row belongs to which step, and what it says, without reading a row twice.

A log of millions of rows repeats a few shapes, so rows are compared as they stand and only new ones are parsed; and at
most ``ROWS`` are looked at: those whose length is new for their kernel come first, as they surely say something new.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.analysis.runs import GraphRun, Stage
from getrace.analysis.shapes.facts import Shape
from getrace.events import Event
from getrace.events.shapes import DynamicShape, ExtShapesOut, ShapeResult, ShapesIn, ShapesOut, TensorDesc, TensorSize
from getrace.ids import split_kernel_name
from getrace.store.store import Store

ROWS = 20_000
"""Rows with shapes that are looked at."""
PARSED = 5_000
"""Different rows that are parsed."""

_LONG = (1 << 20) - 1

KINDS: tuple[type[Event], ...] = (ShapesIn, ShapesOut, ExtShapesOut, ShapeResult, TensorSize, DynamicShape)

Rows = npt.NDArray[np.int64]


class Told(NamedTuple):
    """What one record says: shapes of inputs, of outputs with their types, of a tensor, or the shape of a gear."""

    inputs: tuple[Shape, ...] | None = None
    outputs: tuple[Shape, ...] | None = None
    dtypes: tuple[str, ...] = ()
    tensor: Shape | None = None
    asked: Shape | None = None


class Said(NamedTuple):
    """One row that says a shape: its operator, the index of its run, what it says."""

    row: int
    node: str
    run: int
    told: Told


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
    read = rows[chosen].tolist()
    kernels, kinds = (store.column(name)[read].tolist() for name in ("kernel", "kind"))
    cells = zip(read, owner[chosen].tolist(), kernels, kinds, store.said(read), strict=True)
    for row, run, number, kind, said in cells:
        told = reader.told(row, (kind, said))
        if told is None:
            observed.unread += 1
        else:
            observed.said.append(Said(row, reader.node(number), run, told))
    return observed


def _choose(store: Store, rows: Rows) -> Rows:
    """Give the positions of the rows that are read, in order."""
    if len(rows) <= ROWS:
        return np.arange(len(rows))
    kernel, kind, length = (store.column(name)[rows].astype(np.int64) for name in ("kernel", "kind", "length"))
    cells = (kernel << 32) + (kind << 20) + np.minimum(length, _LONG)  # one number sorts three times as fast
    _, first = np.unique(cells, return_index=True)
    repeated = np.ones(len(rows), bool)
    repeated[first] = False
    rest = np.flatnonzero(repeated)
    return np.sort(np.concatenate([first[:ROWS], rest[: max(0, ROWS - len(first))]]))


class _Reader:
    """Parses each different record once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._told: dict[tuple[int, Hashable], Told] = {}
        self._nodes: dict[int, str] = {}

    def node(self, number: int) -> str:
        """Give the operator in a kernel's NAME."""
        if number not in self._nodes:
            self._nodes[number] = split_kernel_name(self._store.names.text(number)).node if number >= 0 else ""
        return self._nodes[number]

    def told(self, row: int, key: tuple[int, Hashable]) -> Told | None:
        """Give what a row says, by its kind and its text; None when there are too many different ones."""
        told = self._told.get(key)
        if told is None and len(self._told) < PARSED:
            told = self._told[key] = _told(self._store.event(row))
        return told


def _told(event: Event) -> Told:
    match event:
        case ShapesIn():
            told = Told(inputs=_dims(event.original))
        case ShapesOut():
            told = Told(outputs=_dims(event.original), dtypes=tuple(dtype for _, dtype, _ in event.original))
        case ExtShapesOut():
            told = Told(outputs=event.original)
        case ShapeResult():
            told = Told(outputs=(event.dims,))
        case TensorSize():
            told = Told(tensor=event.dims)
        case DynamicShape():
            told = Told(asked=event.dims)
        case _:
            told = Told()
    return told


def _dims(tensors: Sequence[TensorDesc]) -> tuple[Shape, ...]:
    return tuple(dims for _, _, dims in tensors)


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
