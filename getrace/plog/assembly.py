"""Blocks of records put together to the rows of one source: what no block can know by itself.

A block's scanner counts from the block's beginning and sees no further than its end. Here lines and offsets go on from
block to block, text that begins no record is given to the record before it, also over a border, and text in front of
the first record becomes a row of its own. So records + continuation lines = lines, always; a record that a selection
leaves out takes its continuation lines with it.
"""

from collections.abc import Mapping

import numpy as np

from getrace.events import KIND_NUMBER, Level
from getrace.events.text import Foreign
from getrace.plog.scan_parallel import Span
from getrace.plog.scan_table import Block
from getrace.store.columns import GLUED, Column, none_of
from getrace.store.selection import Selection
from getrace.store.store import Store


class Assembly:
    """Appends the blocks of one source to a store, in their order. Nothing is appended before the first record.

    ``lines`` counts all physical lines seen, ``records`` the rows, selected or not; ``kept`` those of them that are in
    the store, and ``kept_lines`` their lines. ``full`` says that the selection wants no more.
    """

    def __init__(self, store: Store, source: int, selection: Selection | None = None) -> None:
        self.lines = 0
        self.records = 0
        self.kept = 0
        self.kept_lines = 0
        self.full = False
        self._store = store
        self._source = source
        self._selection = selection
        self._last: int | None = None  # the row of the last record, None when there is none or it was left out
        self._last_offset = 0
        self._last_lines = 0

    def moved(self, start: int) -> None:
        """Take note that the rows from ``start`` on were put in another order, those of each source in their own."""
        if self._last is not None and self._last >= start:
            own = np.flatnonzero(self._store.column("source")[start:] == self._source)
            self._last = start + int(own[-1])

    def add(self, span: Span, columns: Block, lines: int) -> None:
        """Append the records of a block, which has ``lines`` lines."""
        count, offset = len(columns["offset"]), span.offset
        end = offset + span.size - span.closed
        front = int(columns["line"][0]) if count else lines  # lines before the block's first record
        if self.records == 0 and not count:
            self.lines += lines
            return
        if self.records:
            self._lengthen(offset + int(columns["offset"][0]) - 1 if count else end, front)
        if count:
            self._append(self._placed(columns, offset, end, lines))
        self.lines += lines

    def _placed(self, columns: Block, offset: int, end: int, lines: int) -> dict[str, Column | int]:
        """Give the columns of a block with their places in the source, and each record with its size."""
        offsets = columns["offset"].astype(np.int64) + offset
        numbers = columns["line"].astype(np.int64)
        placed: dict[str, Column | int] = {
            **columns,
            "offset": offsets,
            "line": numbers + (self.lines + 1),
            "length": np.append(offsets[1:] - 1, end) - offsets,
            "lines": np.diff(np.append(numbers, lines)),
            **_glued(columns["flags"], offsets, numbers, end, lines),
        }
        if self.records == 0 and int(offsets[0]) > 0:
            placed = _with_lead(placed, int(numbers[0]) + self.lines, self._store.names.id(""))
        return {**placed, "source": self._source}

    def _append(self, columns: Mapping[str, Column | int]) -> None:
        offsets = columns["offset"]
        assert not isinstance(offsets, int)
        lines = columns["lines"]
        assert not isinstance(lines, int)
        self.records += len(offsets)
        self._last_offset, self._last_lines = int(offsets[-1]), int(lines[-1])
        if self._selection is None:
            self._last = self._store.rows + len(offsets) - 1
            self._extend(columns, len(offsets))
            return
        kept = np.flatnonzero(self._selection.keeps(columns, self._store.names))
        most = self._selection.max_events
        if most is not None and self.kept + len(kept) > most:
            kept = kept[: most - self.kept]
            self.full = True
        chosen = {name: value if isinstance(value, int) else value[kept] for name, value in columns.items()}
        self._last = self._store.rows + len(kept) - 1 if len(kept) and kept[-1] == len(offsets) - 1 else None
        self._extend(chosen, len(kept))

    def _extend(self, columns: Mapping[str, Column | int], count: int) -> None:
        self._store.columns.extend(count, columns)
        self.kept += count
        lines = columns["lines"]
        self.kept_lines += lines if isinstance(lines, int) else int(lines.sum())

    def _lengthen(self, end: int, lines: int) -> None:
        """Give lines that begin no record to the last one, which now ends at ``end`` (a newline not counted)."""
        if not lines or self._last is None:
            return
        self._last_lines += lines
        self._store.columns.put("length", [self._last], [end - self._last_offset])
        self._store.columns.put("lines", [self._last], [self._last_lines])
        self.kept_lines += lines


def _glued(flags: Column, offsets: Column, numbers: Column, end: int, lines: int) -> dict[str, Column]:
    """Give length and lines of records of which some share a line: it is counted to the first, which ends earlier."""
    glued = flags & GLUED != 0
    if not glued.any():
        return {}
    shared = np.append(glued[1:], False)  # the next record begins in the line of this one
    counts = np.diff(np.append(numbers, lines))
    return {
        "length": np.append(offsets[1:] - 1, end) - offsets + shared,
        "lines": counts + (shared & ~glued) - (glued & ~shared),
    }


def _with_lead(columns: Mapping[str, Column | int], lines: int, no_module: int) -> dict[str, Column | int]:
    """Put a row in front of text that stands before the first record."""
    offsets = columns["offset"]
    assert not isinstance(offsets, int)
    lead = {
        "kind": KIND_NUMBER[Foreign.kind],
        "line": 1,
        "lines": lines,
        "offset": 0,
        "length": int(offsets[0]) - 1,
        "level": int(Level.UNKNOWN),
        "module": no_module,
    }
    return {
        name: value if isinstance(value, int) else np.concatenate(([lead.get(name, none_of(name))], value))
        for name, value in columns.items()
    }
