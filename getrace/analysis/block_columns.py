"""The lives of blocks as columns: millions of them in a few arrays, and one as an object only when it is looked at.

A life as an object takes half a kilobyte, so those of a large log would take gigabytes and a minute.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from getrace.store.columns import Column

Ints = npt.NDArray[np.int64]
UNSAID = np.iinfo(np.int64).min
"""What stands in ``Blocks`` for a number that the log does not say; the columns of the store have the same."""
NEVER = -1
"""What stands in ``Blocks`` for a row that the log does not show."""

_PART = 65_536


@dataclass(frozen=True, slots=True)
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


class Columns(NamedTuple):
    """The fields of ``Block``, one array each and all of one length; ``UNSAID`` and ``NEVER`` stand for None."""

    pid: Column
    addr: Column
    generation: Column
    block: Column
    size: Column
    requested: Column
    stream: Column
    on_host: Column
    alloc: Column
    free: Column
    recycle: Column
    end: Column


class Blocks(Sequence[Block]):
    """Lives in order of allocation; a column of ``columns`` is as narrow as its numbers allow."""

    __hash__ = None  # type: ignore[assignment]  # two that hold the same blocks are equal, as two lists are

    def __init__(self, columns: Columns) -> None:
        self.columns = Columns(*map(narrow, columns))

    def __len__(self) -> int:
        return len(self.columns.alloc)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> "Blocks": ...
    def __getitem__(self, index: int | slice) -> "Block | Blocks":
        if isinstance(index, slice):
            return Blocks(Columns(*(column[index] for column in self.columns)))
        return _block(column[index].item() for column in self.columns)

    def __iter__(self) -> Iterator[Block]:
        for start in range(0, len(self), _PART):
            part = (column[start : start + _PART].tolist() for column in self.columns)
            yield from map(_block, zip(*part, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Block.__eq__, self, other))

    def take(self, places: Ints | npt.NDArray[np.bool_]) -> "Blocks":
        """Give some of them: by their places, or those that a mask says yes to."""
        return Blocks(Columns(*(column[places] for column in self.columns)))

    @property
    def bytes(self) -> Ints:
        """What each holds of its pool; see ``Block.bytes``."""
        size, asked = (self.columns[place].astype(np.int64) for place in (4, 5))
        return np.where(size != UNSAID, size, np.where(asked != UNSAID, asked, 0))

    @property
    def alive_at_end(self) -> npt.NDArray[np.bool_]:
        """Which of them the log does not end."""
        alive: npt.NDArray[np.bool_] = self.columns.end == NEVER
        return alive


def _block(values: Iterable[int]) -> Block:
    pid, addr, generation, block, size, requested, stream, on_host, alloc, free, recycle, end = values
    return Block(
        pid=pid,
        addr=addr,
        generation=generation,
        block=None if block == UNSAID else block,
        size=None if size == UNSAID else size,
        requested=None if requested == UNSAID else requested,
        stream=None if stream == UNSAID else stream,
        on_host=bool(on_host),
        alloc=alloc,
        free=None if free == NEVER else free,
        recycle=None if recycle == NEVER else recycle,
        end=None if end == NEVER else end,
    )


def narrow(column: Column) -> Column:
    """Give a column without what it does not need: one number for all, or fewer bytes for each."""
    if column.dtype != np.int64 or not len(column):
        return column
    low, high = int(column.min()), int(column.max())
    if low == high:
        return np.broadcast_to(np.array(low), len(column))
    for width in (np.int16, np.int32):
        limits = np.iinfo(width)
        if limits.min <= low and high <= limits.max:
            return column.astype(width)
    return column
