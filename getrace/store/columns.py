"""The columns of the store, and arrays that grow.

One row is one record of a log (its first line and what belongs to it) or one event of a live run. Columns of the
second group are filled from the event's fields of the same name, so a new event needs no code here. Missing is
``NONE[dtype]``, the smallest number of the column's type: -1 and 0 are values that GE prints.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

RECORD_COLUMNS: dict[str, str] = {
    "time": "i8",  # nanoseconds since the epoch, as the log's wall clock says
    "level": "u1",  # getrace.events.Level
    "module": "i4",  # id of the module's name in Names
    "pid": "i8",
    "tid": "i8",
    "kind": "u2",  # index into getrace.events.EVENTS
    "kernel": "i4",  # id of the kernel's NAME in Names; NONE outside a kernel
    "rule": "u2",  # 1 + index of the grammar row that claimed the record; 0: none, or a live event
    "source": "u4",  # index into Store.sources
    "line": "u4",  # physical line number in its source, from 1; 0 for a live event
    "lines": "u4",  # physical lines of the record
    "offset": "i8",  # byte offset in its source
    "length": "u4",  # bytes, without the last newline
    "flags": "u1",  # CUT | JOINED
}

EVENT_COLUMNS: dict[str, str] = {
    "stream": "i8",  # logical stream
    "peer": "i8",  # the other logical stream: where a block wanders to, where it was born
    "rt_stream": "i8",
    "task": "i8",
    "flip": "i8",
    "event_id": "i8",
    "index": "i8",
    "device": "i8",
    "handle": "i8",  # pointer of an RT stream, event or notify
    "block": "i8",
    "addr": "i8",
    "size": "i8",
    "asked": "i8",
}

COLUMNS: dict[str, str] = RECORD_COLUMNS | EVENT_COLUMNS

NONE: dict[str, int] = {"i4": -(2**31), "i8": -(2**63), "u1": 0, "u2": 0, "u4": 0}

CUT = 1
"""Flag: the record fills the 1,022 visible bytes that GE stores at most; its end is lost (spec 1.6)."""
JOINED = 2
"""Flag: the record is a later piece of a message that GE split; its event stands at the first piece (spec 1.7)."""

Column = npt.NDArray[Any]


def none_of(column: str) -> int:
    """Give the number that means "the log does not say" in a column."""
    return NONE[COLUMNS[column]]


def held(column: str, value: int) -> int:
    """Give a number as a column can hold it: itself, or "none" when the column's type is too narrow for it."""
    limits = np.iinfo(COLUMNS[column])
    return value if limits.min <= value <= limits.max else none_of(column)


class Columns:
    """Arrays of equal length that grow by doubling. Not thread-safe: one producer, or a lock around it.

    A column gets its array with its first value: most logs fill a dozen of them, and an array of nothing but "none"
    would cost as much memory and time as any other.
    """

    def __init__(self, capacity: int = 1024) -> None:
        self.length = 0
        self._capacity = capacity
        self._arrays: dict[str, Column] = {}

    def view(self, name: str) -> Column:
        """Give the filled part of a column, to be read: a view, valid until the next ``extend``."""
        array = self._arrays.get(name)
        if array is None:
            return np.broadcast_to(np.array(none_of(name), COLUMNS[name]), self.length)
        return array[: self.length]

    def extend(self, count: int, values: Mapping[str, Sequence[int] | Column | int]) -> None:
        """Append ``count`` rows; columns without a value get "none". A scalar fills all rows."""
        start, end = self.length, self.length + count
        self._reserve(end)
        for name in values:
            self._own(name)
        for name, array in self._arrays.items():
            value = values.get(name, none_of(name))
            array[start:end] = np.fromiter(value, array.dtype, count) if isinstance(value, list) else value
        self.length = end

    def put(self, name: str, rows: Sequence[int] | Column, values: Sequence[int] | Column) -> None:
        """Set single cells of a column; a number that it cannot hold is "none"."""
        array = self._own(name)
        try:
            array[rows] = values
        except OverflowError:
            array[rows] = [held(name, int(value)) for value in values]

    def take(self, order: npt.NDArray[np.intp]) -> None:
        """Keep some rows in some order; the others are gone."""
        for name, array in self._arrays.items():
            self._arrays[name] = array[: self.length][order]
        self._capacity = self.length = len(order)

    def _own(self, name: str) -> Column:
        array = self._arrays.get(name)
        if array is None:
            array = self._arrays[name] = np.empty(self._capacity, COLUMNS[name])
            array[: self.length] = none_of(name)
        return array

    def _reserve(self, wanted: int) -> None:
        if wanted <= self._capacity:
            return
        while self._capacity < wanted:
            self._capacity = max(2 * self._capacity, 1)
        for name, old in self._arrays.items():
            grown = np.empty(self._capacity, old.dtype)
            grown[: self.length] = old[: self.length]
            self._arrays[name] = grown
