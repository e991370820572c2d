"""Rows sorted into groups of the same two cells, once: looking through all rows for each wait would be square."""

from collections.abc import Iterator

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
    least = int(second.min())
    # Most logs have one process and few streams: small numbers are sorted in one pass.
    if int(second.max()) - least < _SMALL and not (first != first[0]).any():
        own = int(first[0])
        return {(own, number + least): places for number, places in _by_number((second - least).astype(np.uint16))}
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    borders = np.flatnonzero((first[1:] != first[:-1]) | (second[1:] != second[:-1])) + 1
    starts = [0, *borders.tolist()]
    parts = np.split(order, borders)
    return {(int(first[at]), int(second[at])): part for at, part in zip(starts, parts, strict=True)}


def _by_number(numbers: Column) -> Iterator[tuple[int, Rows]]:
    """Give the places of each of some small numbers."""
    counts = np.bincount(numbers)
    known = np.flatnonzero(counts)
    parts = np.split(np.argsort(numbers, kind="stable"), np.cumsum(counts[known])[:-1])
    return zip(known.tolist(), parts, strict=True)
