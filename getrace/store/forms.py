"""The forms of a column: one number for all rows, the rows that have a value, or a number for each row.

Scanners give blocks in these forms, columns grow in them, and the cache keeps them; were each to choose its own,
columns of which nearly all rows say nothing would be made whole at every border.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Sparse(NamedTuple):
    """Rows that have a value, in order, and their values; all other rows have none."""

    rows: Array
    values: Array


Form = int | Sparse | Array
"""A column in its smallest form: one number for all rows, some rows, or all."""


def sparse_of(values: Array, none: int) -> Sparse:
    """Give the rows of a column that have a value."""
    rows = np.flatnonzero(values != none)
    return Sparse(rows, values[rows])


def whole_of(form: Form, count: int, none: int, dtype: npt.DTypeLike) -> Array:
    """Give a column of ``count`` rows as a number for each row; it may be read only."""
    if not isinstance(form, Sparse):
        return np.broadcast_to(np.asarray(form, dtype), count)
    column = np.full(count, none, dtype)
    column[form.rows] = form.values
    return column


def chosen(form: Form, rows: npt.NDArray[np.intp], count: int) -> Form:
    """Give some rows, in order, of a column that has ``count``."""
    if isinstance(form, int):
        return form
    if not isinstance(form, Sparse):
        return form[rows]
    place = np.full(count, -1, np.int64)
    place[rows] = np.arange(len(rows))
    moved = place[form.rows]
    return Sparse(moved[moved >= 0], form.values[moved >= 0])


def renamed(form: Form, ids: Sequence[int], none: int, dtype: npt.DTypeLike) -> Form:
    """Give a column of ids of names with the ids that another table has for the same names."""
    if isinstance(form, Sparse):
        return Sparse(form.rows, np.array(ids, dtype)[form.values])
    found = np.array([none, *ids], dtype)[np.maximum(np.asarray(form, np.int64), -1) + 1]
    return int(found) if isinstance(form, int) else found


def merged(forms: tuple[Form, Form], counts: tuple[int, int], places: Array, none: int, dtype: npt.DTypeLike) -> Form:
    """Put two columns together: ``places`` says where each row of the first goes, and then each of the second."""
    if all(isinstance(form, int) for form in forms) and forms[0] == forms[1]:
        return forms[0]
    if not any(isinstance(form, Sparse) for form in forms):
        column = np.empty(sum(counts), dtype)
        for form, own in zip(forms, np.split(places, counts[:1]), strict=True):
            column[own] = form
        return column
    parts = [_sparse(form, count, none, dtype) for form, count in zip(forms, counts, strict=True)]
    rows = places[np.concatenate((parts[0].rows, parts[1].rows + counts[0]))]
    order = np.argsort(rows, kind="stable")
    return Sparse(rows[order], np.concatenate((parts[0].values, parts[1].values))[order])


def _sparse(form: Form, count: int, none: int, dtype: npt.DTypeLike) -> Sparse:
    if isinstance(form, Sparse):
        return Sparse(form.rows.astype(np.int64), form.values)
    return sparse_of(whole_of(form, count, none, dtype), none)
