"""Which rows of a long log are read one by one: by their level, and from both ends where there are too many.

A log with a million errors repeats itself. What began it stands early and what ended the process stands late, so both
are read; if each analysis cut as it liked, one would speak of lines that another never saw.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from getrace.events import Level
from getrace.store.columns import Column
from getrace.store.store import Store


def at_levels(store: Store, levels: Iterable[Level]) -> npt.NDArray[np.bool_]:
    """Say of each row whether its level is one of some."""
    table = np.zeros(256, bool)
    table[[int(each) for each in levels]] = True
    wanted: npt.NDArray[np.bool_] = table[store.column("level")]
    return wanted


def both_ends(rows: Column, count: int) -> Column:
    """Keep the first two thirds and the last third of ``count`` rows."""
    if len(rows) <= count:
        return rows
    last = count // 3
    return np.concatenate((rows[: count - last], rows[-last:]))
