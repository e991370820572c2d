"""Graph executions: which rows lie between a Start and an End marker, of which graph, in which iteration.

The markers carry no id (spec/kerneltrace.md 8, 10.2, 12): a thread is the only thread of reason. A Start on a thread
whose run is still open means that the run was aborted. Init, Main and DeInit are told apart by what they execute.

The 2023 dialect prints no markers for DeInit (spec 3.9 rule 2): there the line that says "Unload" begins it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from getrace.events import KIND_NUMBER
from getrace.events.markers import ModelEnd, ModelStart
from getrace.events.text import LogLine
from getrace.ids import split_kernel_name
from getrace.store.columns import Column, none_of
from getrace.store.store import Store

_BETWEEN = 5_000
"""Rows of other threads between an ordinary line and the free that follows it; behind more the two are strangers."""


class Stage(StrEnum):
    """Which of the three graphs of a model ran."""

    INIT = "init"
    MAIN = "main"
    DEINIT = "deinit"


# Kernel types that only Init executes: they create what Main uses (spec 8, "sub graph type"). Before the passes Main
# itself holds constants, parsed tilings and loaded binaries, so those say nothing. Nor does CreateHostL2Allocator: Main
# executes it, too, where a condition is copied to the host.
_CREATORS = frozenset(
    {
        "CreateAllocator",
        "CreateInitL2Allocator",
        "CreateL1Allocator",
        "CreateL2Allocators",
        "CreateStepId",
        "EnsureCreateTfSession",
        "FindInferShapeFunc",
        "FindInferShapeRangeFunc",
        "FindTilingFunc",
        "GetSessionId",
        "GetSpaceRegistry",
    }
)

# What a DeInit graph may execute: frees and finalizers; it is often empty.
_DESTROYERS = ("Free", "Destroy", "Finalize", "Release")

# The function whose line stands before a DeInit that has no markers.
_UNLOAD = "Unload"


@dataclass(frozen=True, slots=True)
class GraphRun:
    """One execution of a graph on one thread.

    ``start`` and ``last`` are rows of the store (both inclusive); ``complete`` says whether the End marker is there,
    ``followed`` whether the thread began another run afterwards. ``iteration`` counts the Main runs of one model from
    1, and ``model`` the models of a log; both are 0 for Init and DeInit. A run that is not ``marked`` has no markers
    to miss, and counts as complete.
    """

    pid: int
    tid: int
    stage: Stage
    iteration: int
    start: int
    last: int
    complete: bool
    followed: bool = False
    marked: bool = True
    model: int = 0

    @property
    def aborted(self) -> bool:
        """Whether another run began on the thread before this one ended."""
        return self.followed and not self.complete


@dataclass(slots=True)
class _Span:
    pid: int
    tid: int
    start: int
    last: int
    complete: bool = False
    followed: bool = False
    marked: bool = True


def graph_runs(store: Store) -> list[GraphRun]:
    """Give the graph executions in the order of their first rows."""
    marked = _spans(store)
    named = np.flatnonzero(_named(store))
    spans = sorted([*marked, *_unmarked_spans(store, marked, named)], key=lambda span: span.start)
    owners = _owners(marked)
    counts = _Iterations()
    seen: set[int] = set()
    stages: dict[tuple[tuple[int, ...], bool], Stage] = {}
    runs = []
    kinds = _KernelTypes(store)
    for span in spans:
        inside = _inside(span, named)
        names = _kernels_of(store, span, owners[span.pid] if span.marked else frozenset(), inside)
        key = (tuple(names), span.pid not in seen)
        if key not in stages:  # thousands of iterations execute the same kernels
            stages[key] = _stage(kinds.of(names), first=key[1])
        stage = stages[key] if span.marked else Stage.DEINIT
        seen.add(span.pid)
        model = iteration = 0
        if stage is Stage.MAIN:
            model, iteration = counts.next(span.pid, names)
        ends = (span.start, span.last, span.complete, span.followed, span.marked, model)
        runs.append(GraphRun(span.pid, span.tid, stage, iteration, *ends))
    return runs


class _Iterations:
    """Counts the Main runs of each model.

    Ids in kernel names are process-global, so a NAME that was seen before tells the model. Which one comes first is the
    workers' matter where several threads run a graph.
    """

    def __init__(self) -> None:
        self._graphs: dict[tuple[int, int], int] = {}
        self._counts: list[int] = []

    def next(self, pid: int, names: list[int]) -> tuple[int, int]:
        """Give the number of a run's model, and which of its runs it is, both from 1."""
        keys = [(pid, name) for name in names or [none_of("kernel")]]
        graph = next((self._graphs[key] for key in keys if key in self._graphs), len(self._counts))
        if graph == len(self._counts):
            self._counts.append(0)
        self._graphs.update(dict.fromkeys(keys, graph))
        self._counts[graph] += 1
        return graph + 1, self._counts[graph]


def run_of_rows(store: Store, runs: Iterable[GraphRun]) -> Column:
    """Give for each row the index of its run, or -1.

    A row of a thread without a run of its own (a worker of the multi-thread executor) belongs to the one run of its
    process that is open then; with several open runs nobody can tell, and it stays -1.
    """
    rows = np.arange(store.rows)
    pid, tid = store.column("pid"), store.column("tid")
    owner = np.full(store.rows, -1, np.int64)
    count = np.zeros(store.rows, np.int64)
    shared = np.full(store.rows, -1, np.int64)
    for index, run in enumerate(runs):
        part = slice(run.start, run.last + 1)
        inside = pid[part] == run.pid
        own = inside & (tid[part] == run.tid)
        owner[part][own] = index
        count[part][inside] += 1
        shared[part][inside] = index
    alone = (owner == -1) & (count == 1) & (rows >= 0)
    owner[alone] = shared[alone]
    return owner


def run_of_row(store: Store, runs: Iterable[GraphRun], row: int) -> GraphRun | None:
    """Give the run of one row, as ``run_of_rows`` does for all."""
    pid, tid = int(store.column("pid")[row]), int(store.column("tid")[row])
    around = [run for run in runs if run.pid == pid and run.start <= row <= run.last]
    own = [run for run in around if run.tid == tid]
    return own[-1] if own else around[0] if len(around) == 1 else None


def _spans(store: Store) -> list[_Span]:
    """Pair the markers of each thread; an open span reaches to the thread's last row."""
    open_spans: dict[tuple[int, int], _Span] = {}
    done = []
    pid, tid, kind = store.column("pid"), store.column("tid"), store.kind
    for row in store.rows_of(ModelStart, ModelEnd).tolist():
        thread = (int(pid[row]), int(tid[row]))
        span = open_spans.pop(thread, None)
        if kind(row) is ModelStart:
            if span is not None:
                span.last, span.followed = row - 1, True
                done.append(span)
            open_spans[thread] = _Span(*thread, row, row)
        elif span is not None:
            span.last, span.complete = row, True
            done.append(span)
    owners = _owners([*done, *open_spans.values()])
    for thread, span in open_spans.items():
        span.last = int(np.flatnonzero((pid == thread[0]) & (tid == thread[1]))[-1])
        if span.last == span.start:  # what a thread began that says no more, its workers run
            said = np.flatnonzero(_named(store, slice(span.start, None))) + span.start
            worked = said[_of_workers(store, said, span.pid, owners[span.pid])]
            span.last = int(worked[-1]) if len(worked) else span.start
        done.append(span)
    return done


def _owners(spans: Iterable[_Span]) -> dict[int, frozenset[int]]:
    """Give the threads of each process that begin runs; the others are workers."""
    owners: dict[int, frozenset[int]] = {}
    for span in spans:
        owners[span.pid] = owners.get(span.pid, frozenset()) | {span.tid}
    return owners


def _of_workers(store: Store, rows: Column, pid: int, owners: frozenset[int]) -> npt.NDArray[np.bool_]:
    """Say of each of some rows with a kernel's NAME whether a worker of a process speaks in it."""
    found: npt.NDArray[np.bool_] = store.column("pid")[rows] == pid
    found[found] = ~np.isin(store.column("tid")[rows[found]], sorted(owners))
    return found


def _inside(span: _Span, rows: Column) -> Column:
    """Give those of some rows, which are in order, that lie between the ends of a span."""
    start, end = np.searchsorted(rows, (span.start, span.last + 1))
    return rows[start:end]


def _unmarked_spans(store: Store, marked: Sequence[_Span], named: Column) -> list[_Span]:
    """Find the DeInits without markers: destroyers outside of every run, directly after their thread said Unload.

    ``named`` are the rows that have a kernel's NAME.
    """
    pid, tid, kernel = (store.column(name) for name in ("pid", "tid", "kernel"))
    outside, pids, tids = np.ones(len(named), bool), pid[named], tid[named]
    for span in marked:
        part = slice(*np.searchsorted(named, (span.start, span.last + 1)))
        outside[part] &= (tids[part] != span.tid) | (pids[part] != span.pid)
    rows = named[outside]
    frees = [name for name in np.unique(kernel[rows]).tolist() if _destroys(store.names.text(name))]
    spans = []
    for before, row in _first_after_words(store, rows[np.isin(kernel[rows], frees)]):
        event = store.event(before)
        if isinstance(event, LogLine) and event.func == _UNLOAD:
            last = _last_of_deinit(store, row)
            spans.append(_Span(int(pid[row]), int(tid[row]), row, last, complete=True, marked=False))
    return spans


def _first_after_words(store: Store, rows: npt.NDArray[np.intp]) -> list[tuple[int, int]]:
    """Give (row before on the thread, row) for those of some rows that directly follow an ordinary log line."""
    pid, tid = store.column("pid"), store.column("tid")
    kind, words = store.column("kind"), KIND_NUMBER[LogLine.kind]
    found: list[tuple[int, int]] = []
    before = rows - 1
    for _ in range(_BETWEEN):
        rows, before = rows[before >= 0], before[before >= 0]
        own = (pid[before] == pid[rows]) & (tid[before] == tid[rows])
        told = own & (kind[before] == words)
        found += zip(before[told].tolist(), rows[told].tolist(), strict=True)
        rows, before = rows[~own], before[~own] - 1
        if not len(rows):
            break
    return sorted(found, key=lambda pair: pair[1])


def _last_of_deinit(store: Store, first: int) -> int:
    """Give the last row before the thread speaks of something else.

    A free of the pool that follows a kernel's line still belongs to that kernel.
    """
    pid, tid, module = (store.column(name) for name in ("pid", "tid", "module"))
    last = first
    for row in range(first + 1, store.rows):
        if (pid[row], tid[row]) != (pid[first], tid[first]):
            continue
        kernel = store.kernel(row)
        if store.kind(row) is LogLine or module[row] != module[first] or (kernel and not _destroys(kernel)):
            break
        last = row
    return last


def _destroys(kernel: str) -> bool:
    return split_kernel_name(kernel).type.startswith(_DESTROYERS)


def _named(store: Store, part: slice = slice(None)) -> npt.NDArray[np.bool_]:
    """Say of each row whether it has a kernel's NAME."""
    kernel, empty = store.column("kernel")[part], store.names.find("")
    named: npt.NDArray[np.bool_] = (kernel != none_of("kernel")) & (kernel != (-1 if empty is None else empty))
    return named


def _kernels_of(store: Store, span: _Span, owners: frozenset[int], rows: Column) -> list[int]:
    """Give the name ids of the kernels of a span, in order, each once; ``rows`` are those in it that have a NAME.

    They are those of its thread; a thread that runs none has workers, and then they are those of the workers.
    """
    own = (store.column("tid")[rows] == span.tid) & (store.column("pid")[rows] == span.pid)
    if owners and not own.any():
        own = _of_workers(store, rows, span.pid, owners)
    kernels = store.column("kernel")[rows[own]]
    # A kernel prints several lines in a row: one of them is enough.
    fresh = np.concatenate((kernels[:1], kernels[1:][kernels[1:] != kernels[:-1]]))
    return list(dict.fromkeys(fresh.tolist()))


class _KernelTypes:
    """The kernel types of lists of names; each name is split once, and a list that was seen is remembered."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._types: dict[int, str] = {}
        self._lists: dict[tuple[int, ...], frozenset[str]] = {}

    def of(self, names: list[int]) -> frozenset[str]:
        """Give the types of the kernels with some names."""
        key = tuple(names)
        if key not in self._lists:
            self._lists[key] = frozenset(map(self._type, names))
        return self._lists[key]

    def _type(self, number: int) -> str:
        if number not in self._types:
            self._types[number] = split_kernel_name(self._store.names.text(number)).type
        return self._types[number]


def _stage(types: frozenset[str], *, first: bool) -> Stage:
    if types & _CREATORS:
        return Stage.INIT
    if not first and all(name.startswith(_DESTROYERS) for name in types):
        return Stage.DEINIT
    return Stage.MAIN
