"""One column that grows, in the smallest form that holds it.

Most columns of most logs say little: one process, one source, no record cut, and an event's field in one row of a
hundred. As arrays they would be most of the memory of a large log. So a column begins as one number that all rows have;
a column of an event's field holds the rows that have a value. What has more to say is a list of the blocks that came,
and becomes one array when somebody looks at it. Who looks may be another thread than the one that appends, so what
changes the form takes a lock.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_FULL = 4
"""A column with a value in one row of this many is held whole: the rows of the values would take more."""

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
        self._dtype = np.dtype(dtype)
        self._none = none
        self._sparse = sparse
        self._lock = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._constant = self._none
        self._parts: list[tuple[npt.NDArray[np.int64], Array]] = []  # rows with a value, and the values
        self._held = 0
        self._blocks: list[Array] = []
        self._array: Array | None = None
        self._filed = False

    @property
    def nbytes(self) -> int:
        """How many bytes of memory the rows take, or would take if their file were memory."""
        return (self.length if self._array is None else len(self._array)) * self._dtype.itemsize * self._is_whole()

    @property
    def constant(self) -> int | None:
        """The number that all rows have, None when they differ."""
        return None if self._is_whole() or self._parts else self._constant

    def extend(self, count: int, value: Sequence[int] | Array | int) -> None:
        """Append rows: a value for each, or one for all. An array may be kept as it is."""
        with self._lock:
            self._extend(count, np.fromiter(value, self._dtype, count) if isinstance(value, list) else value)

    def _extend(self, count: int, values: Sequence[int] | Array | int) -> None:
        start = self.length
        if self._array is not None:
            self._reserve(start + count)
            self._array[start : start + count] = values
        elif self._blocks or not self._keeps_form(count, values):
            if start and not self._blocks:
                self._blocks = [self._so_far()]
            self._blocks.append(self._block(count, values))
        elif self._sparse:
            self._add_part(start, count, values)
        self.length = start + count

    def view(self) -> Array:
        """Give the rows as an array, to be read: a view, valid until the next ``extend``."""
        array = self._array
        if array is not None:
            return array[: self.length]
        with self._lock:
            if self.constant is not None:
                return np.broadcast_to(np.array(self._constant, self._dtype), self.length)
            return self.settle()[: self.length]

    def at(self, rows: Array) -> Array:
        """Give the numbers of some rows; a column that holds few rows stays in that form."""
        if self._array is None:
            with self._lock:
                if not self._is_whole():
                    return self._picked(rows)
        return self.view()[rows]

    def told(self) -> Array:
        """Give the rows that have a value, in order; to be read."""
        with self._lock:
            if self._is_whole() or self._constant != self._none:
                return np.flatnonzero(self.view() != self._none)
            return self._joined().rows if self._parts else np.empty(0, np.int64)

    def _picked(self, rows: Array) -> Array:
        """Give some rows of a column that is a number, or rows with a value."""
        picked = np.full(len(rows), self._constant, self._dtype)
        if self._parts:
            held, values = self._joined()
            places = np.minimum(np.searchsorted(held, rows), len(held) - 1)
            found = held[places] == rows
            picked[found] = values[places[found]]
        return picked

    def _joined(self) -> Sparse:
        """Give the rows with a value, all blocks together."""
        if len(self._parts) > 1:
            rows, values = (np.concatenate(part) for part in zip(*self._parts, strict=True))
            self._parts = [(rows, values)]
        return Sparse(*self._parts[0])

    def form(self, start: int) -> Form:
        """Give the rows from ``start`` on as they are held; rows of the first two forms count from there."""
        with self._lock:
            if self._is_whole():
                return self.settle()[start : self.length]
            if not self._parts:
                return self._constant
            rows, values = self._joined()
            return Sparse(rows[rows >= start] - start, values[rows >= start])

    def settle(self) -> Array:
        """Make one array of all rows, with room behind them."""
        with self._lock:
            if self._array is not None:
                return self._array
            array, filed = self._room(self.length)
            np.concatenate(self._blocks or [self._so_far()], out=array[: self.length])
            self._forget()
            self._filed = filed
            self._array = array  # seen by others when it is whole
            return array

    def put(self, rows: Sequence[int] | Array, values: Sequence[int] | Array) -> None:
        """Set single cells. Raises OverflowError for a number that the type cannot hold."""
        with self._lock:
            last = self.length - len(self._blocks[-1]) if self._blocks else self.length
            if len(rows) == 1 and int(rows[0]) >= last:  # of the block that came last: no reason to settle
                self._blocks[-1] = self._blocks[-1].copy()
                self._blocks[-1][int(rows[0]) - last] = values[0]
            else:
                self.settle()[rows] = values

    def take(self, order: npt.NDArray[np.intp]) -> None:
        """Keep some rows in some order; no row twice."""
        with self._lock:
            self._take(order)

    def _take(self, order: npt.NDArray[np.intp]) -> None:
        if self._is_whole():
            self._array, self._filed = self.settle()[: self.length][order], False
        elif self._parts:
            place = np.full(self.length, -1, np.int64)
            place[order] = np.arange(len(order))
            rows, values = self._joined()
            moved = place[rows]
            kept = np.argsort(moved)[np.count_nonzero(moved < 0) :]
            self._hold(moved[kept], values[kept])
        self.length = len(order)

    def order_from(self, start: int, order: npt.NDArray[np.intp]) -> None:
        """Reorder the rows from ``start`` on; ``order`` counts from there."""
        with self._lock:
            if self.constant is None:
                array = self.settle()
                array[start : self.length] = array[start : self.length][order]

    def adopt(self, form: Form | None, length: int) -> None:
        """Take rows over that are held elsewhere, in place of all rows; None for rows without a value."""
        with self._lock:
            self._forget()
            self.length = length
            if isinstance(form, Sparse):
                self._hold(*form)
            elif isinstance(form, int):
                self._constant = form
            else:
                self._array = form

    def _hold(self, rows: npt.NDArray[np.int64], values: Array) -> None:
        """Be a column of rows with a value, which come in order."""
        self._parts = [(rows, values)] if len(rows) else []
        self._held = len(rows)

    def _is_whole(self) -> bool:
        return self._array is not None or bool(self._blocks)

    def _keeps_form(self, count: int, values: Array | Sequence[int] | int) -> bool:
        """Say whether the column can take values and remain a number, or rows with a value."""
        if self._sparse:
            held = np.count_nonzero(values != self._none) * (count if isinstance(values, int) else 1)
            return bool((self._held + held) * _FULL <= self.length + count)
        if self.length == 0:
            self._constant = int(values if isinstance(values, int) else values[0]) if count else self._none
        return bool(np.all(values == self._constant))

    def _block(self, count: int, values: Array | Sequence[int] | int) -> Array:
        if isinstance(values, int):
            return np.full(count, values, self._dtype)
        return np.asarray(values, self._dtype)

    def _so_far(self) -> Array:
        """Give the rows of a column that is a number, or rows with a value."""
        rows = np.full(self.length, self._constant, self._dtype)
        for at, values in self._parts:
            rows[at] = values
        return rows

    def _add_part(self, start: int, count: int, values: Array | Sequence[int] | int) -> None:
        if isinstance(values, int) and values == self._none:
            return
        filled = np.broadcast_to(np.asarray(values, self._dtype), count)
        at = np.flatnonzero(filled != self._none)
        if len(at):
            self._parts.append((at + start, filled[at]))
            self._held += len(at)

    def _reserve(self, wanted: int) -> None:
        assert self._array is not None
        if wanted > len(self._array):
            grown, filed = self._room(max(wanted, 2 * len(self._array)))
            if not (filed and self._filed):
                grown[: self.length] = self._array[: self.length]
            self._array, self._filed = grown, filed
