"""Where a statement comes from: the row, its file and line, its time, its text.

Every answer of this room points at rows. If each analysis spelled its own places, some would lose the file of a log
merged from many, or print line 0 for a live run as if it were a line.
"""

from dataclasses import dataclass

import numpy as np

from getrace.store.columns import Column, none_of
from getrace.store.store import Store

TEXT_LIMIT = 65_536
"""Characters of a record that evidence holds: more than any record of GE has, less than a foreign text may have."""
HEAD_LIMIT = 400
"""Characters of a record that a person is shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """One record as evidence. ``line`` is the physical line in ``file``, 0 for an event of a live run.

    ``text`` is the whole record, with the lines that belong to it, up to ``TEXT_LIMIT`` characters.
    ``time_ns`` is None for a record without a time.
    """

    row: int
    file: str
    line: int
    time_ns: int | None
    text: str

    @property
    def head(self) -> str:
        """The record's first line, cut to ``HEAD_LIMIT`` characters: what a screen shows."""
        return _cut(self.text.partition("\n")[0].rstrip("\r"), HEAD_LIMIT)


def place(store: Store, row: int) -> Place:
    """Point at a row."""
    return Place(row, file_of(store, row), line_of(store, row), time_of(store, row), text_of(store, row))


def text_of(store: Store, row: int) -> str:
    """Give the record of a row, cut to ``TEXT_LIMIT`` characters with a mark: a line of 50 MB is no record of GE's."""
    length = store.column("length")[row]
    if length <= TEXT_LIMIT or length == none_of("length"):
        return _cut(store.text(row), TEXT_LIMIT)
    (text,) = store.texts(np.array([row], np.int64), TEXT_LIMIT - 1)
    return text + "…"


def file_of(store: Store, row: int) -> str:
    """Give the path of a row's source as the user gave it."""
    return store.sources[int(store.column("source")[row])].path


def line_of(store: Store, row: int) -> int:
    """Give the physical line of a row, from 1; 0 for a live event."""
    return int(store.column("line")[row])


def time_of(store: Store, row: int) -> int | None:
    """Give the time of a row in nanoseconds since the epoch, as the log's wall clock says; None without one."""
    return store.time_or_none(row)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def cell(store: Store, name: str, row: int) -> int | None:
    """Give one cell of a column, or None when the log does not say."""
    value = store.value(name, row)
    return None if value == none_of(name) else value


def cells(store: Store, name: str, rows: Column) -> list[int | None]:
    """Give the cells of some rows in a column, None where the log does not say."""
    none = none_of(name)
    return [None if value == none else value for value in store.at(name, rows).tolist()]
