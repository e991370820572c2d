"""One column that grows, in the smallest form that holds it.

Most columns of most logs say little: one process, one source, no record cut, and an event's field in one row of a
hundred. As arrays they would be most of the memory of a large log. So a column begins as one number that all rows have;
a column of an event's field holds the rows that have a value; and it becomes an array when it has more to say, or when
somebody looks at it. Who looks may be another thread than the one that appends, so what changes the form takes a lock.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_FULL = 4
"""A column with a value in one row of this many is an array: the rows of the values would take more."""


Room = Callable[[int], tuple[Array, bool]]
"""Gives an array for at least so many rows, and whether it is in the column's file: if so, that holds what an array
before it in the file held."""


class Sparse(NamedTuple):
    """Rows that have a value, and their values; all other rows have none."""

    rows: Array
    values: Array


Form = int | Sparse | Array
"""A column in its smallest form: one number for all rows, some rows, or all."""


class GrowingColumn:
    """Numbers of one type, one for each row. ``sparse`` columns may hold only the rows that are not ``none``."""

    def __init__(self, dtype: str, none: int, *, sparse: bool, room: Room) -> None:
        self.length = 0
        self._room = room
        self._filed = False
        self._dtype = np.dtype(dtype)
        self._none = none
        self._sparse = sparse
        self._constant: int = none
        self._parts: list[tuple[npt.NDArray[np.int64], Array]] = []
        self._held = 0
        self._array: Array | None = None
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """How many bytes of memory the rows take, or would take if their file were memory."""
        return 0 if self._array is None else self._array.nbytes

    @property
    def constant(self) -> int | None:
        """The number that all rows have, None when they differ."""
        return None if self._array is not None or self._parts else self._constant

    def extend(self, count: int, value: Sequence[int] | Array | int) -> None:
        """Append rows: a value for each, or one for all."""
        with self._lock:
            self._extend(count, value)

    def _extend(self, count: int, value: Sequence[int] | Array | int) -> None:
        values = np.fromiter(value, self._dtype, count) if isinstance(value, list) else value
        if self._array is None and not self._keeps_form(count, values):
            self._become_array(self.length + count)
        start = self.length
        if self._array is not None:
            self._reserve(start + count)
            self._array[start : start + count] = values
        self.length = start + count
        if self._array is None and self._sparse:
            self._add_part(start, values)

    def view(self) -> Array:
        """Give the rows as an array, to be read: a view, valid until the next ``extend``."""
        array = self._array
        if array is not None:
            return array[: self.length]
        with self._lock:
            if self._array is None and not self._parts:
                return np.broadcast_to(np.array(self._constant, self._dtype), self.length)
            return self._become_array(self.length)[: self.length]

    def form(self, start: int) -> Form:
        """Give the rows from ``start`` on as they are held; rows of the first two forms count from there."""
        with self._lock:
            if self._array is not None:
                return self._array[start : self.length]
            if not self._parts:
                return self._constant
            rows, values = (np.concatenate(part) for part in zip(*self._parts, strict=True))
            return Sparse(rows[rows >= start] - start, values[rows >= start])

    def put(self, rows: Sequence[int] | Array, values: Sequence[int] | Array) -> None:
        """Set single cells. Raises OverflowError for a number that the type cannot hold."""
        with self._lock:
            self._become_array(self.length)[rows] = values

    def take(self, order: npt.NDArray[np.intp]) -> None:
        """Keep some rows in some order; no row twice."""
        with self._lock:
            self._take(order)

    def _take(self, order: npt.NDArray[np.intp]) -> None:
        if self._array is not None:
            self._array, self._filed = self._array[: self.length][order], False
        elif self._parts:
            place = np.full(self.length, -1, np.int64)
            place[order] = np.arange(len(order))
            moved = [(place[rows], values) for rows, values in self._parts]
            self._parts = [(rows[rows >= 0], values[rows >= 0]) for rows, values in moved]
        self.length = len(order)

    def order_from(self, start: int, order: npt.NDArray[np.intp]) -> None:
        """Reorder the rows from ``start`` on; ``order`` counts from there."""
        with self._lock:
            if self._array is not None or self._parts:
                array = self._become_array(self.length)
                array[start : self.length] = array[start : self.length][order]

    def adopt(self, form: Form | None, length: int) -> None:
        """Take rows over that are held elsewhere, in place of all rows; None for rows without a value."""
        with self._lock:
            self._parts, self._held, self._constant = [], 0, self._none
            self.length, self._array, self._filed = length, None, False
            if isinstance(form, Sparse):
                self._parts, self._held = [(form.rows, form.values)], len(form.rows)
            elif isinstance(form, int):
                self._constant = form
            else:
                self._array = form

    def _keeps_form(self, count: int, values: Sequence[int] | Array | int) -> bool:
        """Say whether the column can take values without becoming an array."""
        if self._sparse:
            held = np.count_nonzero(values != self._none) * (count if isinstance(values, int) else 1)
            return bool((self._held + held) * _FULL <= self.length + count)
        if self.length == 0:
            self._constant = int(values if isinstance(values, int) else values[0]) if count else self._none
        return bool(np.all(values == self._constant))

    def _add_part(self, start: int, values: Sequence[int] | Array | int) -> None:
        if isinstance(values, int) and values == self._none:
            return
        filled = np.broadcast_to(np.asarray(values, self._dtype), self.length - start)
        at = np.flatnonzero(filled != self._none)
        if len(at):
            self._parts.append((at + start, filled[at]))
            self._held += len(at)

    def _become_array(self, capacity: int) -> Array:
        if self._array is None:
            array, self._filed = self._room(capacity)
            array[: self.length] = self._constant
            for rows, values in self._parts:
                array[rows] = values
            self._array, self._parts = array, []  # seen by others when it is whole
        return self._array

    def _reserve(self, wanted: int) -> None:
        assert self._array is not None
        if wanted > len(self._array):
            grown, filed = self._room(max(wanted, 2 * len(self._array)))
            if not (filed and self._filed):
                grown[: self.length] = self._array[: self.length]
            self._array, self._filed = grown, filed
