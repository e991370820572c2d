"""The columns of the store: their names, types, and what "none" is in each.

One row is one record of a log (its first line and what belongs to it) or one event of a live run. Columns of the
second group are filled from the event's fields of the same name, so a new event needs no code here. Missing is
``NONE[dtype]``, the smallest number of the column's type: -1 and 0 are values that GE prints.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from getrace.store.forms import Form
from getrace.store.fresh_memory import fresh
from getrace.store.growing import GrowingColumn

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
    "flags": "u1",  # CUT | JOINED | GLUED
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

_RARE = frozenset((*EVENT_COLUMNS, "kernel"))
"""Columns of which most logs say something in few rows only."""

CUT = 1
"""Flag: the record fills the 1,022 visible bytes that GE stores at most; its end is lost (spec 1.6)."""
GLUED = 4
"""Flag: the record begins behind the text of another in the same line; the line is counted to that one."""
JOINED = 2
"""Flag: the record is a later piece of a message that GE split; its event stands at the first piece (spec 1.7)."""

Column = npt.NDArray[Any]

IN_MEMORY = 1 << 29
"""Bytes of columns that are kept in memory where there are files for more."""


class Files(Protocol):
    """Makes arrays that lie in files."""

    def grown(self, name: str, dtype: str, capacity: int) -> Column:
        """Give an array of a column with more room, and with what it held; raises OSError without room."""
        ...


def none_of(column: str) -> int:
    """Give the number that means "the log does not say" in a column."""
    return NONE[COLUMNS[column]]


def held(column: str, value: int) -> int:
    """Give a number as a column can hold it: itself, or "none" when the column's type is too narrow for it."""
    limits = np.iinfo(COLUMNS[column])
    return value if limits.min <= value <= limits.max else none_of(column)


class Columns:
    """Columns of equal length that grow. Not thread-safe: one producer, or a lock around it.

    Where ``files`` are given, arrays that together become larger than ``in_memory`` bytes go on there; without room for
    them they stay in memory. ``capacity`` is the room of a first array.
    """

    def __init__(self, capacity: int = 1024, files: Files | None = None, in_memory: int = IN_MEMORY) -> None:
        self.length = 0
        self.edits = 0
        """Counts up with every change of rows that were there, for those who keep what they have found in a column."""
        self._capacity = capacity
        self._files = files
        self._in_memory = in_memory
        self._expected = 0
        self._columns = {
            name: GrowingColumn(dtype, none_of(name), sparse=name in _RARE, room=partial(self._room, name))
            for name, dtype in COLUMNS.items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that have values."""
        return tuple(name for name, column in self._columns.items() if column.constant != none_of(name))

    def view(self, name: str) -> Column:
        """Give the filled part of a column, to be read: a view, valid until the next ``extend``."""
        return self._columns[name].view()

    def at(self, name: str, rows: Column) -> Column:
        """Give the numbers of some rows of a column; one of which few rows have a value is not made whole for it."""
        return self._columns[name].at(rows)

    def holding(self, name: str, number: int) -> Column:
        """Give the rows in which a column holds a number, in order."""
        return self._columns[name].holding(number)

    def told(self, name: str) -> Column:
        """Give the rows that have a value in a column, in order."""
        return self._columns[name].told()

    def expect(self, rows: int) -> None:
        """Make room for so many rows when room has to be made: what is never filled costs no memory."""
        self._expected = rows

    def extend(self, count: int, values: Mapping[str, Sequence[int] | Form]) -> None:
        """Append ``count`` rows, each column in any form; those without a value get "none"."""
        for name, column in self._columns.items():
            column.extend(count, values.get(name, none_of(name)))
        self.length += count

    def put(self, name: str, rows: Sequence[int] | Column, values: Sequence[int] | Column) -> None:
        """Set single cells of a column; a number that it cannot hold is "none"."""
        self.edits += 1
        try:
            self._columns[name].put(rows, values)
        except OverflowError:
            self._columns[name].put(rows, [held(name, int(value)) for value in values])

    def take(self, order: npt.NDArray[np.intp]) -> None:
        """Keep some rows in some order, none of them twice; the others are gone."""
        self.edits += 1
        for column in self._columns.values():
            column.take(order)
        self.length = len(order)

    def order_from(self, start: int, order: npt.NDArray[np.intp]) -> None:
        """Reorder the rows from ``start`` on; ``order`` counts from there."""
        self.edits += 1
        for column in self._columns.values():
            column.order_from(start, order)

    def form(self, name: str, start: int = 0) -> Form:
        """Give a column from a row on in the form in which it is held."""
        return self._columns[name].form(start)

    def adopt(self, forms: Mapping[str, Form], length: int) -> None:
        """Take whole columns over as they are, in place of all rows."""
        self.edits += 1
        for name, column in self._columns.items():
            column.adopt(forms.get(name), length)
        self.length = length

    def _nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns.values())

    def _room(self, name: str, wanted: int) -> tuple[Column, bool]:
        """Make an array for a column, in memory or in its file: the array, and whether it is in the file."""
        capacity = max(wanted, self._capacity, self._expected)
        if self._files is not None and self._nbytes() + capacity * np.dtype(COLUMNS[name]).itemsize > self._in_memory:
            try:
                return self._files.grown(name, COLUMNS[name], capacity), True
            except OSError:
                self._files = None  # no room on the disk: memory has to do
        return fresh(capacity, COLUMNS[name]), False
