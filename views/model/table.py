"""A list with columns: what every lower pane of a screen is, whatever it lists.

A listing knows how many lines it has and makes one when it is asked; so a list of a million blocks costs no more than
one of ten. Widths are shared out here, once for all lists, so that columns stand below their titles.
"""

import textwrap
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.printable import fit, printable
from views.model.kernel_words import squeezed
from views.model.spans import Line, Span

GAP = " "
TEXT_LIMIT = 400
"""Characters of a cell that are looked at."""


class Head(NamedTuple):
    """A column: its title, its cells (0: shares the rest), and from how many cells of width on it is shown.

    ``name`` columns hold names: too long a one is cut in its middle.
    """

    title: str
    width: int = 0
    right: bool = False
    needs: int = 0
    name: bool = False


Cells = Sequence[Span]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """``count`` lines; ``cells(i)`` gives one span for each head, not yet cut to its width.

    ``rows[i]`` is the row of the store that line ``i`` leads to, or -1. ``empty`` says why there is nothing.
    """

    heads: tuple[Head, ...]
    count: int
    cells: Callable[[int], Cells]
    rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    empty: str = "nothing to list"

    def row(self, index: int) -> int:
        """Give the row that a line leads to, or -1."""
        return int(self.rows[index]) if 0 <= index < len(self.rows) else -1

    def at_row(self, row: int) -> int:
        """Give the last line at or before a row, for a list in row order; -1 when all stand behind it."""
        return bisect_right(self.rows, row) - 1

    def widths(self, width: int) -> tuple[int, ...]:
        """Share ``width`` cells out; -1 for a column that has no room."""
        shown = [head for head in self.heads if width >= head.needs]
        fixed = sum(head.width for head in shown) + len(GAP) * (len(shown) - 1)
        sharing = sum(not head.width for head in shown)
        rest = max(width - fixed, 0)
        each, more = divmod(rest, sharing) if sharing else (0, 0)
        given = []
        for head in self.heads:
            if width < head.needs:
                given.append(-1)
            elif head.width:
                given.append(head.width)
            else:
                given.append(each + (1 if more > 0 else 0))
                more -= 1
        return tuple(given)

    def heading(self, width: int) -> Line:
        """Give the line of titles."""
        return self._joined([Span(head.title, "heading") for head in self.heads], width)

    def lines(self, width: int) -> int:
        """Give the number of lines; an empty list has as many as it takes to say why."""
        return self.count or len(self._why(width))

    def line(self, index: int, width: int) -> Line:
        """Give a line, each column in exactly its width."""
        if not self.count:
            return [Span(self._why(width)[index], "dim")]
        return self._joined(self.cells(index), width)

    def _why(self, width: int) -> list[str]:
        return textwrap.wrap(printable(self.empty), max(width, 8)) or [""]

    def _joined(self, cells: Cells, width: int) -> Line:
        line: list[Span] = []
        for head, cell, room in zip(self.heads, cells, self.widths(width), strict=True):
            if room < 0:
                continue
            if line:
                line.append(Span(GAP))
            text = printable(cell.text, TEXT_LIMIT)
            text = squeezed(text, room) if head.name else text
            line.append(Span(fit(text, room, right=head.right), cell.role))
        return line


def listed(heads: tuple[Head, ...], table: Sequence[Cells], rows: Sequence[int], empty: str) -> Table:
    """Make a listing of lines that are known already."""
    return Table(heads, len(table), table.__getitem__, rows_array(rows), empty)


def rows_array(rows: Sequence[int]) -> npt.NDArray[np.int64]:
    """Put the rows that lines lead to into the form of a listing."""
    return np.array(rows, np.int64)
