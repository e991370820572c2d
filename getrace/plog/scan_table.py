"""The slow scanner: every line of a block through the table. It defines what the fast ones must give."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from getrace.plog.table import Cells, read_line
from getrace.plog.words import Padded, Places
from getrace.store.columns import COLUMNS, Column, none_of
from getrace.store.forms import Form, merged
from getrace.store.names import Names

Block = Mapping[str, Form]
"""Columns of the records of a block; ``offset`` and ``line`` count from the block's beginning (line from 0).

A column without any value may be absent; these two, ``kind`` and ``flags`` have a number for each row.
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


def together(fast: Block, slow: Block) -> Block:
    """Put the records of both ways, each in order, in the order of their places."""
    offsets = (all_of(fast, "offset"), all_of(slow, "offset"))
    if not len(offsets[1]):
        return fast
    order = np.argsort(np.concatenate(offsets), kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return both(fast, slow, places)


def both(first: Block, second: Block, places: Places) -> Block:
    """Put two blocks together; ``places`` says where each record of the first goes, and then each of the second."""
    counts = len(all_of(first, "offset")), len(all_of(second, "offset"))
    return {
        name: merged(
            (first.get(name, none_of(name)), second.get(name, none_of(name))),
            counts,
            places,
            none_of(name),
            COLUMNS[name],
        )
        for name in {**first, **second}
    }


def all_of(block: Block, name: str) -> Column:
    """Give a column of a block that has a number for each row."""
    column = block[name]
    assert isinstance(column, np.ndarray)
    return column


def table_scanner(names: Names) -> Scan:
    """Make the slow scanner."""

    def scan(view: memoryview) -> tuple[Block, int]:
        starts, ends = Padded(view).lines()
        return records_of(view, starts, ends, range(len(starts)), names), len(starts)

    return scan
