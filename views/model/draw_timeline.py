"""A timeline in lines: what each cell of a lane shows, arrows between streams, the axis and the memory below.

A slice with room shows its name, a narrow one the letter of its kind; a cell with many shows the kind of the one in its
middle, in a small letter when the thread is idle for most of it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.clock import plog_time
from getrace.ids import split_kernel_name
from getrace.printable import cell_width, fit, printable
from getrace.store.store import Store
from views.model.arrows import Arrows
from views.model.curves import decimate
from views.model.lacks import NO_MEMORY, why
from views.model.lanes import MARKS, Lane, paint
from views.model.plot import filled
from views.model.spans import Line, Span
from views.model.style import LANE_MARKS, SLICE_MARKS
from views.model.timeline import SLICES, HostLane, Timeline
from views.model.window import Window
from views.model.words import byte_text, duration_text

MARGIN = 18
"""Cells before a lane, for its label."""
NAMED = 4
"""Cells from which on a slice has room for a name."""
ARROWS_SHOWN = 64
"""Arrows in sight above which only that of the cursor is drawn: more would hide the lanes."""
IDLE = -1


class Cell(NamedTuple):
    """A cell: its character and role."""

    char: str
    role: str


class Busy(NamedTuple):
    """What each cell of a host lane shows: the slice in it (or ``IDLE``), and the part of its time that is busy."""

    slices: npt.NDArray[np.int64]
    share: npt.NDArray[np.float64]


def busy_cells(lane: HostLane, window: Window, width: int) -> Busy:
    """Look up what ``width`` cells of a window show; the cost does not grow with the number of slices."""
    edges = window.start + (np.arange(width + 1) * (window.length / width)).astype(np.int64)
    left, right = edges[:-1], np.maximum(edges[1:], edges[:-1] + 1)
    share = (_busy_until(lane, right) - _busy_until(lane, left)) / (right - left)
    if not len(lane.starts):
        return Busy(np.full(width, IDLE), share)
    middle = (left + right) // 2
    running = np.searchsorted(lane.starts, middle, "right") - 1
    runs = (running >= 0) & (lane.ends[running] >= middle)
    # A slice shorter than a cell may lie beside the middle: it must not vanish.
    starting = np.minimum(np.searchsorted(lane.starts, left, "left"), len(lane.starts) - 1)
    starts = (lane.starts[starting] >= left) & (lane.starts[starting] < right)
    ending = np.maximum(np.searchsorted(lane.starts, left, "right") - 1, 0)
    reaches = (lane.starts[ending] <= left) & (lane.ends[ending] > left)
    slices = np.where(runs, running, np.where(starts, starting, np.where(reaches, ending, IDLE)))
    return Busy(slices.astype(np.int64), share)


def _busy_until(lane: HostLane, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    if not len(lane.starts):
        return np.zeros(len(times), np.int64)
    place = np.searchsorted(lane.starts, times, "right") - 1
    at = np.maximum(place, 0)
    inside = np.minimum(times - lane.starts[at], lane.ends[at] - lane.starts[at])
    return np.asarray(np.where(place >= 0, lane.busy[at] + inside, 0), np.int64)


def host_cells(store: Store, lane: HostLane, window: Window, width: int, *, ascii_only: bool) -> list[Cell]:
    """Draw a host lane."""
    busy = busy_cells(lane, window, width)
    cells = [Cell(" ", "dim")] * width
    borders = np.flatnonzero(np.diff(busy.slices, prepend=-2, append=-2))
    for first, last in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        number = int(busy.slices[first])
        if number == IDLE:
            continue
        name = SLICES[int(lane.kinds[number])]
        role = f"slice:{name}"
        if last - first >= NAMED:
            kernel = split_kernel_name(store.kernel(int(lane.rows[number])) or "?").type
            text = ("[" if ascii_only else "▏") + _cut(printable(kernel, 80), last - first - 1)
            cells[first:last] = _cells(text, role)
        else:
            letter = SLICE_MARKS[name].sign(ascii_only=ascii_only)
            cells[first:last] = [
                Cell(letter if busy.share[cell] >= 0.5 else letter.lower(), role) for cell in range(first, last)
            ]
    error = LANE_MARKS["error"].sign(ascii_only=ascii_only)
    first_error, last_error = np.searchsorted(lane.errors, [window.start, window.end + 1])
    places = (lane.errors[first_error:last_error] - window.start) * width // max(window.length, 1)
    for place in np.unique(np.minimum(places, width - 1)).tolist():
        cells[place] = Cell(error, "lane:error")
    return cells


def _cut(name: str, width: int) -> str:
    """Give a name in a width; without a sign that it was cut, as a letter more tells more here."""
    return name[:width].ljust(width) if name.isascii() else fit(name, width).replace("…", " ")


def _cells(text: str, role: str) -> list[Cell]:
    """Give a cell for each cell of a text: a wide character takes two, the second of them empty."""
    return [cell for char in text for cell in (Cell(char, role), Cell("", role))[: cell_width(char)]]


def stream_cells(lane: Lane, window: Window, width: int, *, ascii_only: bool) -> list[Cell]:
    """Draw a stream lane: its marks on a rail."""
    rail = Cell("-" if ascii_only else "─", "dim")
    return [
        rail if number < 0 else Cell(LANE_MARKS[MARKS[number]].sign(ascii_only=ascii_only), f"lane:{MARKS[number]}")
        for number in paint(lane, window.start, window.end, width).tolist()
    ]


def draw_arrows(lanes: list[list[Cell]], arrows: Arrows, window: Window, row: int, *, ascii_only: bool) -> None:
    """Draw arrows into the cells of stream lanes: along the sender's rail, then down or up to the waiting stream."""
    if not lanes:
        return
    width = len(lanes[0])
    seen = arrows.inside(window)
    if len(seen) > ARROWS_SHOWN:
        seen = seen.at(row)
    flat, upright, corner = ("-", "|", "+") if ascii_only else ("╌", "┆", "+")
    for arrow in seen:
        role = "cursor" if row in {arrow.send_row, arrow.wait_row} else "lane:send"
        first, last = window.cell(arrow.sent, width), window.cell(arrow.waited, width)
        low, high = sorted((arrow.from_lane, arrow.to_lane))
        rail = {"─", "-"}
        for cell in range(min(first, last) + 1, max(first, last)):
            if lanes[arrow.from_lane][cell].char in rail:
                lanes[arrow.from_lane][cell] = Cell(flat, role)
        if first != last and lanes[arrow.from_lane][last].char in rail:
            lanes[arrow.from_lane][last] = Cell(corner, role)
        for lane in range(low + 1, high):
            if lanes[lane][last].char in rail:
                lanes[lane][last] = Cell(upright, role)


def spans_of(cells: Sequence[Cell], cursor: int) -> list[Span]:
    """Join cells of one role; the cell of the cursor is marked, and drawn where nothing else is."""
    spans: list[Span] = []
    for place, (char, role) in enumerate(cells):
        if place == cursor:
            spans.append(Span("│" if char in {" ", "─"} else ("|" if char == "-" else char), "cursor"))
        elif spans and spans[-1].role == role and place - 1 != cursor:
            spans[-1] = Span(spans[-1].text + char, role)
        else:
            spans.append(Span(char, role))
    return spans


def label(text: str) -> Span:
    """Give what stands before a lane."""
    return Span(fit(printable(text, 80), MARGIN - 1) + " ", "text")


def axis_line(window: Window, width: int, markers: tuple[int | None, int | None]) -> Line:
    """Give the axis: its first moment, the length of a cell, and where the markers A and B are in sight."""
    text = list(fit(plog_time(window.start)[11:], width))
    scale = f"1 cell = {duration_text(window.length // max(width, 1))}"
    end = plog_time(window.end)[11:]
    for piece, at in ((scale, (width - len(scale)) // 2), (end, width - len(end))):
        if at > len(plog_time(window.start)[11:]):
            text[at : at + len(piece)] = list(piece)
    cells = [Cell(char, "dim") for char in text]
    for name, time in zip("AB", markers, strict=True):
        place = -1 if time is None else window.cell(time, width)
        if place >= 0:
            cells[place] = Cell(name, "note")
    length = duration_text(window.length)
    sight = f"{length} in sight"
    return [Span(fit(sight if len(sight) < MARGIN else length, MARGIN), "dim"), *spans_of(cells, -1)]


def legend(width: int, *, ascii_only: bool) -> Line:
    """Give the meaning of letters and signs, as much as there is room for."""
    line: list[Span] = []
    used = 0
    marks = [(f"slice:{name}", mark) for name, mark in SLICE_MARKS.items()]
    marks += [(f"lane:{name}", mark) for name, mark in LANE_MARKS.items()]
    for role, mark in marks:
        used += len(mark.word) + 3
        if used > width:
            break
        line += [Span(mark.sign(ascii_only=ascii_only), role), Span(f" {mark.word} ", "dim")]
    return line


def memory_lines(timeline: Timeline, window: Window, width: int, height: int, *, ascii_only: bool) -> list[Line]:
    """Draw the live bytes of the window, in line with the lanes."""
    curve = timeline.curve
    if curve is None:
        reading = timeline.streams is None or bool(timeline.hosts)
        return [[Span("reading the memory ..." if reading else "", "dim")]]
    if not len(curve.times):
        return why(NO_MEMORY, width)
    across = max(width - MARGIN, 4)
    samples = decimate(curve, window.start, window.end, 2 * across)
    top = int(samples.max(initial=0))
    lines = filled(samples, top, height, ascii_only=ascii_only)
    labels = {0: f"memory {byte_text(top)}", height - 1: "0 B"} if height > 1 else {0: byte_text(top)}
    return [[label(labels.get(place, "")), Span(text, "curve")] for place, text in enumerate(lines)]
