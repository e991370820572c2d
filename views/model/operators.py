"""The operator of a row, and the other rows of the same one.

An operator is the node in a kernel's name. Names are few and rows are many, so the names are compared once and the
rows by number.
"""

import numpy as np
import numpy.typing as npt

from getrace.ids import split_kernel_name
from getrace.store.store import Store

CHUNK = 262_144
"""Rows looked at in one step: the nearest of millions is mostly in the first."""


def operator_of(store: Store, row: int) -> str:
    """Give the node that a row's kernel was made for; "" when the row names none."""
    return split_kernel_name(store.kernel(row) or "").node


def kernels_of_operator(store: Store, operator: str) -> npt.NDArray[np.int64]:
    """Give the numbers of all kernel names of an operator."""
    wanted = store.names.matching(lambda name: split_kernel_name(name).node == operator)
    return np.array(wanted, np.int64)


def next_of_operator(store: Store, row: int, direction: int) -> int:
    """Give the next (1) or previous (-1) row of the operator of ``row``; -1 when there is none, or no operator."""
    operator = operator_of(store, row)
    if not operator:
        return -1
    return next_where(store.column("kernel"), kernels_of_operator(store, operator), row, direction)


def next_where(column: npt.NDArray[np.int64], wanted: npt.NDArray[np.int64], row: int, direction: int) -> int:
    """Give the next row in a direction, not ``row`` itself, whose cell is one of ``wanted``; -1 when there is none."""
    if direction > 0:
        for start in range(row + 1, len(column), CHUNK):
            hits = np.flatnonzero(np.isin(column[start : start + CHUNK], wanted))
            if len(hits):
                return start + int(hits[0])
        return -1
    for end in range(max(row, 0), 0, -CHUNK):
        start = max(end - CHUNK, 0)
        hits = np.flatnonzero(np.isin(column[start:end], wanted))
        if len(hits):
            return start + int(hits[-1])
    return -1
