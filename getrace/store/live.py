"""A store fed by the bus.

The producer's thread appends one tuple; the reader's thread turns what has gathered into columns when it polls. A
deque makes both safe without a lock, and a kernel that is traced pays for one tuple only.
"""

from collections import deque
from collections.abc import Callable

from getrace.events import KIND_NUMBER, Event, Level, Origin
from getrace.events.graphs import GraphSeen
from getrace.events.text import LogLine
from getrace.store.columns import EVENT_COLUMNS, none_of
from getrace.store.store import Source, Store

Speller = Callable[[int, Origin, Level, str | None, Event], str]
"""Gives the line of an event, as the plog writer would write it."""

_Pending = tuple[int, Origin, Level, str | None, Event]


def _module_of(event: Event) -> str:
    return event.module if isinstance(event, LogLine) else event.speaker


class LiveStore(Store):
    """A sink of the bus, and the store of what it heard."""

    def __init__(self, name: str, spell: Speller) -> None:
        super().__init__()
        self.sources.append(Source(path=name))
        self._spell = spell
        self._pending: deque[_Pending] = deque()
        self._heard: list[_Pending] = []
        self._fields: dict[type[Event], tuple[str, ...]] = {}

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        """Take one event from the bus."""
        self._pending.append((time_ns, origin, level, kernel, event))

    def poll(self) -> int:
        """Turn what has gathered into rows."""
        count = len(self._pending)
        if count:
            self._add([self._pending.popleft() for _ in range(count)])
        return self.rows

    def event(self, row: int) -> Event:
        """Give the event of a row, the very object that was published."""
        return self._heard[row][4]

    def text(self, row: int) -> str:
        """Spell the row's line."""
        return self._spell(*self._heard[row])

    def _add(self, batch: list[_Pending]) -> None:
        start = self.rows
        module = self.names.id
        kernel_none = none_of("kernel")
        self.columns.extend(
            len(batch),
            {
                "time": [item[0] for item in batch],
                "level": [item[2] for item in batch],
                "module": [module(_module_of(item[4])) for item in batch],
                "pid": [item[1].pid for item in batch],
                "tid": [item[1].tid for item in batch],
                "kind": [KIND_NUMBER[item[4].kind] for item in batch],
                "kernel": [kernel_none if item[3] is None else self.names.id(item[3]) for item in batch],
            },
        )
        self._fill_event_columns(start, batch)
        self.graphs.extend(item[4].snapshot for item in batch if isinstance(item[4], GraphSeen))
        self._heard.extend(batch)

    def _fill_event_columns(self, start: int, batch: list[_Pending]) -> None:
        cells: dict[str, tuple[list[int], list[int]]] = {}
        for row, item in enumerate(batch, start):
            event = item[4]
            for name in self._columns_of(type(event)):
                value = getattr(event, name)
                if value is not None:
                    rows, values = cells.setdefault(name, ([], []))
                    rows.append(row)
                    values.append(value)
        for name, (rows, values) in cells.items():
            self.columns.put(name, rows, values)

    def _columns_of(self, event: type[Event]) -> tuple[str, ...]:
        known = self._fields.get(event)
        if known is None:
            slots: tuple[str, ...] = getattr(event, "__slots__", ())
            known = self._fields[event] = tuple(name for name in slots if name in EVENT_COLUMNS)
        return known
