"""The memory curve: live bytes over time, and as many samples of it as a screen has dots.

``usage`` accounts for blocks by address: an alloc adds its size, the end of the block's life takes it off again.
A Free line drops one reference only, so where a log prints recycles those are the ends, else the frees are
(spec/kerneltrace.md 5.1). An address that is given out twice without an end between is counted once.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.events import Event, memory, pools
from getrace.store.columns import none_of
from getrace.store.store import Store

Ints = npt.NDArray[np.int64]

ALLOCS: tuple[type[Event], ...] = (
    memory.MemAlloc,
    memory.BatchAlloc,
    memory.CopyAlloc,
    memory.OutputAlloc,
    memory.PlacedOutputAlloc,
    memory.ConstAlloc,
    memory.SpecifiedAlloc,
    memory.FixedAlloc,
)
ALWAYS_ENDS: tuple[type[Event], ...] = (memory.SpecifiedFree, memory.FixedFree, pools.SpanFree)
FREES: tuple[type[Event], ...] = (memory.MemFree, memory.BatchFree, memory.TensorFree)


class Curve(NamedTuple):
    """Live bytes after each change. ``rows`` are the rows that changed them; all three have one length."""

    times: Ints
    live: Ints
    rows: Ints

    @property
    def peak(self) -> int:
        """Index of the highest point, the first of equals; -1 when there is none."""
        return int(np.argmax(self.live)) if len(self.live) else -1


def memory_curve(store: Store) -> Curve:
    """Give the memory curve of a store; empty when its log names no block with a size and an address."""
    return Curve(*usage(store))


def usage(store: Store) -> tuple[Ints, Ints, Ints]:
    """Account for memory: (times in ns, live bytes after that moment, row numbers), one entry a change."""
    allocs = store.rows_of(*ALLOCS)
    recycles = store.rows_of(memory.BirthRecycle)
    ends = store.rows_of(*ALWAYS_ENDS, *((memory.BirthRecycle,) if len(recycles) else FREES))
    rows = np.concatenate([allocs, ends]).astype(np.int64)
    sizes = store.column("size")[rows].astype(np.int64)
    sizes[len(allocs) :] = 0
    is_alloc = np.arange(len(rows)) < len(allocs)
    addresses = store.column("addr")[rows].astype(np.int64)
    known = (addresses != none_of("addr")) & (sizes != none_of("size"))
    rows, sizes, is_alloc, addresses = rows[known], sizes[known], is_alloc[known], addresses[known]
    order = np.lexsort((rows, addresses))
    before = _live_before(addresses[order], sizes[order], is_alloc[order])
    change = np.empty(len(rows), np.int64)
    change[order] = sizes[order] - before
    in_time = np.argsort(rows, kind="stable")
    kept = in_time[change[in_time] != 0]
    return store.column("time")[rows[kept]].astype(np.int64), np.cumsum(change[kept]), rows[kept]


def decimate(curve: Curve, start: int, end: int, samples: int) -> Ints:
    """Give the highest live bytes in each of ``samples`` equal parts of start .. end (ns, both included).

    A part without a change keeps the level it began with, so a short peak is never lost and a plateau never sinks.
    """
    if samples <= 0:
        return np.zeros(0, np.int64)
    # Relative to the start: a float has no room for the nanoseconds of an epoch.
    edges = np.arange(samples + 1, dtype=np.float64) * (max(end - start, 1) / samples)
    edges[-1] += 1
    times = np.maximum.accumulate(curve.times - start) if len(curve.times) else curve.times
    cuts = np.searchsorted(times, edges, "left")
    levels = np.concatenate([np.zeros(1, np.int64), curve.live])
    held = levels[cuts[:-1]]
    highest = held.copy()
    busy = cuts[1:] > cuts[:-1]
    if busy.any():
        starts = cuts[:-1][busy]
        peaks = np.maximum.reduceat(curve.live[: cuts[-1]], starts)
        highest[busy] = np.maximum(held[busy], peaks)
    return highest


def _live_before(addresses: Ints, sizes: Ints, is_alloc: npt.NDArray[np.bool_]) -> Ints:
    # Within an address, the entry in front decides: an alloc is still alive here, an end is not.
    before = np.zeros(len(addresses), np.int64)
    same = (addresses[1:] == addresses[:-1]) & is_alloc[:-1]
    before[1:][same] = sizes[:-1][same]
    return before
