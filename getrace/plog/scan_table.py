"""The slow scanner: every line of a block through the table. It defines what the fast one must give."""

from collections.abc import Callable, Mapping

import numpy as np

from getrace.plog.table import Cells, read_line
from getrace.store.columns import COLUMNS, Column, none_of
from getrace.store.names import Names

Block = Mapping[str, Column]
"""Columns of the records of a block; ``offset`` and ``line`` count from the block's beginning (line from 0)."""

Scan = Callable[[memoryview], tuple[Block, int]]
"""Reads a block of whole lines: its records, and how many lines it has."""

Scanner = Callable[[Names], Scan]
"""Makes a scan for one log; what a scan learned in one block may help it in the next."""


def line_bounds(view: Column) -> tuple[Column, Column]:
    """Give the start and end of each line of a block of bytes, without newline and carriage return."""
    newlines = np.flatnonzero(view == ord("\n"))
    ends = newlines if len(view) and view[-1] == ord("\n") else np.append(newlines, len(view))
    starts = np.concatenate(([0], ends[:-1] + 1))
    returns = (ends > starts) & (view[np.maximum(ends - 1, 0)] == ord("\r"))
    return starts, ends - returns


def collect(rows: list[tuple[int, int, Cells]]) -> Block:
    """Turn (offset, line, cells) of records into columns."""
    columns = {
        name: np.array([cells.get(name, none_of(name)) for _, _, cells in rows], dtype)
        for name, dtype in COLUMNS.items()
    }
    columns["offset"] = np.array([offset for offset, _, _ in rows], np.int64)
    columns["line"] = np.array([line for _, line, _ in rows], np.uint32)
    return columns


def table_scanner(names: Names) -> Scan:
    """Make the slow scanner."""

    def scan(block: memoryview) -> tuple[Block, int]:
        starts, ends = line_bounds(np.frombuffer(block, np.uint8))
        rows = []
        for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            cells = read_line(bytes(block[start:end]), names)
            if cells is not None:
                rows.append((start, number, cells))
        return collect(rows), len(starts)

    return scan
