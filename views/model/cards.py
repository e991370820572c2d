"""Lines of a card: what is said, and the row that shows it, to jump to."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from getrace.printable import cell_width, printable, wrap
from views.model.spans import Line, Span

NOWHERE = -1


class Told(NamedTuple):
    """A line of a card; ``row`` is the row to jump to, or ``NOWHERE``."""

    line: Line
    row: int = NOWHERE


def title(text: str) -> Told:
    """Give the heading of a card."""
    return Told([Span(text, "heading")])


def fact(label: str, value: str, width: int, *, row: int = NOWHERE, role: str = "text", room: int = 11) -> list[Told]:
    """Give a label and its value, broken into lines of at most ``width`` cells; all of them lead to ``row``."""
    text = printable(value, 4 * max(width, 20))
    first, *more = wrap_words(text, max(width - room - 1, 12))
    lines = [Told([Span(f"{label:<{room}} ", "dim"), Span(first, role)], row)]
    return lines + [Told([Span(" " * (room + 1)), Span(piece, role)], row) for piece in more]


def wrap_words(text: str, width: int) -> list[str]:
    """Break a printable text at blanks into pieces of at most ``width`` cells; a longer word is broken itself."""
    pieces, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cell_width(joined) <= width:
            line = joined
            continue
        if line:
            pieces.append(line)
        *whole, line = wrap(word, width)
        pieces.extend(whole)
    return [*pieces, line]


def columns(rows: Iterable[tuple[Sequence[str], int]], roles: Sequence[str], right: Sequence[bool]) -> list[Told]:
    """Align cells of (cells, row) pairs, each column as wide as its widest cell; the last one may be cut by a pane."""
    table = [([printable(cell, 200) for cell in cells], row) for cells, row in rows]
    widths = [max(map(cell_width, column)) for column in zip(*(cells for cells, _ in table), strict=True)]
    made = []
    for cells, row in table:
        line = []
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            blanks = " " * (width - cell_width(cell))
            line.append(Span((blanks + cell if right[place] else cell + blanks) + "  ", roles[place]))
        made.append(Told(line, row))
    return made
