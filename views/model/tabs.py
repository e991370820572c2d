"""The line of tabs: the screens by number, the one in sight marked; titles give way where room is short."""

from collections.abc import Sequence

from getrace.printable import fit
from views.model.spans import Line, Span

_GAP = 1
_SHORTEST = 2


def tab_line(titles: Sequence[tuple[int, str]], active: int, width: int) -> Line:
    """Give the tabs in at most ``width`` cells; ``titles`` are (number, title) pairs in order.

    The tab in sight keeps its whole title; the others are cut alike, down to their number.
    """
    for room in (20, 7, 5, 4, 3, 0):
        line = _tabs(titles, active, room)
        if sum(len(span.text) for span in line) <= width:
            return line
    return [Span(fit(" ".join(str(number) for number, _ in titles), width), "dim")]


def _tabs(titles: Sequence[tuple[int, str]], active: int, room: int) -> list[Span]:
    line: list[Span] = []
    for number, title in titles:
        shown = title if number == active or len(title) <= room else title[:room]
        text = f"{number} {shown}" if shown else str(number)
        line.append(Span((" " * _GAP if line else "") + text, "tab" if number == active else "dim"))
    return line
