"""A store fed by the bus.

Theory of operation. The producer's thread puts the five parts of an event at the end of one list; the reader's thread
takes what has gathered off its front when it polls, and makes columns of it. To extend, to copy and to cut a list are
single steps for other threads, so no lock is needed; and no object is made for an event that would have to be kept
alive, so a kernel that is traced pays for one call.
"""

from collections.abc import Callable, Sequence
from typing import Any

from getrace.events import KIND_NUMBER, Event, Level, Origin
from getrace.events.graphs import GraphEvent, GraphSeen
from getrace.events.text import LogLine
from getrace.store.columns import EVENT_COLUMNS, none_of
from getrace.store.store import Source, Store

Speller = Callable[[int, Origin, Level, str | None, Event], str]
"""Gives the line of an event, as the plog writer would write it."""

_PARTS = 5


class LiveStore(Store):
    """A sink of the bus, and the store of what it heard."""

    def __init__(self, name: str, spell: Speller) -> None:
        super().__init__()
        self.sources.append(Source(path=name))
        self._spell = spell
        self._queue: list[Any] = []  # time, origin, level, kernel, event; and again
        self._origins: list[Origin] = []
        self._levels: list[Level] = []
        self._kernels: list[str | None] = []
        self._events: list[Event] = []
        self._kinds: dict[type[Event], int] = {}
        self._columns_of_kind: dict[type[Event], tuple[str, ...]] = {}

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        """Take one event from the bus."""
        self._queue.extend((time_ns, origin, level, kernel, event))

    @property
    def waiting(self) -> int:
        """How many events were published and are no rows yet."""
        return len(self._queue) // _PARTS

    def poll(self) -> int:
        """Turn what has gathered into rows."""
        gathered = len(self._queue)
        if gathered:
            parts = [self._queue[at:gathered:_PARTS] for at in range(_PARTS)]
            del self._queue[:gathered]
            self._add(*parts)
        return self.rows

    def event(self, row: int) -> Event:
        """Give the event of a row, the very object that was published."""
        return self._events[row]

    def text(self, row: int) -> str:
        """Spell the row's line."""
        time_ns = int(self.column("time")[row])
        return self._spell(time_ns, self._origins[row], self._levels[row], self._kernels[row], self._events[row])

    def _without_graphs(self, parts: list[list[Any]]) -> list[list[Any]]:
        """Keep the graphs that were shown, and give what is a row of the log."""
        events = parts[-1]
        self.graphs.extend(event.snapshot for event in events if isinstance(event, GraphSeen))
        rows = [at for at, event in enumerate(events) if not isinstance(event, GraphEvent)]
        return [[part[at] for at in rows] for part in parts]

    def _add(
        self,
        times: list[int],
        origins: list[Origin],
        levels: list[Level],
        kernels: list[str | None],
        events: list[Event],
    ) -> None:
        if not events:
            return
        kinds = list(map(type, events))
        seen = set(kinds)
        if any(issubclass(kind, GraphEvent) for kind in seen):
            self._add(*self._without_graphs([times, origins, levels, kernels, events]))
            return
        start = self.rows
        for kind in seen:
            self._learn(kind)
        self.columns.extend(
            len(events),
            {
                "time": times,
                "level": _whole(levels),
                "module": self._modules(events, seen),
                "pid": _whole([origin.pid for origin in _distinct(origins)]),
                "tid": _whole([origin.tid for origin in _distinct(origins)]),
                "kind": list(map(self._kinds.__getitem__, kinds)),
                "kernel": self._kernel_ids(kernels),
            },
        )
        if any(self._columns_of_kind[kind] for kind in seen):
            self._fill_event_columns(start, events, kinds)
        self._origins += origins
        self._levels += levels
        self._kernels += kernels
        self._events += events

    def _learn(self, kind: type[Event]) -> None:
        if kind not in self._kinds:
            self._kinds[kind] = KIND_NUMBER[kind.kind]
            slots: tuple[str, ...] = getattr(kind, "__slots__", ())
            self._columns_of_kind[kind] = tuple(name for name in slots if name in EVENT_COLUMNS)

    def _modules(self, events: list[Event], seen: set[type[Event]]) -> int | list[int]:
        speakers = {kind.speaker for kind in seen}
        if LogLine not in seen and len(speakers) == 1:
            return self.names.id(speakers.pop())
        return self.names.ids([event.module if isinstance(event, LogLine) else event.speaker for event in events])

    def _kernel_ids(self, kernels: list[str | None]) -> int | list[int]:
        none = none_of("kernel")
        if type(None) not in set(map(type, kernels)):  # to compare every text with None takes three times as long
            return self.names.ids(kernels)  # type: ignore[arg-type]
        ids = self.names.id
        return [none if kernel is None else ids(kernel) for kernel in kernels]

    def _fill_event_columns(self, start: int, events: list[Event], kinds: list[type[Event]]) -> None:
        columns = self._columns_of_kind
        cells: dict[str, tuple[list[int], list[int]]] = {}
        for at, kind in enumerate(kinds):
            for name in columns[kind]:
                value = getattr(events[at], name)
                if value is not None:
                    rows, values = cells.setdefault(name, ([], []))
                    rows.append(start + at)
                    values.append(value)
        for name, (rows, values) in cells.items():
            self.columns.put(name, rows, values)


def _distinct(origins: list[Origin]) -> Sequence[Origin]:
    """Give one origin when all are the same, as they nearly always are, else all."""
    return origins[:1] if origins.count(origins[0]) == len(origins) else origins


def _whole(values: Sequence[int]) -> int | Sequence[int]:
    """Give one number when all are the same object or a single one stands for all, else all."""
    return values[0] if values.count(values[0]) == len(values) else values
