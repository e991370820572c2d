"""One column that grows, in the smallest form that holds it.

Most columns of most logs say little: one process, one source, no record cut, and an event's field in one row of a
hundred. As arrays they would be most of the memory of a large log. So a column begins as one number that all rows have;
a column of an event's field holds the rows that have a value. What has more to say is one array with room behind its
rows, so that a block that comes is copied once. Who looks may be another thread than the one that appends, so what
changes the form takes a lock.
"""

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from getrace.store.forms import Array, Form, Sparse, sparse_of
from getrace.store.fresh_memory import get_ready

_FULL = 4
"""A column with a value in one row of this many is held whole: the rows of the values would take more."""

_WHOLE = 16
"""A block of which one row of so many is asked for is made whole for it: to look each up takes longer."""

Room = Callable[[int], tuple[Array, bool]]
"""Gives an array for at least so many rows, and whether it is in the column's file: if so, that holds what an array
before it in the file held."""


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
        self._firsts: list[int] = []  # the first row of each part
        self._held = 0
        self._array: Array | None = None
        self._filed = False

    @property
    def nbytes(self) -> int:
        """How many bytes of memory the rows take, or would take if their file were memory."""
        return 0 if self._array is None else self._array.nbytes

    @property
    def constant(self) -> int | None:
        """The number that all rows have, None when they differ."""
        return None if self._array is not None or self._parts else self._constant

    def extend(self, count: int, value: Sequence[int] | Form) -> None:
        """Append rows in any form; what is given may be used again."""
        with self._lock:
            form = value if isinstance(value, (int, Sparse, np.ndarray)) else np.fromiter(value, self._dtype, count)
            if self._sparse and self._array is None and isinstance(form, np.ndarray):
                form = sparse_of(form, self._none)
            if self._array is None and not self._keeps_form(count, form):
                self._make_whole(self.length + count)
            if self._array is not None:
                self._append(self._array, count, form)
            elif isinstance(form, Sparse):
                self._add_part(self.length, form)
            self.length += count

    def _append(self, array: Array, count: int, form: Form) -> None:
        start, end = self.length, self.length + count
        if end > len(array):
            array = self._grown(array, end)
        get_ready(array, start, end)
        if isinstance(form, Sparse):
            array[start:end] = self._none
            array[form.rows + start] = form.values
        else:
            array[start:end] = form

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
                if self._array is None:
                    return self._picked(rows)
        return self.view()[rows]

    def told(self) -> Array:
        """Give the rows that have a value, in order; to be read."""
        with self._lock:
            if self._array is not None or self._constant != self._none:
                return np.flatnonzero(self.view() != self._none)
            return self._joined().rows if self._parts else np.empty(0, np.int64)

    def _picked(self, rows: Array) -> Array:
        """Give some rows of a column that is a number, or rows with a value."""
        picked = np.full(len(rows), self._constant, self._dtype)
        if not self._parts:
            return picked
        in_order = bool(np.all(rows[1:] > rows[:-1]))
        for held, values, asked in self._parts_with(rows) if in_order else [(*self._joined(), slice(None))]:
            own = rows[asked]
            start = min(int(held[0]), int(own[0]))
            span = max(int(held[-1]), int(own[-1])) + 1 - start
            if in_order and span < len(own) * _WHOLE:
                whole = np.full(span, self._constant, self._dtype)
                whole[held - start] = values
                picked[asked] = whole[own - start]
                continue
            places = np.minimum(np.searchsorted(held, own), len(held) - 1)
            found = held[places] == own
            picked[asked][found] = values[places[found]]
        return picked

    def _parts_with(self, rows: Array) -> Iterator[tuple[Array, Array, slice]]:
        """Give the blocks that may hold some rows, which come in order, and which of these; to join them costs more."""
        at = 0
        while at < len(rows):
            number = max(bisect_right(self._firsts, int(rows[at])) - 1, 0)
            last = number + 1 == len(self._parts)
            end = len(rows) if last else at + int(np.searchsorted(rows[at:], self._firsts[number + 1]))
            if end > at:
                yield *self._parts[number], slice(at, end)
            at = end

    def holding(self, number: int) -> Array:
        """Give the rows that hold a number, in order."""
        with self._lock:
            if self._array is not None or not self._parts or number == self._none:
                return np.flatnonzero(self.view() == number)
            return np.concatenate([rows[values == number] for rows, values in self._parts])

    def _joined(self) -> Sparse:
        """Give the rows with a value, all blocks together."""
        if len(self._parts) > 1:
            rows, values = (np.concatenate(part) for part in zip(*self._parts, strict=True))
            self._hold(rows, values)
        return Sparse(*self._parts[0])

    def form(self, start: int) -> Form:
        """Give the rows from ``start`` on as they are held; rows of the first two forms count from there."""
        with self._lock:
            if self._array is not None:
                return self._array[start : self.length]
            if not self._parts:
                return self._constant
            rows, values = self._joined()
            return Sparse(rows[rows >= start] - start, values[rows >= start])

    def settle(self) -> Array:
        """Make one array of all rows, with room behind them."""
        with self._lock:
            return self._make_whole(self.length) if self._array is None else self._array

    def _make_whole(self, wanted: int) -> Array:
        array, filed = self._room(wanted)
        array[: self.length] = self._constant
        for at, values in self._parts:
            array[at] = values
        self._forget()
        self._filed = filed
        self._array = array  # seen by others when it is whole
        return array

    def put(self, rows: Sequence[int] | Array, values: Sequence[int] | Array) -> None:
        """Set single cells. Raises OverflowError for a number that the type cannot hold."""
        with self._lock:
            if self._array is None and self._sparse and self._constant == self._none:
                self._put_few(np.asarray(rows, np.int64), np.asarray(values, self._dtype))
            else:
                self.settle()[rows] = values

    def _put_few(self, rows: npt.NDArray[np.int64], values: Array) -> None:
        """Set cells of a column of few rows; what was set last counts."""
        told = values != self._none
        if not len(rows):
            return
        if (self._parts and rows[0] <= self._parts[-1][0][-1]) or np.any(rows[1:] <= rows[:-1]):
            self._merge(rows, values)
        else:  # behind all others, as new rows of a live run are
            self._add_part(0, Sparse(rows[told], values[told]))
        if self._held * _FULL > self.length:
            self.settle()

    def _merge(self, rows: npt.NDArray[np.int64], values: Array) -> None:
        rows = np.concatenate((*(at for at, _ in self._parts), rows))
        values = np.concatenate((*(held for _, held in self._parts), values))
        order = np.argsort(rows, kind="stable")
        rows, values = rows[order], values[order]
        last = np.append(rows[1:] != rows[:-1], True) & (values != self._none)
        self._hold(rows[last], values[last])

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
        self._firsts = [int(rows[0])] if len(rows) else []
        self._held = len(rows)

    def _keeps_form(self, count: int, form: Form) -> bool:
        """Say whether the column can take rows and remain a number, or rows with a value."""
        if self._sparse:
            if isinstance(form, Sparse):
                return (self._held + len(form.rows)) * _FULL <= self.length + count
            return bool(np.all(form == self._none))
        if isinstance(form, Sparse):
            return False
        if self.length == 0 and count:
            self._constant = int(form if isinstance(form, int) else form[0])
        return bool(np.all(form == self._constant))

    def _add_part(self, start: int, form: Sparse) -> None:
        if len(form.rows):
            rows = np.add(form.rows, start, dtype=np.int64)
            self._parts.append((rows, form.values.astype(self._dtype)))
            self._firsts.append(int(rows[0]))
            self._held += len(form.rows)

    def _grown(self, array: Array, wanted: int) -> Array:
        grown, filed = self._room(max(wanted, len(array) * 3 // 2))
        if not (filed and self._filed):
            grown[: self.length] = array[: self.length]
        self._array, self._filed = grown, filed
        return grown
