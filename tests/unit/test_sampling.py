"""Which rows of a long log are read: those at both ends, and those around a row. All expected rows are written out."""

import numpy as np
import pytest
from handmade import HandLog
from handmade_failures import ge

from getrace.analysis.neighbours import around
from getrace.analysis.sampling import both_ends, ends_of, first_of

MARKS = np.array([False, True, True, False, True, False, False, True, True, False, True])
"""Rows 1, 2, 4, 7, 8 and 10."""


@pytest.mark.parametrize(
    ("first", "last", "rows"),
    [(6, 0, [1, 2, 4, 7, 8, 10]), (2, 2, [1, 2, 8, 10]), (1, 1, [1, 10]), (4, 1, [1, 2, 4, 7, 10])],
)
def test_marked_rows_are_taken_from_both_ends(first: int, last: int, rows: list[int]) -> None:
    assert ends_of(MARKS, first, last).tolist() == rows


@pytest.mark.parametrize(("count", "rows"), [(1, [1]), (3, [1, 2, 4]), (99, [1, 2, 4, 7, 8, 10])])
def test_the_first_marked_rows_are_found(count: int, rows: list[int]) -> None:
    assert first_of(MARKS, count).tolist() == rows


def test_two_thirds_are_taken_from_the_beginning() -> None:
    assert both_ends(np.arange(10), 6).tolist() == [0, 1, 2, 3, 8, 9]
    assert both_ends(np.arange(4), 6).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("row", "count", "rows"),
    [
        (6, 2, [0, 4, 6, 8]),
        (7, 1, [6, 8]),
        (0, 2, [0, 4]),
        (12, 3, [4, 6, 8, 12]),
        (6, 50, [0, 4, 6, 8, 12]),
    ],
)
def test_the_rows_of_a_process_around_a_row_are_found(row: int, count: int, rows: list[int]) -> None:
    log = HandLog()
    for number in range(13):
        log.say(ge("words"), pid=1 if number in (0, 4, 6, 8, 12) else 2)
    assert around(log.store(), 1, row, count).tolist() == rows
