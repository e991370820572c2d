"""One log that is read while it grows: how far it was read, and what its last line waits for."""

from collections.abc import Callable

from getrace.plog.assembly import Assembly
from getrace.plog.file_store import FileStore
from getrace.plog.reader import BLOCK, DialectCounts, whole_lines
from getrace.plog.scan_parallel import span_of
from getrace.plog.scan_table import Scan
from getrace.plog.source import Buffer
from getrace.store.selection import Selection

_NEWLINE = ord("\n")
SETTLED = 1.0
"""Seconds after which a last line without an end is taken as it is: its writer is gone, or slow."""


_TAIL = 256
"""Bytes before the place that was read up to, by which a file is known that was emptied and has grown past it since."""


class FollowedFile:
    """A source of a store that is read on and on. ``replaced`` says that another file has its name now."""

    def __init__(
        self, store: FileStore, number: int, scan: Scan, selection: Selection | None, *, growing: bool
    ) -> None:
        self.number = number
        self.growing = growing
        self.replaced = False
        self.data = store.data[number]
        self.assembly = Assembly(store, number, selection, len(self.data))
        self._store = store
        self._scan = scan
        self._buffer = Buffer()
        self._at = 0  # always behind a whole line
        self._tail = b""  # what stands before it
        self._dialects = DialectCounts()
        self._waiting_at, self._waiting_since = -1, 0.0

    @property
    def behind(self) -> int:
        """Bytes that are there and were not read yet."""
        return 0 if self.assembly.full else max(0, self._size() - self._at)

    @property
    def was_cut(self) -> bool:
        """Whether the file holds fewer bytes than were read of it, or has others in their place."""
        return self.growing and (self._size() < self._at or (self.behind > 0 and self._rewritten()))

    def _rewritten(self) -> bool:
        return self.data.read(self._at - len(self._tail), self._at) != self._tail

    @property
    def finished(self) -> bool:
        """Whether nothing can come any more."""
        return (self.replaced or not self.growing) and not self.behind

    def advance(self, deadline: float | None, clock: Callable[[], float]) -> bool:
        """Read on until the deadline, but one block; say whether there are new rows."""
        before = self.assembly.kept_lines
        self.data.resize(self._size())
        while self.behind and (block := self._next(clock)):
            tail = bytes(block[-_TAIL:])
            self.assembly.add(span_of(self._at, block), *self._scan(block))
            self._at += len(block)
            self._tail = tail
            if deadline is not None and clock() >= deadline:
                break
        return self.assembly.kept_lines > before

    def _next(self, clock: Callable[[], float]) -> memoryview:
        """Give the next whole lines; a last line without an end when it has not grown for a while."""
        block = whole_lines(self.data, self._at, BLOCK, self._buffer)
        if self.growing and len(block) and block[-1] != _NEWLINE and not self._settled(clock()):
            return block[: bytes(block).rfind(b"\n") + 1]
        if not block:
            self.data.resize(self._at)  # the file was cut between a look at its size and the read
        return block

    def _settled(self, now: float) -> bool:
        if len(self.data) != self._waiting_at:
            self._waiting_at, self._waiting_since = len(self.data), now
        return now - self._waiting_since >= SETTLED

    def _size(self) -> int:
        return self.data.size_now() if self.growing else len(self.data)

    def describe(self, start: int) -> None:
        """Bring the counts of the source up to date; its new rows stand from ``start`` on."""
        source, assembly = self._store.sources[self.number], self.assembly
        source.size, source.records = self._at, assembly.kept
        source.left_out, source.truncated = assembly.records - assembly.kept, assembly.full
        source.lines = assembly.kept_lines if source.left_out or source.truncated else assembly.lines
        own = self._store.column("source")[start:] == self.number
        source.dialects = self._dialects.seen(self._store.column("rule")[start:][own])
