"""Lives of blocks by a walk over the lines, one after the other: slow, and plain enough to be believed.

``getrace.analysis.blocks`` finds the same by columns; this shares the kinds of lines with it and nothing else.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from getrace.analysis.block_columns import Block
from getrace.analysis.blocks import ALLOCS, FREES, RETURNS, TAKEN_BACK
from getrace.analysis.places import cells
from getrace.events import EVENTS, Event
from getrace.events.memory import BatchAlloc, FixedAlloc, OutputAlloc, PlacedOutputAlloc
from getrace.events.pools import SpanAlloc
from getrace.ids import split_kernel_name
from getrace.store.columns import Column, none_of
from getrace.store.store import Store

_ASKED = frozenset({BatchAlloc, PlacedOutputAlloc, FixedAlloc})


@dataclass(slots=True)
class _Life:
    """A ``Block`` that is not over yet."""

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


class _Line(NamedTuple):
    """What the record of a row says of memory; None where it does not say."""

    row: int
    kind: type[Event]
    pid: int
    tid: int
    addr: int
    block: int | None
    size: int | None
    asked: int | None
    stream: int | None
    on_host: bool

    @property
    def key(self) -> tuple[int, int]:
        """The process and the address."""
        return self.pid, self.addr


@dataclass(slots=True)
class _Ledger:
    """The state of one pass over the memory rows; ``spans`` holds the allocator's last line of each thread."""

    returns_shown: frozenset[int]
    blocks: list[_Life] = field(default_factory=list)
    live: dict[tuple[int, int], _Life] = field(default_factory=dict)
    generations: dict[tuple[int, int], int] = field(default_factory=dict)
    spans: dict[tuple[int, int], _Line] = field(default_factory=dict)


def blocks(store: Store, addresses: Collection[int] | None = None) -> list[Block]:
    """Give every life of every block, or of the blocks at some addresses, in order of allocation."""
    ledger = _Ledger(_processes_with_returns(store))
    for line in _lines(store, addresses):
        if line.kind is SpanAlloc:
            ledger.spans[line.pid, line.tid] = line
        elif line.kind in ALLOCS:
            _allocate(ledger, line, ledger.spans.pop((line.pid, line.tid), None))
        elif line.kind in FREES:
            _free(ledger, line.row, line.key)
        else:
            _end(ledger, line.row, line.kind, line.key)
    return [Block(**{name: getattr(life, name) for name in _Life.__slots__}) for life in ledger.blocks]


def _lines(store: Store, wanted: Collection[int] | None) -> Iterator[_Line]:
    """Walk the rows that matter; rows without an address are skipped. Each column is read once, not cell by cell."""
    rows = store.rows_of(*ALLOCS, *FREES, *RETURNS, *TAKEN_BACK, SpanAlloc)
    addresses = store.at("addr", rows)
    rows = rows[(addresses != none_of("addr")) & (addresses != 0)]
    if wanted is not None:
        rows = rows[np.isin(store.at("addr", rows), list(wanted))]
    kinds = (EVENTS[number] for number in store.column("kind")[rows].tolist())
    record = (store.at(name, rows).tolist() for name in ("pid", "tid", "addr"))
    said = (cells(store, name, rows) for name in ("block", "size", "asked", "stream"))
    return map(_Line, rows.tolist(), kinds, *record, *said, _on_host(store, rows))


def _on_host(store: Store, rows: Column) -> list[bool]:
    """Say of each row whether its kernel gives host memory."""
    return [split_kernel_name(store.kernel(row) or "").type == "AllocMemHost" for row in rows.tolist()]


def _processes_with_returns(store: Store) -> frozenset[int]:
    """Give the processes whose log shows returns to the pool at all."""
    rows = store.rows_of(*RETURNS, SpanAlloc)
    return frozenset(np.unique(store.column("pid")[rows]).tolist())


def _allocate(ledger: _Ledger, line: _Line, span: _Line | None) -> None:
    before = ledger.live.pop(line.key, None)
    if before is not None:
        before.end = line.row
    generation = ledger.generations[line.key] = ledger.generations.get(line.key, 0) + 1
    asked, size = _sizes(line, span if span and span.addr == line.addr else None)
    block = _Life(
        pid=line.pid,
        addr=line.addr,
        generation=generation,
        block=line.block,
        size=size,
        requested=asked,
        stream=line.stream,
        on_host=line.on_host,
        alloc=line.row,
    )
    ledger.blocks.append(block)
    ledger.live[line.key] = block


def _sizes(line: _Line, span: _Line | None) -> tuple[int | None, int | None]:
    """Tell (asked, given) of an allocation; the allocator's line just before it knows what the kernel's leaves out."""
    span_asked, span_size = (span.asked, span.size) if span else (None, None)
    if line.kind is OutputAlloc and span is not None:
        # 2026 prints what was asked, 2023 what was given: the allocator's line settles it.
        return span_asked, span_size
    if line.kind in _ASKED or (line.kind is OutputAlloc and line.stream is not None):
        return line.size, span_size
    return line.asked if line.asked is not None else span_asked, line.size


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
