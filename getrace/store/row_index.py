"""Which rows are of which kind or level, kept while a store grows: a diagnosis asks for thirty kinds, a screen often.

Most rows of a log are only words, and quiet. Such rows are looked up each time, as to note them would take more memory
than all else.
"""

import threading
from collections.abc import Collection, Sequence

import numpy as np

from getrace.store.columns import Column

_STRIDE = 1 << 20
"""Rows that are sorted at once: sorting millions would take as much memory as the columns."""


class RowIndex:
    """The rows of each number of a column that holds small ones, in order. Several threads may ask.

    ``usual`` are the numbers of most rows, which are not noted.
    """

    def __init__(self, usual: Collection[int]) -> None:
        self._usual = frozenset(usual)
        self._lock = threading.Lock()
        self._edits = 0
        self._read = 0
        self._parts: dict[int, list[Column]] = {}

    def rows(self, numbers: Sequence[int], column: Column, edits: int) -> Column:
        """Give the rows of some numbers of the column; ``edits`` says how often rows that were there have changed."""
        if not self._usual.isdisjoint(numbers):
            return np.flatnonzero(np.isin(column, numbers))
        with self._lock:
            self._catch_up(column, edits)
            found = [self._of(number) for number in dict.fromkeys(numbers) if number in self._parts]
        found = [rows[: np.searchsorted(rows, len(column))] for rows in found]  # another thread may know of more
        if len(found) == 1:
            return found[0]
        return np.sort(np.concatenate(found)) if found else np.empty(0, np.intp)

    def _catch_up(self, column: Column, edits: int) -> None:
        if edits != self._edits:
            self._edits, self._read, self._parts = edits, 0, {}
        for start in range(self._read, len(column), _STRIDE):
            self._add(column[start : start + _STRIDE], start)
        self._read = max(self._read, len(column))

    def _add(self, column: Column, start: int) -> None:
        noted = np.ones(len(column), bool)
        for number in self._usual:
            noted &= column != number
        rows = np.flatnonzero(noted)
        said = column[rows]
        order = np.argsort(said, kind="stable")
        rows, said = rows[order] + start, said[order]
        rows.flags.writeable = False
        borders = np.flatnonzero(np.diff(said)) + 1
        for part, first in zip(np.split(rows, borders), said[[0, *borders]] if len(rows) else (), strict=False):
            self._parts.setdefault(int(first), []).append(part)

    def _of(self, number: int) -> Column:
        parts = self._parts[number]
        if len(parts) > 1:
            joined = np.concatenate(parts)
            joined.flags.writeable = False
            self._parts[number] = parts = [joined]
        return parts[0]
