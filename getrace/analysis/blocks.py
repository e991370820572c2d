"""Lives of memory blocks: both ends of each, split per address into generations.

An address is used again and again, so a block is keyed by (process, address) and a life begins at each allocation.
What ends a life differs between releases (spec/kerneltrace.md 3.9 rules 3 to 5, 5.1): ``rt2-2026`` prints a Recycle,
``rt2-2023`` prints none and its scalable allocator's "Free block" is the return to the pool; where neither kind of line
exists, the free itself is all there is. A free alone never ends a life otherwise: it drops one reference.

Theory of operation. Rows are put in order of address first, so that each allocation is followed by what is said of
its block until the next one there; the ends of all lives are then found at once, by columns.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.analysis.block_columns import NEVER, UNSAID, Blocks, Columns, Ints
from getrace.events import KIND_NUMBER, Event
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
from getrace.store.columns import Column, none_of
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
_ASKED: tuple[type[Event], ...] = (BatchAlloc, PlacedOutputAlloc, FixedAlloc)

_HOST_TYPES = frozenset({"AllocMemHost"})


class _Lines(NamedTuple):
    """The rows that matter, as columns in row order: what each is, and what it says of memory."""

    rows: Ints
    kinds: Ints
    pids: Ints
    addrs: Ints


def blocks(store: Store, addresses: Collection[int] | None = None) -> Blocks:
    """Give every life of every block, or of the blocks at some addresses, in order of allocation."""
    lines = _lines(store, addresses)
    allocated = _of(lines, ALLOCS)
    story = np.flatnonzero(~_of(lines, (SpanAlloc,)))
    # By process and address, in each in row order: the sort is stable.
    story = story[np.lexsort((lines.addrs[story], lines.pids[story]))]
    first = _changes(lines.pids[story]) | _changes(lines.addrs[story])
    births = np.flatnonzero(allocated[story])
    ends = _ends(store, lines, story, first, births)
    alloc = lines.rows[story[births]]
    order = np.argsort(alloc)
    group = np.cumsum(first)[births]
    generation = np.arange(len(births)) - np.flatnonzero(_changes(group))[np.cumsum(_changes(group)) - 1] + 1
    places = np.flatnonzero(allocated)
    return Blocks(_columns(store, lines, places, generation[order], *(column[order] for column in ends)))


def _lines(store: Store, wanted: Collection[int] | None) -> _Lines:
    """Give the rows that matter; rows without an address are skipped."""
    rows = store.rows_of(*ALLOCS, *FREES, *RETURNS, *TAKEN_BACK, SpanAlloc)
    addresses = store.at("addr", rows)
    known = (addresses != none_of("addr")) & (addresses != 0)
    if wanted is not None:
        known &= np.isin(addresses, list(wanted))
    rows = rows[known]
    return _Lines(rows, store.column("kind")[rows], store.column("pid")[rows], addresses[known])


def _of(lines: _Lines, kinds: tuple[type[Event], ...]) -> npt.NDArray[np.bool_]:
    """Say of each line whether it is of some kinds."""
    return np.isin(lines.kinds, [KIND_NUMBER[kind.kind] for kind in kinds])


def _changes(values: Column) -> npt.NDArray[np.bool_]:
    """Say of each value whether it is the first or differs from the one before."""
    return np.concatenate([np.ones(min(len(values), 1), bool), values[1:] != values[:-1]])


def _ends(
    store: Store, lines: _Lines, story: Ints, first: npt.NDArray[np.bool_], births: Ints
) -> tuple[Ints, Ints, Ints]:
    """Give the rows of the last free, the return and the end of each block; ``births`` are places in ``story``."""
    rows = lines.rows[story]
    frees, returns = _of(lines, FREES)[story], _of(lines, RETURNS)[story]
    closes = returns | _of(lines, TAKEN_BACK)[story] | (frees & ~_shows_returns(store, lines.pids[story]))
    # A block's lines reach to the next birth, or to the end of its address.
    borders = np.union1d(np.flatnonzero(first), births)
    until = np.append(borders, len(story))[np.searchsorted(borders, births) + 1]
    closing = _next(closes)[births]
    ended = closing < until
    last = np.where(ended, closing, until - 1)
    freed = _previous(frees)[last]
    taken_over = ~ended & (until < len(story)) & ~np.append(first, True)[until]
    end = np.where(ended, closing, np.where(taken_over, until, 0))
    return (
        np.where(freed > births, rows[freed], NEVER),
        np.where(ended & np.append(returns, False)[closing], rows[end], NEVER),
        np.where(ended | taken_over, rows[end], NEVER),
    )


def _next(marked: npt.NDArray[np.bool_]) -> Ints:
    """Give for each place the first marked one at or behind it; one past all when there is none."""
    places = np.where(marked, np.arange(len(marked)), len(marked))
    return np.minimum.accumulate(places[::-1])[::-1]


def _previous(marked: npt.NDArray[np.bool_]) -> Ints:
    """Give for each place the last marked one at or before it; -1 when there is none."""
    return np.maximum.accumulate(np.where(marked, np.arange(len(marked)), -1))


def _shows_returns(store: Store, pids: Ints) -> npt.NDArray[np.bool_]:
    """Say of each process whether its log shows returns to the pool at all."""
    rows = store.rows_of(*RETURNS, SpanAlloc)
    return np.isin(pids, np.unique(store.column("pid")[rows]))


def _columns(
    store: Store, lines: _Lines, places: Ints, generation: Ints, free: Ints, recycle: Ints, end: Ints
) -> Columns:
    """Put together what is said of the blocks whose allocations stand at some places among the lines."""
    rows = lines.rows[places]
    requested, size = _sizes(store, lines, places)
    return Columns(
        pid=lines.pids[places],
        addr=lines.addrs[places],
        generation=generation,
        block=store.at("block", rows),
        size=size,
        requested=requested,
        stream=store.at("stream", rows),
        on_host=_on_host(store, rows),
        alloc=rows,
        free=free,
        recycle=recycle,
        end=end,
    )


def _sizes(store: Store, lines: _Lines, places: Ints) -> tuple[Ints, Ints]:
    """Tell (asked, given) of allocations; the allocator's line just before one knows what the kernel's leaves out."""
    rows = lines.rows[places]
    size, asked, stream = (store.at(name, rows) for name in ("size", "asked", "stream"))
    span = _spans(store, lines, places)
    spanned = span != NEVER
    span_asked, span_size = (
        np.where(spanned, store.at(name, np.where(spanned, span, 0)), UNSAID) for name in ("asked", "size")
    )
    output, asked_only = (_of(lines, kinds)[places] for kinds in ((OutputAlloc,), _ASKED))
    # 2026 prints of an output what was asked, 2023 what was given: the allocator's line settles it.
    settled = output & spanned
    only = asked_only | (output & (stream != UNSAID))
    kept = np.where(asked != UNSAID, asked, span_asked)
    return (
        np.where(settled, span_asked, np.where(only, size, kept)),
        np.where(settled | only, span_size, size),
    )


def _spans(store: Store, lines: _Lines, places: Ints) -> Ints:
    """Give the row of the allocator's line that an allocation takes up: the last of its thread, of the same address."""
    spans = _of(lines, (SpanAlloc,))
    both = np.flatnonzero(spans | _of(lines, ALLOCS))
    tids = store.column("tid")[lines.rows[both]]
    both = both[np.lexsort((tids, lines.pids[both]))]
    before, behind = both[:-1], both[1:]
    tids = store.column("tid")[lines.rows[both]]
    same = (tids[1:] == tids[:-1]) & (lines.pids[before] == lines.pids[behind])
    same &= spans[before] & (lines.addrs[before] == lines.addrs[behind])
    found = np.full(len(lines.rows), NEVER, np.int64)
    found[behind[same]] = lines.rows[before[same]]
    return found[places]


def _on_host(store: Store, rows: Column) -> npt.NDArray[np.bool_]:
    """Say of each row whether its kernel gives host memory; each distinct NAME is asked once."""
    names, codes = np.unique(store.column("kernel")[rows], return_inverse=True)
    none = none_of("kernel")
    hosts = [n != none and split_kernel_name(store.names.text(n)).type in _HOST_TYPES for n in names.tolist()]
    return np.array(hosts, bool)[codes]
