"""Lives of memory blocks: both ends of each, split per address into generations.

An address is used again and again, so a block is keyed by (process, address) and a life begins at each allocation.
What ends a life differs between releases (spec/kerneltrace.md 3.9 rules 3 to 5, 5.1): ``rt2-2026`` prints a Recycle,
``rt2-2023`` prints none and its scalable allocator's "Free block" is the return to the pool; where neither kind of line
exists, the free itself is all there is. A free alone never ends a life otherwise: it drops one reference.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from getrace.analysis.places import cell
from getrace.events import EVENTS, Event
from getrace.events.memory import (
    BatchAlloc,
    BatchFree,
    BirthRecycle,
    ConstAlloc,
    CopyAlloc,
    FixedAlloc,
    FixedFree,
    MemAlloc,
    MemFree,
    OutputAlloc,
    PlacedOutputAlloc,
    SpecifiedAlloc,
    SpecifiedFree,
    TensorFree,
)
from getrace.events.pools import DeviceFree, DriverFree, SpanAlloc, SpanFree
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store

ALLOCS: tuple[type[Event], ...] = (
    MemAlloc,
    BatchAlloc,
    CopyAlloc,
    OutputAlloc,
    PlacedOutputAlloc,
    ConstAlloc,
    SpecifiedAlloc,
    FixedAlloc,
)
FREES: tuple[type[Event], ...] = (MemFree, TensorFree, BatchFree, SpecifiedFree, FixedFree)
RETURNS: tuple[type[Event], ...] = (BirthRecycle, SpanFree)
TAKEN_BACK: tuple[type[Event], ...] = (DeviceFree, DriverFree)

# Allocations whose ``size`` is what was asked for, not what was given (spec 5.1, last paragraph).
_ASKED: frozenset[type[Event]] = frozenset({BatchAlloc, PlacedOutputAlloc, FixedAlloc})

_HOST_TYPES = frozenset({"AllocMemHost"})


@dataclass(slots=True)
class Block:
    """One life of a block.

    ``alloc``, ``free``, ``recycle`` and ``end`` are rows; None means that the log does not show it. ``free`` is the
    last reference dropped, ``recycle`` the return to the pool, ``end`` whatever ended the life: the return, the free
    where a log shows no returns, the device taking the memory back, or the next allocation at the address. ``size``
    is what was given and ``requested`` what was asked, in bytes; ``stream`` is the logical stream or None.
    """

    pid: int
    addr: int
    generation: int
    block: int | None
    size: int | None
    requested: int | None
    stream: int | None
    on_host: bool
    alloc: int
    free: int | None = None
    recycle: int | None = None
    end: int | None = None

    @property
    def bytes(self) -> int:
        """What the block holds of its pool: the given size, or the asked one where only that is known."""
        return self.size if self.size is not None else self.requested or 0


@dataclass(slots=True)
class _Ledger:
    """The state of one pass over the memory rows."""

    store: Store
    returns_shown: frozenset[int]
    blocks: list[Block] = field(default_factory=list)
    live: dict[tuple[int, int], Block] = field(default_factory=dict)
    generations: dict[tuple[int, int], int] = field(default_factory=dict)
    spans: dict[tuple[int, int], tuple[int, int, int | None]] = field(default_factory=dict)


def blocks(store: Store) -> list[Block]:
    """Give every life of every block, in order of allocation."""
    ledger = _Ledger(store, _sources_with_returns(store))
    for row, kind, pid, tid, addr in _memory_rows(store):
        if kind is SpanAlloc:
            asked, size = cell(store, "asked", row) or 0, cell(store, "size", row)
            ledger.spans[(pid, tid)] = (addr, asked, size)
        elif kind in ALLOCS:
            _allocate(ledger, row, kind, (pid, addr), ledger.spans.pop((pid, tid), None))
        elif kind in FREES:
            _free(ledger, row, (pid, addr))
        else:
            _end(ledger, row, kind, (pid, addr))
    return ledger.blocks


def _memory_rows(store: Store) -> Iterator[tuple[int, type[Event], int, int, int]]:
    """Walk the rows that matter: (row, kind, pid, tid, addr); rows without an address are skipped."""
    rows = store.rows_of(*ALLOCS, *FREES, *RETURNS, *TAKEN_BACK, SpanAlloc)
    addresses = store.column("addr")[rows]
    known = (addresses != none_of("addr")) & (addresses != 0)
    rows, addresses = rows[known], addresses[known]
    kinds = (EVENTS[number] for number in store.column("kind")[rows].tolist())
    pids, tids = store.column("pid")[rows].tolist(), store.column("tid")[rows].tolist()
    return zip(rows.tolist(), kinds, pids, tids, addresses.tolist(), strict=True)


def _sources_with_returns(store: Store) -> frozenset[int]:
    """Give the processes whose log shows returns to the pool at all."""
    rows = store.rows_of(*RETURNS, SpanAlloc)
    return frozenset(np.unique(store.column("pid")[rows]).tolist())


def _allocate(
    ledger: _Ledger, row: int, kind: type[Event], key: tuple[int, int], span: tuple[int, int, int | None] | None
) -> None:
    store = ledger.store
    before = ledger.live.pop(key, None)
    if before is not None:
        before.end = row
    generation = ledger.generations[key] = ledger.generations.get(key, 0) + 1
    asked, size = _sizes(store, row, kind, span if span and span[0] == key[1] else None)
    kernel = store.kernel(row)
    block = Block(
        pid=key[0],
        addr=key[1],
        generation=generation,
        block=cell(store, "block", row),
        size=size,
        requested=asked,
        stream=cell(store, "stream", row),
        on_host=kernel is not None and split_kernel_name(kernel).type in _HOST_TYPES,
        alloc=row,
    )
    ledger.blocks.append(block)
    ledger.live[key] = block


def _sizes(
    store: Store, row: int, kind: type[Event], span: tuple[int, int, int | None] | None
) -> tuple[int | None, int | None]:
    """Tell (asked, given) of an allocation; the allocator's line just before it knows what the kernel's leaves out."""
    size, asked = cell(store, "size", row), cell(store, "asked", row)
    span_asked, span_size = (span[1], span[2]) if span else (None, None)
    if kind is OutputAlloc and span is not None:
        # 2026 prints what was asked, 2023 what was given: the allocator's line settles it.
        return span_asked, span_size
    if kind in _ASKED or (kind is OutputAlloc and cell(store, "stream", row) is not None):
        return size, span_size
    return asked if asked is not None else span_asked, size


def _free(ledger: _Ledger, row: int, key: tuple[int, int]) -> None:
    block = ledger.live.get(key)
    if block is None:
        return
    block.free = row
    if key[0] not in ledger.returns_shown:
        _close(ledger, key, row)


def _end(ledger: _Ledger, row: int, kind: type[Event], key: tuple[int, int]) -> None:
    block = ledger.live.get(key)
    if block is None:
        return
    if kind in RETURNS:
        block.recycle = row
    _close(ledger, key, row)


def _close(ledger: _Ledger, key: tuple[int, int], row: int) -> None:
    ledger.live.pop(key).end = row
