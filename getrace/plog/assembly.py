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
from getrace.plog.scan_table import Block, all_of
from getrace.store.columns import COLUMNS, GLUED, Column, none_of
from getrace.store.forms import Form, chosen, merged
from getrace.store.selection import Selection
from getrace.store.store import Store

_MARGIN = 1.1
"""Room is made for so many times the rows that the bytes still to come would have if they were as those before."""


class Assembly:
    """Appends the blocks of one source to a store, in their order. Nothing is appended before the first record.

    ``lines`` counts all physical lines seen, ``records`` the rows, selected or not; ``kept`` those of them that are in
    the store, and ``kept_lines`` their lines. ``full`` says that the selection wants no more. ``size`` is how many
    bytes the source has, as far as is known: room is made for their rows.
    """

    def __init__(self, store: Store, source: int, selection: Selection | None = None, size: int = 0) -> None:
        self.lines = 0
        self.records = 0
        self.kept = 0
        self.kept_lines = 0
        self.full = False
        self._store = store
        self._source = source
        self._selection = selection
        self._size = size
        self._last: int | None = None  # the row of the last record, None when there is none or it was left out
        self._last_offset = 0
        self._last_lines = 0
        self._memory = [np.empty(0, np.int64)] * 2

    def moved(self, start: int) -> None:
        """Take note that the rows from ``start`` on were put in another order, those of each source in their own."""
        if self._last is not None and self._last >= start:
            own = np.flatnonzero(self._store.column("source")[start:] == self._source)
            self._last = start + int(own[-1])

    def add(self, span: Span, columns: Block, lines: int) -> None:
        """Append the records of a block, which has ``lines`` lines."""
        starts = all_of(columns, "offset")
        count, offset = len(starts), span.offset
        end = offset + span.size - span.closed
        front = int(all_of(columns, "line")[0]) if count else lines  # lines before the block's first record
        if self.records == 0 and not count:
            self.lines += lines
            return
        if self.records:
            self._lengthen(offset + int(starts[0]) - 1 if count else end, front)
        if count:
            self._append(self._placed(columns, offset, end, lines))
            left = max(self._size - end, 0)
            self._store.columns.expect(self._store.rows + int(_MARGIN * self.kept * left / end))
        self.lines += lines

    def _placed(self, columns: Block, offset: int, end: int, lines: int) -> dict[str, Form]:
        """Give the columns of a block with their places in the source, and each record with its size."""
        starts, numbers = all_of(columns, "offset"), all_of(columns, "line")
        offsets, length = self._rooms(len(starts))
        np.add(starts, offset, out=offsets)
        np.subtract(offsets[1:], offsets[:-1], out=length[:-1])
        length[:-1] -= 1
        length[-1] = end - offsets[-1]
        placed: dict[str, Form] = {
            **columns,
            "offset": offsets,
            "line": numbers.astype(np.uint32, copy=False) + np.uint32(self.lines + 1),
            "length": length,
            "lines": 1 if lines - int(numbers[0]) == len(numbers) else _line_counts(numbers, lines),
            **_glued(all_of(columns, "flags"), length, numbers, lines),
        }
        if self.records == 0 and int(offsets[0]) > 0:
            placed = _with_lead(placed, int(numbers[0]) + self.lines, self._store.names.id(""))
        return {**placed, "source": self._source}

    def _rooms(self, count: int) -> list[Column]:
        """Give memory for the numbers of a block, used again for the next one: the store copies what it takes."""
        if len(self._memory[0]) < count:
            self._memory = [np.empty(count * 5 // 4, np.int64) for _ in self._memory]
        return [memory[:count] for memory in self._memory]

    def _append(self, columns: Mapping[str, Form]) -> None:
        offsets, count = all_of(columns, "offset"), len(all_of(columns, "offset"))
        self.records += count
        self._last_offset, self._last_lines = int(offsets[-1]), _last_of(columns["lines"])
        if self._selection is None:
            self._last = self._store.rows + count - 1
            self._extend(columns, count)
            return
        kept = np.flatnonzero(self._selection.keeps(columns, self._store.names))
        most = self._selection.max_events
        if most is not None and self.kept + len(kept) > most:
            kept = kept[: most - self.kept]
            self.full = True
        self._last = self._store.rows + len(kept) - 1 if len(kept) and kept[-1] == count - 1 else None
        self._extend({name: chosen(form, kept, count) for name, form in columns.items()}, len(kept))

    def _extend(self, columns: Mapping[str, Form], count: int) -> None:
        self._store.columns.extend(count, columns)
        self.kept += count
        lines = columns["lines"]
        self.kept_lines += int(lines.sum()) if isinstance(lines, np.ndarray) else count

    def _lengthen(self, end: int, lines: int) -> None:
        """Give lines that begin no record to the last one, which now ends at ``end`` (a newline not counted)."""
        if not lines or self._last is None:
            return
        self._last_lines += lines
        self._store.columns.put("length", [self._last], [end - self._last_offset])
        self._store.columns.put("lines", [self._last], [self._last_lines])
        self.kept_lines += lines


def _line_counts(numbers: Column, lines: int) -> Column:
    """Give how many lines each record has, by the line in which it begins."""
    return np.diff(np.append(numbers, lines).astype(np.int64))


def _last_of(form: Form) -> int:
    return int(form[-1]) if isinstance(form, np.ndarray) else 1


def _glued(flags: Column, length: Column, numbers: Column, lines: int) -> dict[str, Column]:
    """Give length and lines of records of which some share a line: it is counted to the first, which ends earlier."""
    glued = flags & GLUED != 0
    if not glued.any():
        return {}
    shared = np.append(glued[1:], False)  # the next record begins in the line of this one
    return {
        "length": length + shared,
        "lines": _line_counts(numbers, lines) + (shared & ~glued) - (glued & ~shared),
    }


def _with_lead(columns: Mapping[str, Form], lines: int, no_module: int) -> dict[str, Form]:
    """Put a row in front of text that stands before the first record."""
    offsets = all_of(columns, "offset")
    lead = {
        "kind": KIND_NUMBER[Foreign.kind],
        "line": 1,
        "lines": lines,
        "offset": 0,
        "length": int(offsets[0]) - 1,
        "level": int(Level.UNKNOWN),
        "module": no_module,
    }
    counts, places = (1, len(offsets)), np.arange(len(offsets) + 1)
    return {
        name: merged((lead.get(name, none_of(name)), form), counts, places, none_of(name), COLUMNS[name])
        for name, form in columns.items()
    }
