"""Which rows are of which kind, kept while a store grows: a diagnosis asks for thirty kinds, a screen after each poll.

Most rows of a log are only words. They are looked up each time, as their numbers would take more memory than all else.
"""

import threading
from collections.abc import Sequence

import numpy as np

from getrace.events import EVENTS, KIND_NUMBER
from getrace.events.text import Foreign, LogLine
from getrace.store.columns import Column

_WORDS = frozenset((KIND_NUMBER[LogLine.kind], KIND_NUMBER[Foreign.kind]))
"""Kinds of records that are only words."""
_STRIDE = 1 << 20
"""Rows that are sorted at once: sorting millions would take as much memory as the columns."""


class KindIndex:
    """The rows of each kind of event, in order. Several threads may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._edits = 0
        self._read = 0
        self._parts: dict[int, list[Column]] = {}
        self._tells = np.array([number not in _WORDS for number in range(len(EVENTS))])

    def rows(self, numbers: Sequence[int], kind: Column, edits: int) -> Column:
        """Give the rows of some kinds. ``kind`` is the column, ``edits`` how often rows of it were changed."""
        if not _WORDS.isdisjoint(numbers):
            return np.flatnonzero(np.isin(kind, numbers))
        with self._lock:
            self._catch_up(kind, edits)
            found = [self._of(number) for number in dict.fromkeys(numbers) if number in self._parts]
        found = [rows[: np.searchsorted(rows, len(kind))] for rows in found]  # another thread may know of more
        if len(found) == 1:
            return found[0]
        return np.sort(np.concatenate(found)) if found else np.empty(0, np.intp)

    def _catch_up(self, kind: Column, edits: int) -> None:
        if edits != self._edits:
            self._edits, self._read, self._parts = edits, 0, {}
        for start in range(self._read, len(kind), _STRIDE):
            self._add(kind[start : start + _STRIDE], start)
        self._read = max(self._read, len(kind))

    def _add(self, kind: Column, start: int) -> None:
        rows = np.flatnonzero(self._tells[kind])
        said = kind[rows]
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
