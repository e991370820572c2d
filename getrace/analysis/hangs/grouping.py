"""Rows sorted into groups of the same two cells, once: looking through all rows for each wait would be square."""

import numpy as np
import numpy.typing as npt

from getrace.store.columns import Column
from getrace.store.store import Store

Rows = npt.NDArray[np.intp]
Key = tuple[int, int]
"""Process, and a stream, a thread or an event of it."""
_SMALL = 1 << 16
NO_ROWS: Rows = np.empty(0, np.intp)


def distinct(column: Column) -> Column:
    """Give the different numbers of a column in which equal ones mostly stand side by side, in their order."""
    return np.unique(column[np.append(True, column[1:] != column[:-1])[: len(column)]])


def grouped(store: Store, rows: Rows, *names: str) -> dict[Key, Rows]:
    """Sort rows, which come in order, into groups of the same two cells, each in row order."""
    return {key: rows[places] for key, places in places_of(store, rows, *names).items()}


def places_of(store: Store, rows: Rows, *names: str) -> dict[Key, Rows]:
    """Give the places of rows, which come in order, by their two cells."""
    if not len(rows):
        return {}
    first, second = (store.at(name, rows) for name in names)
    order = _order(first, second)
    first, second = first[order], second[order]
    borders = np.flatnonzero((first[1:] != first[:-1]) | (second[1:] != second[:-1])) + 1
    starts = [0, *borders.tolist()]
    parts = np.split(order, borders)
    return {(int(first[at]), int(second[at])): part for at, part in zip(starts, parts, strict=True)}


def _order(first: Column, second: Column) -> Rows:
    """Sort by two cells; most logs have one process, and few streams: small numbers are sorted in one pass."""
    least, most = int(second.min()), int(second.max())
    if (first != first[0]).any() or most - least >= _SMALL:
        return np.lexsort((second, first))
    return np.argsort((second - least).astype(np.uint16), kind="stable")
