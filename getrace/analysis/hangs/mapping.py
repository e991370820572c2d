"""Which RT stream a logical stream is, as GE's lines say it when a graph gets its streams.

A process may run several models, each with a logical stream 0 of its own; so a pair is believed when any line has it,
and doubted only when lines name the logical stream and never with this RT stream.
"""

from functools import cached_property

import numpy as np

from getrace.analysis.hangs.grouping import NO_ROWS, Key, Rows, grouped
from getrace.analysis.places import cell
from getrace.events.streams import StreamCollected, StreamSplit
from getrace.store.store import Store


class LogicalStreams:
    """The pairs of logical and RT streams of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _lines(self) -> dict[Key, Rows]:
        return grouped(self._store, self._store.rows_of(StreamSplit, StreamCollected), "pid", "stream")

    def rt_of(self, row: int, logical: int | None) -> int | None:
        """Give the RT stream that was last named for a logical stream of a row's process before it; None: not said."""
        own = self._named(row, logical)
        found = cell(self._store, "rt_stream", int(own[-1])) if len(own) else None
        return None if found is None or found < 0 else found

    def fits(self, row: int, logical: int | None, rt_stream: int) -> bool:
        """Say whether a row that speaks of a logical stream may speak of an RT stream."""
        named = self._store.at("rt_stream", self._named(row, logical))
        return not len(named) or bool(np.any(named == rt_stream)) or bool(np.all(named < 0))

    def _named(self, row: int, logical: int | None) -> Rows:
        """Give the lines before a row that name the RT stream of a logical stream of its process."""
        if logical is None:
            return NO_ROWS
        own = self._lines.get((int(self._store.column("pid")[row]), logical), NO_ROWS)
        return own[: int(np.searchsorted(own, row))]
