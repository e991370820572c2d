"""The streams pane in lines: a legend, one line a lane, and the time axis."""

from typing import NamedTuple

import numpy as np

from getrace.printable import fit
from views.model.draw_curve import time_axis
from views.model.lacks import NO_STREAMS, why
from views.model.lanes import MARKS, Lane, Lanes, paint, place_of
from views.model.spans import Line, Span
from views.model.style import LANE_MARKS

_LABEL = 17
_LONGEST_LABEL = 32


class Picture(NamedTuple):
    """Lanes painted for one size, without the cursor; ``cells`` has one tuple of mark numbers a lane shown.

    ``margin`` are the cells before them, for the labels.
    """

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    hidden: int
    across: int
    margin: int = _LABEL


def draw_lanes(lanes: Lanes, width: int, height: int) -> Picture:
    """Paint lanes for a pane of ``width`` x ``height`` cells; lanes without room are counted, not lost."""
    longest = max((len(lane.label) for lane in lanes.lanes), default=0)
    margin = min(max(longest + 1, _LABEL), _LONGEST_LABEL)
    across, room = max(width - margin, 4), max(height - 2, 1)
    shown = lanes.lanes if len(lanes.lanes) <= room else lanes.lanes[: max(room - 1, 1)]
    cells = tuple(tuple(paint(lane, lanes.start, lanes.end, across).tolist()) for lane in shown)
    return Picture(tuple(lane.label for lane in shown), cells, len(lanes.lanes) - len(shown), across, margin)


def lane_lines(lanes: Lanes, picture: Picture, time_ns: int, *, ascii_only: bool = False) -> list[Line]:
    """Give the lines of the pane; ``time_ns`` is the time the cursor is at."""
    if not picture.cells:
        return why(NO_STREAMS, picture.across + picture.margin)
    at = -1
    if lanes.start <= time_ns <= lanes.end:
        at = int(place_of(np.array([time_ns]), lanes.start, lanes.end, picture.across)[0])
    lines: list[Line] = [_legend(ascii_only=ascii_only)]
    for label, cells in zip(picture.labels, picture.cells, strict=True):
        lines.append([Span(fit(label, picture.margin - 1) + " "), *_rail(cells, at, ascii_only=ascii_only)])
    if picture.hidden:
        lines.append([Span(f"and {picture.hidden} more streams", "note")])
    lines.append([Span(" " * picture.margin), Span(time_axis(lanes.start, lanes.end, picture.across), "dim")])
    return lines


def step_in_lanes(lanes: Lanes, row: int, direction: int) -> int:
    """Give the row of the next (1) or previous (-1) mark on any lane; ``row`` itself when there is none."""
    found = []
    for lane in lanes.lanes:
        place = int(np.searchsorted(lane.rows, row, "right")) if direction > 0 else _before(lane, row)
        if 0 <= place < len(lane.rows):
            found.append(int(lane.rows[place]))
    if not found:
        return row
    return min(found) if direction > 0 else max(found)


def _before(lane: Lane, row: int) -> int:
    return int(np.searchsorted(lane.rows, row, "left")) - 1


def _legend(*, ascii_only: bool) -> Line:
    line: list[Span] = []
    for name, mark in LANE_MARKS.items():
        line += [Span(mark.sign(ascii_only=ascii_only), f"lane:{name}"), Span(f" {mark.word}  ", "dim")]
    return line


def _rail(cells: tuple[int, ...], at: int, *, ascii_only: bool) -> Line:
    line = []
    rail, cursor = ("-", "|") if ascii_only else ("─", "│")
    for cell, number in enumerate(cells):
        if number >= 0:
            name = MARKS[number]
            line.append(Span(LANE_MARKS[name].sign(ascii_only=ascii_only), "cursor" if cell == at else f"lane:{name}"))
        else:
            line.append(Span(cursor, "cursor") if cell == at else Span(rail, "dim"))
    return line
