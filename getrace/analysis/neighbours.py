"""The records of one process around a row, found without looking through the whole log.

What belongs to a moment stands near it; the rows of a process in a log of one process are the whole log.
"""

import numpy as np

from getrace.store.columns import Column
from getrace.store.store import Store

_WIDER = 4


def around(store: Store, pid: int, row: int, count: int) -> Column:
    """Give the last ``count`` rows of a process before a row, and ``count`` from that row on, in order."""
    column = store.column("pid")
    before, after = _first(column[:row][::-1], pid, count), _first(column[row:], pid, count)
    return np.concatenate((row - 1 - before[::-1], row + after))


def _first(column: Column, number: int, count: int) -> Column:
    """Give the first places at which a column holds a number; no more of it is looked at than that takes."""
    reach = count
    while True:
        found = np.flatnonzero(column[:reach] == number)
        if len(found) >= count or reach >= len(column):
            return found[:count]
        reach *= _WIDER
