"""Logs made by hand for tests: events in, a store out, with a line number for each record.

One event is one line, numbered from 1, so that a test can speak of lines as the log of a real machine would.
"""

from dataclasses import replace

from getrace.events import Event, Level, Origin
from getrace.events.text import LogLine
from getrace.store.columns import none_of
from getrace.store.live import LiveStore
from getrace.store.store import Store

PID = 370
TID = 1432
START_NS = 1_700_000_000_000_000_000


def spell(_time_ns: int, _origin: Origin, level: Level, kernel: str | None, event: Event) -> str:
    """Spell an event well enough to be recognised in an answer."""
    text = f"{event.func}: {event.text}" if isinstance(event, LogLine) else event.kind
    return f"[{level.name}] {text}" if kernel is None else f"[{level.name}] [KernelTrace][{kernel}]{text}"


class _Lined(LiveStore):
    """A live store whose rows say a line and a module, as rows of a file do."""

    def __init__(self, name: str) -> None:
        super().__init__(name, spell)
        self.modules: list[str] = []

    def poll(self) -> int:
        """Fill what a live store leaves empty."""
        start = self.rows
        rows = list(range(start, super().poll()))
        self.columns.put("line", rows, [row + 1 for row in rows])
        self.columns.put("module", rows, [self.names.id(self.modules[row]) for row in rows])
        return self.rows


class HandLog:
    """A log that grows by ``say``; each call gives the line's number and moves the clock on by ``step_ns``."""

    def __init__(self, name: str = "hand.log", dialects: tuple[str, ...] = ("rt2-2023",)) -> None:
        self._store = _Lined(name)
        self._store.sources[0].dialects = dialects
        self._now = START_NS
        self._lines = 0

    def say(
        self,
        event: Event,
        kernel: str | None = None,
        *,
        level: Level = Level.INFO,
        module: str = "GE",
        pid: int = PID,
        tid: int = TID,
        step_ns: int = 1_000,
        timed: bool = True,
    ) -> int:
        """Add a record and give its line; one that is not ``timed`` has no time, as behind a placeholder prefix."""
        self._now += step_ns
        self._lines += 1
        self._store.modules.append(event.module if isinstance(event, LogLine) else module)
        self._store(self._now if timed else none_of("time"), Origin(pid, "python3", tid), level, kernel, event)
        return self._lines

    def store(self) -> Store:
        """Give the store of everything said so far."""
        self._store.poll()
        self._store.sources[0] = replace(self._store.sources[0], lines=self._lines, records=self._lines)
        return self._store
