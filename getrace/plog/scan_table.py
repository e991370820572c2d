"""The slow scanner: every line of a block through the table. It defines what the fast ones must give."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from getrace.plog.table import Cells, read_line
from getrace.plog.words import Padded, Places
from getrace.store.columns import COLUMNS, Column, none_of
from getrace.store.names import Names

Block = Mapping[str, Column]
"""Columns of the records of a block; ``offset`` and ``line`` count from the block's beginning (line from 0).

A column without any value may be absent.
"""

Scan = Callable[[memoryview], tuple[Block, int]]
"""Reads a block of whole lines: its records, and how many lines it has."""

Scanner = Callable[[Names], Scan]
"""Makes a scan for one log; what a scan learned in one block may help it in the next."""


def collect(rows: list[tuple[int, int, Cells]]) -> Block:
    """Turn (offset, line, cells) of records into columns."""
    names = {name for _, _, cells in rows for name in cells}
    columns = {
        name: np.array([cells.get(name, none_of(name)) for _, _, cells in rows], COLUMNS[name])
        for name in sorted(names)
    }
    columns["offset"] = np.array([offset for offset, _, _ in rows], np.int64)
    columns["line"] = np.array([line for _, line, _ in rows], np.uint32)
    return columns


def records_of(view: memoryview, starts: Places, ends: Places, numbers: Iterable[int], names: Names) -> Block:
    """Read lines through the table."""
    rows: list[tuple[int, int, Cells]] = []
    for number, start, end in zip(numbers, starts.tolist(), ends.tolist(), strict=True):
        rows.extend((start + at, int(number), cells) for at, cells in read_line(bytes(view[start:end]), names))
    return collect(rows)


def together(fast: Block, slow: Block, *, in_order: bool = True) -> Block:
    """Put the records of both ways in the order of their places, each column in its type.

    ``in_order`` says that the records of the fast way are.
    """
    counts = len(fast["offset"]), len(slow["offset"])
    if not counts[1] and in_order:
        return {name: column.astype(COLUMNS[name], copy=False) for name, column in fast.items()}
    order = np.argsort(np.concatenate((fast["offset"], slow["offset"])), kind="stable")
    return {
        name: np.concatenate(
            [_held(part, name, count) for part, count in zip((fast, slow), counts, strict=True)],
        )[order]
        for name in {**fast, **slow}
    }


def _held(part: Block, name: str, count: int) -> Column:
    return part[name].astype(COLUMNS[name]) if name in part else np.full(count, none_of(name), COLUMNS[name])


def table_scanner(names: Names) -> Scan:
    """Make the slow scanner."""

    def scan(view: memoryview) -> tuple[Block, int]:
        starts, ends = Padded(view).lines()
        return records_of(view, starts, ends, range(len(starts)), names), len(starts)

    return scan
