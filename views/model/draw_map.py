"""The address map in lines: each extent from its first address on, a cell for so many bytes."""

import numpy as np

from getrace.analysis.address_map import AddressMap, Extent, Ints
from getrace.printable import fit
from views.model.lacks import NO_MAP, why
from views.model.spans import Line, Span, plain
from views.model.words import byte_text

_LABEL = 16
_SMALLEST_CELL = 512
_SIGNS = {"free": ("·", "."), "part": ("▒", "+"), "used": ("█", "#"), "here": ("◆", "@")}
_ROLES = {"free": "dim", "part": "note", "used": "curve", "here": "cursor"}
_KINDS = tuple(_SIGNS)


def map_lines(
    found: AddressMap, width: int, height: int, here: tuple[int, int] = (0, 0), *, ascii_only: bool = False
) -> list[Line]:
    """Draw a map into about ``height`` lines of ``width`` cells; ``here`` is a piece that is marked, start and end.

    An extent takes a line at least, so a map of many pieces is longer than the pane and scrolls.
    """
    if not found.extents:
        return why(NO_MAP, width)
    across = max(width - _LABEL, 8)
    cell = _cell_bytes(found.extents, across, max(height - 2, 1))
    lines = [_summary(found, width), _legend(cell, width, ascii_only=ascii_only)]
    for extent in found.extents:
        kinds = _kinds(found, extent, cell, here)
        for start in range(0, len(kinds), across):
            label = fit(f"{extent.start + start * cell:#x}", _LABEL - 1) + " "
            part = kinds[start : start + across]
            lines.append([Span(label, "dim"), *_painted(part, ascii_only=ascii_only)])
    return lines


def _cell_bytes(extents: tuple[Extent, ...], across: int, height: int) -> int:
    """Choose the smallest power of two with which the map fits; each extent takes a line at least."""
    sizes = np.array([extent.end - extent.start for extent in extents], np.int64)
    cell = _SMALLEST_CELL
    room = max(height, len(sizes))
    while int(np.ceil(sizes / (cell * across)).sum()) > room:
        cell *= 2
    return cell


def _kinds(found: AddressMap, extent: Extent, cell: int, here: tuple[int, int]) -> Ints:
    """Give for each cell of an extent the number of what lies there, see ``_KINDS``."""
    count = -(-(extent.end - extent.start) // cell)
    edges = np.minimum(extent.start + np.arange(count + 1, dtype=np.int64) * cell, extent.end)
    used = np.diff(_below(found, edges))
    whole = np.diff(edges)
    kinds = np.where(used == 0, 0, np.where(used < whole, 1, 2))
    start, end = max(here[0], extent.start) - extent.start, min(here[1], extent.end) - extent.start
    if start < end:
        kinds[start // cell : -(-end // cell)] = 3
    return kinds


def _below(found: AddressMap, edges: Ints) -> Ints:
    """Give the bytes in use below each address."""
    sums = np.concatenate([[0], np.cumsum(found.ends - found.starts)])
    place = np.searchsorted(found.starts, edges, "right")
    begun = np.maximum(place - 1, 0)
    over = np.maximum(found.ends[begun] - edges, 0) if len(found.ends) else np.zeros(len(edges), np.int64)
    below: Ints = sums[place] - np.where(place > 0, over, 0)
    return below


def _painted(kinds: Ints, *, ascii_only: bool) -> list[Span]:
    borders = np.flatnonzero(np.diff(kinds)) + 1
    spans = []
    for part in np.split(kinds, borders):
        name = _KINDS[int(part[0])]
        spans.append(Span(_SIGNS[name][ascii_only] * len(part), _ROLES[name]))
    return spans


def _summary(found: AddressMap, width: int) -> Line:
    parts = [
        ("held ", byte_text(found.held), "text"),
        ("  used ", byte_text(found.used), "curve"),
        ("  free ", byte_text(found.free), "text"),
        ("  largest free ", byte_text(found.largest_free), "text"),
        ("  fragmentation ", f"{found.fragmentation:.0%}", "note"),
        ("  rounding ", byte_text(found.rounding), "text"),
    ]
    line: list[Span] = []
    for label, value, role in parts:
        if len(plain(line)) + len(label) + len(value) > width:
            break
        line += [Span(label, "dim"), Span(value, role)]
    return line


def _legend(cell: int, width: int, *, ascii_only: bool) -> Line:
    line = [Span(f"a cell is {byte_text(cell)}  ", "dim")]
    for name, word in (("used", "used"), ("part", "in part"), ("free", "free"), ("here", "here")):
        line += [Span(_SIGNS[name][ascii_only], _ROLES[name]), Span(f" {word}  ", "dim")]
    return line if len(plain(line)) <= width else line[:1]
