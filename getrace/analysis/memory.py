"""What a log says of memory as a whole: the usage curve, its peak, who is alive then, leaks, growth of the pool.

Built on the lives of ``blocks``. Device memory only, unless said otherwise: host blocks have lives too, but they are
no part of a curve whose limit is the device.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from getrace.analysis.block_columns import NEVER, Blocks
from getrace.analysis.blocks import ALLOCS, FREES, blocks
from getrace.analysis.runs import GraphRun, Stage, graph_runs, run_of_rows
from getrace.events.aicpu import AicpuAddresses, TfLaunch2023
from getrace.events.launch import LaunchAddresses, LaunchWorkspaces
from getrace.events.pools import DriverFree, DriverMalloc, PoolExpand, PoolShrink
from getrace.store.store import Store

Int64 = npt.NDArray[np.int64]

# The purpose that stands in the line of an allocation by the driver; others are of pools above it (spec 6, 6.1 A2).
_FROM_THE_DRIVER = "page caching"


@dataclass(frozen=True, slots=True)
class Usage:
    """The curve of device memory in use: after ``rows[i]`` at ``times[i]`` there are ``bytes[i]`` in use.

    Times are nanoseconds, or the column's none for a record without a time.
    """

    times: Int64
    bytes: Int64
    rows: Int64


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """Everything the ``memory`` command says.

    ``allocs`` and ``frees`` count records of the log; ``recycles`` counts the blocks that went back to their pool, for
    one return may print a line on several levels. ``undecided`` says that the log does not show of every block that
    lives at its end whether it was lost.
    """

    allocs: int
    frees: int
    recycles: int
    blocks: Blocks
    peak_bytes: int
    peak_row: int | None
    live_at_peak: Blocks
    live_at_end: Blocks
    leaks: Blocks
    undecided: bool
    pool: Usage


def memory_report(store: Store) -> MemoryReport:
    """Work out the memory story of a log."""
    lives = blocks(store)
    curve = usage(store, lives)
    fates = _Fates(store)
    peak = int(np.argmax(curve.bytes)) if len(curve.bytes) else None
    peak_row = None if peak is None else int(curve.rows[peak])
    live = lives.take(lives.alive_at_end)
    leaks = live.take(np.array([fates.is_leak(pid, row) for pid, row in _births(live)], bool))
    return MemoryReport(
        allocs=len(store.rows_of(*ALLOCS)),
        frees=len(store.rows_of(*FREES)),
        recycles=int(np.count_nonzero(lives.columns.recycle != NEVER)),
        blocks=lives,
        peak_bytes=0 if peak is None else int(curve.bytes[peak]),
        peak_row=peak_row,
        live_at_peak=lives[:0] if peak_row is None else live_at(lives, peak_row),
        live_at_end=live,
        leaks=leaks,
        undecided=len(leaks) < len(live),
        pool=pool_growth(store),
    )


def _births(lives: Blocks) -> Iterator[tuple[int, int]]:
    """Give the process and the allocation's row of each block."""
    return zip(lives.columns.pid.tolist(), lives.columns.alloc.tolist(), strict=True)


def usage(store: Store, lives: Blocks) -> Usage:
    """Give the curve of device memory that blocks hold, one point a change, in row order."""
    mine = lives.take(~lives.columns.on_host)
    ended, size = ~mine.alive_at_end, mine.bytes
    rows = np.concatenate([mine.columns.alloc, mine.columns.end[ended]]).astype(np.int64)
    changes = np.concatenate([size, -size[ended]])
    # An address that is given again ends the old life and begins the new one in one row: the end counts first.
    order = np.lexsort((changes, rows))
    return _curve(store, rows[order], changes[order])


def pool_growth(store: Store) -> Usage:
    """Give the curve of memory that the lowest allocators hold of the device.

    Only what the driver gave counts: the levels above print the same kind of line when they take a part of it.
    """
    changes = []
    for row in store.rows_of(DriverMalloc, DriverFree).tolist():
        event = store.event(row)
        if isinstance(event, DriverFree):
            changes.append((row, -event.size))
        elif isinstance(event, DriverMalloc) and event.purpose == _FROM_THE_DRIVER:
            changes.append((row, event.size))
    return _curve_of(store, changes)


def live_at(lives: Blocks, row: int) -> Blocks:
    """Give the device blocks that are alive after a row, the biggest first."""
    columns = lives.columns
    alive = lives.take(~columns.on_host & (columns.alloc <= row) & (lives.alive_at_end | (columns.end > row)))
    return alive.take(np.argsort(-alive.bytes, kind="stable"))


@dataclass(frozen=True, slots=True)
class Uses:
    """Which rows of launches name which addresses, sorted by address, then by row; read once for all addresses.

    ``rest`` launches behind the limit were not read.
    """

    addrs: Int64
    rows: Int64
    rest: int = 0

    def of(self, addr: int) -> Int64:
        """Give the rows of the launches that use an address."""
        return self.rows[slice(*np.searchsorted(self.addrs, [addr, addr + 1]))]


def uses(store: Store, limit: int | None = None) -> Uses:
    """Read the addresses of the first ``limit`` launches, or of all."""
    rows = store.rows_of(LaunchAddresses, LaunchWorkspaces, AicpuAddresses, TfLaunch2023).tolist()
    found = [(addr, row) for row in rows[:limit] for addr in set(getattr(store.event(row), "addresses", None) or ())]
    addrs, spoken = np.array(sorted(found), np.int64).reshape(-1, 2).T
    return Uses(addrs, spoken, 0 if limit is None else max(len(rows) - limit, 0))


def history(store: Store, addr: int, used: Uses | None = None) -> list[int]:
    """Give every row that speaks of an address, in row order: its blocks, its allocators, the launches that use it."""
    named = store.holding("addr", addr)
    launched = (uses(store) if used is None else used).of(addr)
    rows: list[int] = np.union1d(named, launched).tolist()
    return rows


def pool_curves(store: Store) -> dict[tuple[int, int], Usage]:
    """Give for each (process, pointer of an RT stream) the memory that the stream's own pool holds.

    A pool that gives a piece back prints no size, so each piece's size is that of the last line that took it.
    """
    rows = store.rows_of(PoolExpand, PoolShrink)
    said = [store.at(name, rows).tolist() for name in ("pid", "handle", "addr", "size")]
    taken: dict[tuple[int, int, int], int] = {}
    changes: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, pid, handle, addr, size in zip(rows.tolist(), *said, strict=True):
        piece = (pid, handle, addr)
        change = -taken.pop(piece, 0) if store.kind(row) is PoolShrink else size
        if change > 0:
            taken[piece] = change
        changes.setdefault((pid, handle), []).append((row, change))
    return {pool: _curve_of(store, steps) for pool, steps in changes.items()}


def _curve_of(store: Store, changes: Sequence[tuple[int, int]]) -> Usage:
    rows, sizes = np.array(changes, np.int64).reshape(-1, 2).T
    return _curve(store, rows, sizes)


def _curve(store: Store, rows: Int64, changes: Int64) -> Usage:
    level = np.cumsum(changes)
    last_of_row = np.append(rows[1:] != rows[:-1], np.ones(min(len(rows), 1), bool))
    rows, level = rows[last_of_row], level[last_of_row]
    return Usage(store.column("time")[rows].astype(np.int64, copy=False), level, rows)


@dataclass(frozen=True, slots=True)
class _Process:
    """What a process shows of its end: whether a run is still open, and the last row that proves an unloading."""

    open_run: bool
    unloaded: int


class _Fates:
    """Tells of a block that lives at the end of the log whether it was lost, as far as the log can tell.

    Everything that does not depend on the block is worked out once: a log may hold a run and a live block per line.
    """

    def __init__(self, store: Store) -> None:
        self._runs = graph_runs(store)
        self._owner = run_of_rows(store, self._runs)
        by_process: dict[int, list[GraphRun]] = {}
        for run in self._runs:
            by_process.setdefault(run.pid, []).append(run)
        self._processes = {pid: _process(store, pid, runs) for pid, runs in by_process.items()}

    def is_leak(self, pid: int, alloc: int) -> bool:
        """Say whether the block that a process was given at a row was lost.

        A process without a run shows nothing of who owns a block. A run that is still open may yet give it back. A
        block of Init, or of nobody we can see, belongs to the model until that is unloaded (spec 3.9 rules 2 and 5).
        """
        process = self._processes.get(pid)
        if process is None or process.open_run:
            return False
        index = int(self._owner[alloc])
        of_a_run = index >= 0 and self._runs[index].stage is not Stage.INIT
        return of_a_run or process.unloaded > alloc


def _process(store: Store, pid: int, runs: Sequence[GraphRun]) -> _Process:
    """Look for the proofs: a DeInit run, or a free outside of every run (2023 prints no markers for DeInit)."""
    frees = store.rows_of(*FREES)
    frees = frees[store.column("pid")[frees] == pid]
    return _Process(
        open_run=any(not run.complete and not run.followed for run in runs),
        unloaded=max([-1, *_all_unloaded(runs), *_outside(frees, runs).tolist()]),
    )


def _all_unloaded(runs: Sequence[GraphRun]) -> list[int]:
    """Give the starts of the DeInit runs after which no model is loaded; with one still loaded, its blocks are fine."""
    loaded, moments = 0, []
    for run in runs:
        if run.stage is Stage.INIT and run.complete:
            loaded += 1
        elif run.stage is Stage.DEINIT:
            loaded = max(0, loaded - 1)
            if not loaded:
                moments.append(run.start)
    return moments


def _outside(rows: Int64, runs: Sequence[GraphRun]) -> Int64:
    """Give the rows that lie in no run, of those after the first Start: before it a run may have lost its beginning."""
    starts = np.array([run.start for run in runs], np.int64)
    lasts = np.maximum.accumulate(np.array([run.last for run in runs], np.int64))
    before = np.searchsorted(starts, rows, "right")
    return rows[(before > 0) & (rows > lasts[before - 1])]
