"""What everybody above the codec sees: rows, columns, names, and a row's event and line when one is looked at.

A store over a file re-reads the line of a row; a live store keeps the event. Nothing else differs, so an analysis or
a screen never asks which one it has.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from getrace.dumps.snapshot import GraphSnapshot
from getrace.events import EVENTS, KIND_NUMBER, Event, Level
from getrace.events.text import Foreign, LogLine
from getrace.store.clock_offset import ClockOffset
from getrace.store.columns import Column, Columns, none_of
from getrace.store.names import Names
from getrace.store.row_index import RowIndex

_WORDS = (KIND_NUMBER[LogLine.kind], KIND_NUMBER[Foreign.kind])
"""Kinds of records that are only words."""
_QUIET = (Level.DEBUG, Level.INFO, Level.EVENT)


class Entry(NamedTuple):
    """One row, with its event.

    ``time_ns`` is None for a record without a time, ``kernel`` outside a kernel; ``line`` is 0 for a live event.
    """

    row: int
    time_ns: int | None
    level: Level
    module: str
    pid: int
    tid: int
    kernel: str | None
    event: Event
    source: int
    line: int


@dataclass(slots=True)
class Source:
    """Where rows came from: the path as the user gave it, its bytes and lines, and the dialects found in it.

    ``broken`` says where and why a packed log broke off ("" when it did not); the rows hold what came before.
    ``left_out`` counts the records that a selection left out; ``lines`` and ``records`` count what is in the store.
    ``truncated`` says that records were not even looked at, as the selection wanted no more.
    ``cut`` says that the log was cut while it was followed: its rows are there, its records are gone.
    ``clock`` is how far its clock is ahead of the host's, where the logs prove something.
    """

    path: str
    size: int = 0
    lines: int = 0
    records: int = 0
    dialects: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)
    broken: str = ""
    left_out: int = 0
    truncated: bool = False
    cut: bool = False
    clock: ClockOffset | None = None


class Store(ABC):
    """Rows of a log or of a live run. ``rows`` only grows; a reader polls it and reads columns up to it."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.names = Names()
        self.sources: list[Source] = []
        self.graphs: list[GraphSnapshot] = []
        self._by_kind = RowIndex(_WORDS)
        self._by_level = RowIndex(_QUIET)

    @property
    def rows(self) -> int:
        """How many rows can be read now."""
        return self.columns.length

    def column(self, name: str) -> Column:
        """Give a column over all rows; see ``getrace.store.columns`` for names and units."""
        return self.columns.view(name)

    def at(self, name: str, rows: Column) -> Column:
        """Give a column in some rows.

        A column of which few rows have a value stays small; ``column`` would make it whole.
        """
        return self.columns.at(name, rows)

    def told(self, name: str) -> Column:
        """Give the rows of which a column says something, in order; to be read."""
        return self.columns.told(name)

    def holding(self, name: str, number: int, *kinds: type[Event]) -> Column:
        """Give the rows of some kinds, or of all, in which a column holds a number, in order.

        Where a kind has a million rows and few hold the number, it is cheaper than to ask all of them for it.
        """
        return self._of_kinds(self.columns.holding(name, number), kinds)

    def _of_kinds(self, rows: Column, kinds: Sequence[type[Event]]) -> Column:
        if not kinds:
            return rows
        said = self.column("kind")[rows]
        fits = np.zeros(len(rows), bool)
        for kind in kinds:
            fits |= said == KIND_NUMBER[kind.kind]
        return rows[fits]

    def value(self, name: str, row: int) -> int:
        """Give one cell of a column."""
        return int(self.at(name, np.array([row]))[0])

    def rows_of(self, *kinds: type[Event]) -> Column:
        """Give the row numbers of some event kinds, in order; to be read."""
        edits, kind = self.columns.edits, self.column("kind")  # in this order: another thread may be writing
        return self._by_kind.rows([KIND_NUMBER[each.kind] for each in kinds], kind, edits)

    def rows_at(self, *levels: Level) -> Column:
        """Give the row numbers of some levels, in order; to be read."""
        edits, level = self.columns.edits, self.column("level")
        return self._by_level.rows([int(each) for each in levels], level, edits)

    def kind(self, row: int) -> type[Event]:
        """Give the event class of a row."""
        return EVENTS[int(self.column("kind")[row])]

    def kernel(self, row: int) -> str | None:
        """Give the kernel NAME of a row: None outside a kernel, "" for a message printed without one."""
        number = int(self.column("kernel")[row])
        return None if number == none_of("kernel") else self.names.text(number)

    def time_or_none(self, row: int) -> int | None:
        """Give the time of a row (ns, the log's wall clock), or None: a record without a time has none, not zero."""
        time = int(self.column("time")[row])
        return None if time == none_of("time") else time

    def entry(self, row: int) -> Entry:
        """Give a row with its event."""
        return Entry(
            row=row,
            time_ns=self.time_or_none(row),
            level=Level(int(self.column("level")[row])),
            module=self.names.text(int(self.column("module")[row])),
            pid=int(self.column("pid")[row]),
            tid=int(self.column("tid")[row]),
            kernel=self.kernel(row),
            event=self.event(row),
            source=int(self.column("source")[row]),
            line=int(self.column("line")[row]),
        )

    @abstractmethod
    def event(self, row: int) -> Event:
        """Give the event of a row."""

    @abstractmethod
    def text(self, row: int) -> str:
        """Give the record of a row as it stands in the log, or as the codec spells it; may hold several lines."""

    def said(self, rows: Sequence[int]) -> list[Hashable]:
        """Give for some rows what is equal for rows of one kind that say the same, whichever kernel speaks.

        A log of millions of rows repeats itself, and reading an event is dear where it is read from a line.
        """
        return [self.event(row) for row in rows]

    def texts(self, rows: Column, limit: int) -> Iterator[str]:
        """Give the records of many rows, one after the other, each cut to ``limit`` bytes or characters."""
        return (self.text(row)[:limit] for row in rows.tolist())

    def matching(self, pattern: re.Pattern[str], first: int, last: int) -> Column:
        """Give, in order, the rows of ``first`` .. ``last - 1`` whose record matches a pattern."""
        return np.array([row for row in range(first, last) if pattern.search(self.text(row))], np.int64)

    def may_end_in(self, rows: Column, words: bytes) -> Column:  # noqa: ARG002 - nobody knows without reading
        """Say of each of some rows whether its line may end in words: no is sure, yes is to be looked at.

        It spares the reading of millions of lines of which a few are wanted.
        """
        return np.ones(len(rows), bool)

    def poll(self) -> int:
        """Make what a producer has delivered visible, and give the number of rows."""
        return self.rows
