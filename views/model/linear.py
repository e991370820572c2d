"""A view as plain lines, one fact a line: for a screen reader, a pager or a terminal that cannot show screens.

A screen tells by place: what stands below a title, left of a bar, in a colour. Read aloud or sent through a pipe that
is lost, so every value here stands behind its name, nothing is aligned, cut or drawn, and lines come as they are read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from getrace.events import Level
from getrace.printable import printable
from getrace.store.store import Store
from views.model.cards import Told
from views.model.rows import clock_text, number_of
from views.model.spans import Line, plain
from views.model.table import Table
from views.model.words import short

WIDE = 4_000
"""Cells that a model may take where a screen would give it its width: nothing a view says is broken or cut."""
_SAID = {"+": "added", "-": "removed"}
"""Titles of columns that are signs, in words."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """``at`` is the row a view begins at, or tells the moment of; None: all of it.

    ``other`` is a second log to compare with. The titles are what the two are called.
    """

    at: int | None = None
    title: str = "this log"
    other: Store | None = None
    other_title: str = "the other log"


View = Callable[[Store, Wanted], Iterator[str]]
"""Gives the lines of a view; it makes them as they are asked for."""


def said(line: Line) -> str:
    """Give the text of a line with single blanks: what stood in columns stands behind each other."""
    return " ".join(plain(line).split())


def told(lines: Sequence[Told], store: Store | None) -> Iterator[str]:
    """Tell lines of a card; one that leads to a row of ``store`` names its line, unless it does already."""
    for line, row in lines:
        text = said(line)
        named = store is None or row < 0 or not text or f"line {number_of(store, row)}" in text
        yield text if named or store is None else f"{text.rstrip('.')}, line {number_of(store, row)}"


def listed(title: str, table: Table, store: Store | None) -> Iterator[str]:
    """Tell a list under its title: each value behind the title of its column; empty ones and signs are left out.

    ``store`` is that of the rows that lines lead to; None where they tell their places themselves.
    """
    yield f"{title}: {table.count:,}"
    if not table.count:
        yield f"  {printable(table.empty, WIDE)}"
    names = [_SAID.get(head.title, head.title) for head in table.heads]
    for index in range(table.count):
        cells = [(name, printable(cell.text, WIDE)) for name, cell in zip(names, table.cells(index), strict=True)]
        pairs = [f"{name} {text}" for name, text in cells if name and text.strip()]
        row = table.row(index)
        # A column may have said already where the line leads.
        if store is not None and row >= 0 and all(text != str(number_of(store, row)) for _, text in cells):
            pairs.append(f"line {number_of(store, row)}")
        yield "  " + ", ".join(pairs)


def events(store: Store, wanted: Wanted) -> Iterator[str]:
    """Tell every record: line, time, level, who speaks, and what is said."""
    for row in range(wanted.at or 0, store.rows):
        yield record(store, row)


def record(store: Store, row: int) -> str:
    """Tell one record in one line."""
    level = Level(int(store.column("level")[row])).name
    speaker = store.kernel(row) or store.names.text(int(store.column("module")[row]))
    words = [f"line {number_of(store, row)}", clock_text(store, row), level, printable(speaker, WIDE)]
    # What sets a row apart on a screen would be read aloud sign by sign.
    return f"{', '.join(word for word in words if word)}: {short(store.event(row), WIDE).strip('─ ')}"
