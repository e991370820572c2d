"""Memory that the compiled scanner writes a block's records to, used again when nobody looks at them any more.

Fresh memory for each block would be given back to the system and asked for again, and its pages cleared each time. That
took as long as reading the file.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from getrace.plog.scan_plan import EVENT_NAMES
from getrace.plog.scan_table import Block
from getrace.store.columns import COLUMNS
from getrace.store.forms import Form, Sparse
from getrace.store.fresh_memory import fresh

_Array = npt.NDArray[Any]

_ALIGNED = 64
_KEPT = 8


class Room:
    """Arrays for ``capacity`` records: a column for each name, and rows and values for each column of events."""

    def __init__(self, names: Sequence[str], capacity: int) -> None:
        self.capacity = capacity
        self._names = names
        events = (len(EVENT_NAMES), capacity)
        shapes: list[tuple[str, tuple[int, ...]]] = [(COLUMNS[name], (capacity,)) for name in names]
        arrays, self._memory = _cut([*shapes, ("u4", events), ("i8", events)])
        self.columns = arrays[:-2]
        self.event_rows, self.event_values = arrays[-2:]
        del arrays
        self._own = sys.getrefcount(self._memory)

    def is_free(self) -> bool:
        """Say whether nobody holds a part of it any more: each part counts as one who holds the memory."""
        return sys.getrefcount(self._memory) == self._own

    def block(self, rows: int, counts: _Array) -> Block:
        """Give the first rows as a block; ``counts`` says how many of them have a value in each column of events."""
        block: dict[str, Form] = {name: column[:rows] for name, column in zip(self._names, self.columns, strict=True)}
        for number in np.flatnonzero(counts).tolist():
            told = slice(0, counts[number])
            block[EVENT_NAMES[number]] = Sparse(self.event_rows[number, told], self.event_values[number, told])
        return block


class Rooms:
    """The rooms of one scanner."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._rooms: list[Room] = []

    def free(self, capacity: int) -> Room:
        """Give a room that nobody uses; a new one when there is none."""
        for room in self._rooms:
            if room.capacity == capacity and room.is_free():
                return room
        room = Room(self._names, capacity)
        self._rooms = [room, *self._rooms[: _KEPT - 1]]
        return room


def _cut(shapes: Sequence[tuple[str, tuple[int, ...]]]) -> tuple[list[_Array], _Array]:
    """Cut arrays of types and shapes out of one piece of memory."""
    sizes = [-(-int(np.prod(shape)) * np.dtype(dtype).itemsize // _ALIGNED) * _ALIGNED for dtype, shape in shapes]
    memory = fresh(sum(sizes), np.uint8)
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    return [
        np.ndarray(shape, dtype, memory, start) for start, (dtype, shape) in zip(starts, shapes, strict=True)
    ], memory
