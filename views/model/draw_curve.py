"""The memory pane in lines: what the peak was and when, the curve, and its axes."""

from typing import NamedTuple

from getrace.clock import plog_time
from getrace.printable import fit
from views.model.curves import Curve, decimate
from views.model.lacks import NO_MEMORY, why
from views.model.lookup import place_of
from views.model.plot import filled
from views.model.spans import Line, Span, plain
from views.model.words import byte_text

_AXIS = 10


class Picture(NamedTuple):
    """A curve drawn for one size, without the cursor: drawing looks at the whole curve, moving the cursor must not."""

    lines: tuple[str, ...]
    across: int
    start: int
    end: int


def draw_curve(curve: Curve, width: int, height: int, *, ascii_only: bool = False) -> Picture:
    """Draw a curve for a pane of ``width`` x ``height`` cells."""
    across, down = max(width - _AXIS, 4), max(height - 2, 1)
    if not len(curve.times):
        return Picture((), across, 0, 0)
    start, end = int(curve.times.min()), int(curve.times.max())
    samples = decimate(curve, start, end, 2 * across)
    lines = filled(samples, int(curve.live[curve.peak]), down, ascii_only=ascii_only)
    return Picture(tuple(lines), across, start, end)


def curve_lines(curve: Curve, picture: Picture, width: int, row: int, *, ascii_only: bool = False) -> list[Line]:
    """Give the lines of the pane; ``row`` is the row the cursor is at."""
    if not picture.lines:
        return why(NO_MEMORY, width)
    at = _cursor_cell(curve, picture, row)
    labels = {len(picture.lines) - 1: "0 B", 0: byte_text(int(curve.live[curve.peak]))}
    lines: list[Line] = [_summary(curve, row, width)]
    for place, cells in enumerate(picture.lines):
        label = labels.get(place, "")
        edge = "|" if ascii_only else ("┤" if label else "│")
        axis = Span(fit(label, _AXIS - 2, right=True) + " " + edge, "dim")
        lines.append([axis, *_with_cursor(cells, at, "|" if ascii_only else "│")])
    lines.append([Span(" " * _AXIS), Span(time_axis(picture.start, picture.end, picture.across), "dim")])
    return lines


def time_axis(start: int, end: int, width: int) -> str:
    """Give the line below a drawing: its first and its last moment, at its two ends."""
    first, last = plog_time(start)[11:], plog_time(end)[11:]
    return fit(first + last.rjust(max(width - len(first), 0)), width)


def step_in_time(curve: Curve, row: int, direction: int) -> int:
    """Give the row of the next (1) or previous (-1) change of memory; ``row`` itself when there is none."""
    if direction > 0:
        place = place_of(curve.rows, row, "right")
        return int(curve.rows[place]) if place < len(curve.rows) else row
    place = place_of(curve.rows, row, "left") - 1
    return int(curve.rows[place]) if place >= 0 else row


def live_at(curve: Curve, row: int) -> int:
    """Give the live bytes after a row."""
    place = place_of(curve.rows, row, "right")
    return int(curve.live[place - 1]) if place else 0


def _summary(curve: Curve, row: int, width: int) -> Line:
    peak = curve.peak
    line = [
        Span("here ", "dim"),
        Span(byte_text(live_at(curve, row)), "cursor"),
        Span("  peak ", "dim"),
        Span(byte_text(int(curve.live[peak])), "peak"),
        Span("  end ", "dim"),
        Span(byte_text(int(curve.live[-1]))),
        Span(f"  peak at {plog_time(int(curve.times[peak]))[11:]}", "dim"),
    ]
    return line if len(plain(line)) <= width else line[:-1]


def _cursor_cell(curve: Curve, picture: Picture, row: int) -> int:
    place = place_of(curve.rows, row, "right") - 1
    if place < 0:
        return -1
    passed = int(curve.times[place]) - picture.start
    return min(passed * picture.across // max(picture.end - picture.start, 1), picture.across - 1)


def _with_cursor(cells: str, at: int, sign: str) -> list[Span]:
    if at < 0:
        return [Span(cells, "curve")]
    return [Span(cells[:at], "curve"), Span(sign, "cursor"), Span(cells[at + 1 :], "curve")]
