"""Rows sorted into groups of the same two cells, once: looking through all rows for each wait would be square."""

import numpy as np
import numpy.typing as npt

from getrace.store.store import Store

Rows = npt.NDArray[np.intp]
Key = tuple[int, int]
"""Process, and a stream, a thread or an event of it."""
NO_ROWS: Rows = np.empty(0, np.intp)


def grouped(store: Store, rows: Rows, *names: str) -> dict[Key, Rows]:
    """Sort rows into groups of the same two cells, each in row order."""
    first, second = (store.at(name, rows) for name in names)
    order = np.lexsort((rows, second, first))
    rows, first, second = rows[order], first[order], second[order]
    borders = np.flatnonzero((np.diff(first) != 0) | (np.diff(second) != 0)) + 1
    parts = np.split(rows, borders) if len(rows) else []
    starts = [0, *borders.tolist()]
    return {(int(first[at]), int(second[at])): part for at, part in zip(starts, parts, strict=False)}
