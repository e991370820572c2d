"""Where in the address space blocks lie at a row of a log, what lies free between them, and how broken up that is.

What is known of the space is what the log has shown: every block, chunk of a pool or piece of the driver that it
named so far, less what went back. A gap that nothing ever named is no free memory, for it may be anybody's. Blocks
that lie in memory of the user are shown, and count as what they are: used.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.analysis.block_columns import UNSAID, Blocks
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
    blocks: Blocks

    def alive(self, row: int) -> Ints:
        """Give the indices of the blocks that are alive after a row, the biggest first, then the oldest."""
        found = np.flatnonzero((self.allocs <= row) & (self.ends > row))
        return found[np.argsort(-self.sizes[found], kind="stable")]


def lives_of(blocks: Blocks) -> Lives:
    """Put the device blocks into columns."""
    on_host = blocks.columns.on_host
    mine = blocks.take(~on_host) if on_host.any() else blocks
    columns, sizes = mine.columns, mine.bytes
    return Lives(
        pids=columns.pid,
        addrs=columns.addr,
        sizes=sizes,
        asked=np.where(columns.requested == UNSAID, sizes, columns.requested),
        streams=columns.stream,
        allocs=columns.alloc,
        ends=np.where(mine.alive_at_end, np.iinfo(np.int64).max, columns.end.astype(np.int64)),
        blocks=mine,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """What a log says of the address space: the lives of blocks, and the lines that give pieces or take them back.

    Read once; a map at any row is made of it. ``gives`` says of each line whether it gives, in row order.
    """

    lives: Lives
    rows: Ints
    pids: Ints
    addrs: Ints
    sizes: Ints
    gives: npt.NDArray[np.bool_]

    def at(self, row: int, pid: int) -> AddressMap:
        """Draw up the map of a process after a row."""
        lives = self.lives
        mine = (lives.pids == pid) & (lives.allocs <= row)
        alive = mine & (lives.ends > row)
        starts, ends = _united(lives.addrs[alive], lives.addrs[alive] + lives.sizes[alive])
        addrs, sizes, rows, gives = self._newest(row, pid)
        seen = mine & (alive | ~_taken(lives, addrs[~gives], rows[~gives]))
        pieces, room = addrs[gives], sizes[gives]
        low, high = _united(
            np.concatenate([lives.addrs[seen], pieces]),
            np.concatenate([(lives.addrs + lives.sizes)[seen], pieces + room]),
        )
        used = _overlap(low, starts, ends)
        extents = tuple(Extent(*values) for values in zip(low.tolist(), high.tolist(), used.tolist(), strict=True))
        rounding = int(np.maximum(lives.sizes[alive] - lives.asked[alive], 0).sum())
        return AddressMap(pid, row, extents, starts, ends, _largest_gap(low, high, starts, ends), rounding)

    def _newest(self, row: int, pid: int) -> tuple[Ints, Ints, Ints, npt.NDArray[np.bool_]]:
        """Give (address, size, row, gives) of the last line of each address until a row."""
        until = int(np.searchsorted(self.rows, row, "right"))
        mine = np.flatnonzero(self.pids[:until] == pid)[::-1]
        _, first = np.unique(self.addrs[mine], return_index=True)
        last = mine[first]
        return self.addrs[last], self.sizes[last], self.rows[last], self.gives[last] & (self.sizes[last] > 0)


def space_of(store: Store, blocks: Blocks) -> Space:
    """Read the address space of a store."""
    rows = store.rows_of(*GIVERS, *TAKERS)
    addrs = store.at("addr", rows).astype(np.int64)
    known = (addrs != none_of("addr")) & (addrs != 0)
    rows, addrs = rows[known], addrs[known]
    gives = np.isin(rows, store.rows_of(*GIVERS))
    pids, sizes = (store.at(name, rows).astype(np.int64) for name in ("pid", "size"))
    return Space(lives_of(blocks), rows.astype(np.int64), pids, addrs, sizes, gives)


def _taken(lives: Lives, addrs: Ints, rows: Ints) -> npt.NDArray[np.bool_]:
    """Say of each block whether its memory was taken back since it was given; ``addrs`` are in order."""
    if not len(addrs):
        return np.zeros(len(lives.addrs), bool)
    place = np.minimum(np.searchsorted(addrs, lives.addrs), len(addrs) - 1)
    gone: npt.NDArray[np.bool_] = (addrs[place] == lives.addrs) & (rows[place] > lives.allocs)
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


def _overlap(low: Ints, starts: Ints, ends: Ints) -> Ints:
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
