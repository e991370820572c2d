"""Which record of an event ends which wait, over the lines that GE prints of both.

GE uses the same events in every step. So a wait belongs to the last record of its event before it, but only when that
came after the same stream's wait of the step before: an older one has been used up.
"""

from dataclasses import dataclass
from functools import cached_property

from getrace.analysis.hangs.grouping import NO_ROWS, Key, Rows, grouped
from getrace.events.streams import EventSent, EventWaited
from getrace.store.store import Store


@dataclass(frozen=True, slots=True)
class Record:
    """The record that a wait needs: ``row`` is GE's line of it. ``usual``: it is that of an earlier step."""

    row: int
    usual: bool = False
    late: bool = False


class EventBook:
    """The lines of events, by process and RT event."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _sent(self) -> dict[Key, Rows]:
        return grouped(self._store, self._store.rows_of(EventSent), "pid", "handle")

    @cached_property
    def _waited(self) -> dict[Key, Rows]:
        return grouped(self._store, self._store.rows_of(EventWaited), "pid", "handle")

    def record_of(self, wait: int) -> Record | None:
        """Find the record that the wait at a row needs; None when the log has none of this event."""
        key = (int(self._store.column("pid")[wait]), self._store.value("handle", wait))
        sent, before = (rows.get(key, NO_ROWS) for rows in (self._sent, self._waited))
        same_stream = self._store.at("stream", before) == self._store.value("stream", wait)
        before = before[(before < wait) & same_stream]
        used = int(before[-1]) if len(before) else -1
        fresh = sent[(sent > used) & (sent < wait)]
        if len(fresh):
            return Record(int(fresh[-1]))
        later = sent[sent > wait]
        if len(later):
            return Record(int(later[0]), late=True)
        return Record(int(sent[-1]), usual=True) if len(sent) else None
