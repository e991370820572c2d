"""A laid-out graph in characters: labels in rows, and between two rows the channel in which its edges run.

Each cell collects the directions in which lines leave it, so a crossing, a corner and a branch come out by themselves.
Edges of one node share a track. A cell that only control edges touch is drawn with broken lines.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from views.model.layered import Layout, Place
from views.model.spans import Line, Span

NORTH, SOUTH, EAST, WEST = 1, 2, 4, 8
MOST_TRACKS = 8

_WHOLE = " ╵╷│╶└┌├╴┘┐┤─┴┬┼"
_ASCII = " |||-+++-+++-+++"
_BROKEN = {"│": "┊", "─": "┈"}
_ASCII_BROKEN = {"|": ":", "-": "."}
_HEADS = {False: ("▼", "▽"), True: ("v", "v")}

Label = Callable[[int], Span]
"""Gives the text of a node, exactly as wide as it was laid out, and its role."""


@dataclass(slots=True)
class _Canvas:
    """Cells by (line, column): directions of data edges and of control edges, and what hides them."""

    data: dict[tuple[int, int], int] = field(default_factory=dict)
    control: dict[tuple[int, int], int] = field(default_factory=dict)
    heads: dict[tuple[int, int], bool] = field(default_factory=dict)
    labels: dict[int, list[tuple[int, Span]]] = field(default_factory=dict)

    def add(self, line: int, column: int, directions: int, *, control: bool) -> None:
        """Let lines leave a cell in more directions."""
        cells = self.control if control else self.data
        cells[line, column] = cells.get((line, column), 0) | directions

    def down(self, column: int, first: int, last: int, *, control: bool) -> None:
        """Draw a line downward from the upper edge of a cell to the lower edge of another."""
        for line in range(first, last + 1):
            self.add(line, column, NORTH | SOUTH, control=control)

    def across(self, line: int, first: int, last: int, *, control: bool) -> None:
        """Draw a line from the middle of a cell to the middle of another one to the right of it."""
        for column in range(first, last):
            self.add(line, column, EAST, control=control)
            self.add(line, column + 1, WEST, control=control)


def graph_lines(layout: Layout, label: Label, *, ascii_only: bool = False) -> tuple[list[Line], dict[int, int]]:
    """Draw a layout; gives its lines, and for each node the number of its line."""
    canvas, at = _Canvas(), {}
    line = 0
    for depth, layer in enumerate(layout.layers):
        if depth:
            line = _channel(canvas, layout, depth - 1, line)
        for number in layer:
            place = layout.places[number]
            if place.node >= 0:
                canvas.labels.setdefault(line, []).append((place.left, label(place.node)))
                at[place.node] = line
            else:
                _joint(canvas, layout, number, line)
        line += 1
    return [_painted(canvas, row, ascii_only=ascii_only) for row in range(line)], at


def _joint(canvas: _Canvas, layout: Layout, number: int, line: int) -> None:
    """A long edge passes a layer: it comes in at one column and goes on at the one before."""
    place = layout.places[number]
    control = next(wire.control for wire in layout.wires if wire.target == number)
    canvas.add(line, place.port + 1, NORTH | WEST, control=control)
    canvas.add(line, place.port, EAST | SOUTH, control=control)


def _channel(canvas: _Canvas, layout: Layout, depth: int, line: int) -> int:
    """Draw the edges from one layer to the next; gives the line of the next layer's labels."""
    wires = [wire for wire in layout.wires if layout.places[wire.source].layer == depth]
    groups: dict[tuple[int, bool], list[int]] = {}
    for source, target, control in wires:
        groups.setdefault((source, control), []).append(target)
    tracks = _tracks(layout.places, groups)
    height = max(tracks.values(), default=-1) + 1
    first, bottom = line, line + height
    for (source, control), targets in groups.items():
        row = first + tracks[source, control]
        port = layout.places[source].port
        ends = [layout.places[target].port + 1 for target in targets]
        canvas.down(port, first, row - 1, control=control)
        canvas.add(row, port, NORTH, control=control)
        canvas.across(row, min(port, *ends), max(port, *ends), control=control)
        for target, end in zip(targets, ends, strict=True):
            canvas.add(row, end, SOUTH, control=control)
            canvas.down(end, row + 1, bottom, control=control)
            if layout.places[target].node >= 0:
                only = canvas.heads.get((bottom, end), True)
                canvas.heads[bottom, end] = only and control
    return bottom + 1


def _tracks(places: Sequence[Place], groups: Mapping[tuple[int, bool], Sequence[int]]) -> dict[tuple[int, bool], int]:
    """Give each node's edges a track of the channel, so that none lies on another's; a full channel shares its last."""
    taken: list[int] = []
    tracks = {}

    def reach(key: tuple[int, bool]) -> tuple[int, int]:
        columns = [places[key[0]].port, *(places[target].port + 1 for target in groups[key])]
        return min(columns), max(columns)

    for key in sorted(groups, key=lambda key: (reach(key), key)):
        start, end = reach(key)
        free = next((track for track, used in enumerate(taken) if used < start), len(taken))
        if free == len(taken) and free < MOST_TRACKS:
            taken.append(-1)
        free = min(free, MOST_TRACKS - 1)
        taken[free] = max(taken[free], end)
        tracks[key] = free
    return tracks


def _painted(canvas: _Canvas, line: int, *, ascii_only: bool) -> Line:
    """Give one line: labels where they stand, lines between them."""
    spans: list[Span] = []
    column = 0
    labels = sorted(canvas.labels.get(line, ()), key=lambda item: item[0])
    last = max((at for row, at in (*canvas.data, *canvas.control) if row == line), default=-1)
    for left, span in (*labels, (last + 1, Span(""))):
        spans += _wired(canvas, line, column, left, ascii_only=ascii_only)
        spans.append(span)
        column = max(column, left + len(span.text))
    return [span for span in spans if span.text]


def _wired(canvas: _Canvas, line: int, first: int, last: int, *, ascii_only: bool) -> list[Span]:
    text = []
    for column in range(first, last):
        data, control = canvas.data.get((line, column), 0), canvas.control.get((line, column), 0)
        if (line, column) in canvas.heads:
            text.append(_HEADS[ascii_only][canvas.heads[line, column]])
            continue
        sign = (_ASCII if ascii_only else _WHOLE)[data | control]
        text.append((_ASCII_BROKEN if ascii_only else _BROKEN).get(sign, sign) if control and not data else sign)
    return [Span("".join(text), "dim")]
