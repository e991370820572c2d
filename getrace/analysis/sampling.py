"""Which rows of a long log are read one by one where there are too many: those at both ends.

A log with a million errors repeats itself. What began it stands early and what ended the process stands late, so both
are read; if each analysis cut as it liked, one would speak of lines that another never saw.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from getrace.store.columns import Column

Mask = npt.NDArray[np.bool_]
_WIDER = 4


def is_any_of(column: Column, numbers: Iterable[int]) -> Mask:
    """Say of each row of a long column whether it holds one of a few numbers; np.isin takes ten times as long."""
    found = np.zeros(len(column), bool)
    for number in numbers:
        found |= column == number
    return found


def both_ends(rows: Column, count: int) -> Column:
    """Keep the first two thirds and the last third of ``count`` rows."""
    if len(rows) <= count:
        return rows
    last = count // 3
    return np.concatenate((rows[: count - last], rows[-last:]))


def ends_of(marks: Mask, first: int, last: int) -> Column:
    """Give the first and the last rows that are marked, or all where there are no more than both, in order.

    A list of all marked rows of a long log would take more memory than a column.
    """
    if np.count_nonzero(marks) <= first + last:
        return np.flatnonzero(marks)
    return np.concatenate((first_of(marks, first), len(marks) - 1 - first_of(marks[::-1], last)[::-1]))


def first_of(marks: Mask, count: int) -> Column:
    """Give the first ``count`` rows that are marked; no more rows are looked at than that takes."""
    reach = count
    while True:
        found = np.flatnonzero(marks[:reach])
        if len(found) >= count or reach >= len(marks):
            return found[:count]
        reach *= _WIDER
