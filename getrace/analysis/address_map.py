"""Where in the address space blocks lie at a row of a log, what lies free between them, and how broken up that is.

What is known of the space is what the log has shown: every block, chunk of a pool or piece of the driver that it
named so far, less what went back. A gap that nothing ever named is no free memory, for it may be anybody's. Blocks
that lie in memory of the user are shown, and count as what they are: used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.analysis.blocks import Block
from getrace.events.pools import DriverFree, DriverMalloc, PoolExpand, PoolShrink
from getrace.store.columns import none_of
from getrace.store.store import Store

Ints = npt.NDArray[np.int64]

GIVERS = (DriverMalloc, PoolExpand)
TAKERS = (DriverFree, PoolShrink)


class Extent(NamedTuple):
    """A piece of the address space without a gap: ``start`` .. ``end`` (not included), and the bytes in use there."""

    start: int
    end: int
    used: int

    @property
    def free(self) -> int:
        """Bytes that are not in use."""
        return self.end - self.start - self.used


@dataclass(frozen=True, slots=True, eq=False)
class AddressMap:
    """The space of one process at a row.

    ``starts`` and ``ends`` are the pieces in use, in order and apart; ``rounding`` is what live blocks were given
    beyond what was asked, where the log says both.
    """

    pid: int
    row: int
    extents: tuple[Extent, ...]
    starts: Ints
    ends: Ints
    largest_free: int
    rounding: int

    @property
    def held(self) -> int:
        """Bytes of all extents."""
        return sum(extent.end - extent.start for extent in self.extents)

    @property
    def used(self) -> int:
        """Bytes in use."""
        return int((self.ends - self.starts).sum())

    @property
    def free(self) -> int:
        """Bytes of the extents that are not in use."""
        return self.held - self.used

    @property
    def fragmentation(self) -> float:
        """The part of the free bytes that lies outside the largest free run: 0 for one run, near 1 for crumbs."""
        return 1 - self.largest_free / self.free if self.free else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Lives:
    """Device blocks as columns, in order of allocation; ``ends`` is the row of the end or one past all rows."""

    pids: Ints
    addrs: Ints
    sizes: Ints
    asked: Ints
    streams: Ints
    allocs: Ints
    ends: Ints
    blocks: tuple[Block, ...]

    def alive(self, row: int) -> Ints:
        """Give the indices of the blocks that are alive after a row, the biggest first, then the oldest."""
        found = np.flatnonzero((self.allocs <= row) & (self.ends > row))
        return found[np.argsort(-self.sizes[found], kind="stable")]


def lives_of(blocks: Sequence[Block]) -> Lives:
    """Put the device blocks into columns."""
    mine = tuple(block for block in blocks if not block.on_host)
    never, unknown = np.iinfo(np.int64).max, none_of("stream")

    def column(values: Sequence[int]) -> Ints:
        return np.array(values, np.int64)

        pids=column([b.pid for b in mine]),
        addrs=column([b.addr for b in mine]),
        sizes=column([b.bytes for b in mine]),
        asked=column([b.bytes if b.requested is None else b.requested for b in mine]),
        streams=column([unknown if b.stream is None else b.stream for b in mine]),
        allocs=column([b.alloc for b in mine]),
        ends=column([never if b.end is None else b.end for b in mine]),
        blocks=mine,
    )


def address_map(store: Store, lives: Lives, row: int, pid: int) -> AddressMap:
    """Draw up the map of a process after a row."""
    mine = lives.pids == pid
    alive = mine & (lives.allocs <= row) & (lives.ends > row)
    starts, ends = _united(lives.addrs[alive], lives.addrs[alive] + lives.sizes[alive])
    seen = mine & (lives.allocs <= row) & ~_gone(store, lives, row, pid)
    chunk_starts, chunk_ends = _chunks(store, row, pid)
    low, high = _united(
        np.concatenate([lives.addrs[seen | alive], chunk_starts]),
        np.concatenate([(lives.addrs + lives.sizes)[seen | alive], chunk_ends]),
    )
    used = _overlap(low, high, starts, ends)
    extents = tuple(Extent(*values) for values in zip(low.tolist(), high.tolist(), used.tolist(), strict=True))
    gave, asked = lives.sizes[alive], lives.asked[alive]
    rounding = int(np.maximum(gave - asked, 0).sum())
    return AddressMap(pid, row, extents, starts, ends, _largest_gap(low, high, starts, ends), rounding)


def _chunks(store: Store, row: int, pid: int) -> tuple[Ints, Ints]:
    """Give the pieces that pools or the driver hold: each was given at a row and not taken back until this one."""
    rows = store.rows_of(*GIVERS, *TAKERS)
    rows = rows[(rows <= row) & (store.column("pid")[rows] == pid)]
    addrs, sizes = (store.column(name)[rows].astype(np.int64) for name in ("addr", "size"))
    gives = np.isin(rows, store.rows_of(*GIVERS))
    known = (addrs != none_of("addr")) & (addrs != 0)
    last: dict[int, int] = {}
    for addr, size, given in zip(addrs[known].tolist(), sizes[known].tolist(), gives[known].tolist(), strict=True):
        if given and size > 0:
            last[addr] = size
        else:
            last.pop(addr, None)
    starts = np.array(list(last), np.int64)
    return starts, starts + np.array(list(last.values()), np.int64)


def _gone(store: Store, lives: Lives, row: int, pid: int) -> npt.NDArray[np.bool_]:
    """Say of each block whether the memory that it lay in was taken back since: then its place is nobody's."""
    rows = store.rows_of(*TAKERS)
    rows = rows[(rows <= row) & (store.column("pid")[rows] == pid)]
    addrs, order = np.unique(store.column("addr")[rows][::-1], return_index=True)
    if not len(addrs):
        return np.zeros(len(lives.addrs), bool)
    newest = rows[::-1][order]
    place = np.minimum(np.searchsorted(addrs, lives.addrs), len(addrs) - 1)
    gone: npt.NDArray[np.bool_] = (addrs[place] == lives.addrs) & (newest[place] > lives.allocs)
    return gone


def _united(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Unite pieces that touch or overlap; the answer is in order."""
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order]) if len(ends) else ends
    if not len(starts):
        return starts, ends
    begins = np.concatenate([[True], starts[1:] > ends[:-1]])
    lasts = np.append(np.flatnonzero(begins)[1:] - 1, len(starts) - 1)
    return starts[begins], ends[lasts]


def _overlap(low: Ints, high: Ints, starts: Ints, ends: Ints) -> Ints:
    """Give for each extent the bytes in use; every piece in use lies in one extent."""
    place = np.searchsorted(low, starts, "right") - 1
    used = np.zeros(len(low), np.int64)
    np.add.at(used, place, ends - starts)
    return used


def _largest_gap(low: Ints, high: Ints, starts: Ints, ends: Ints) -> int:
    """Give the longest run of free bytes inside an extent."""
    if not len(low):
        return 0
    edges_from = np.sort(np.concatenate([low, ends]))
    edges_to = np.sort(np.concatenate([starts, high]))
    return int((edges_to - edges_from).max(initial=0))
