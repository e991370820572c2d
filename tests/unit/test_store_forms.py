"""Forms of columns: chosen, put together and renamed without being made whole; columns that grow in them."""

import numpy as np
import pytest

from getrace.store.columns import Columns, none_of
from getrace.store.forms import Array, Form, Sparse, chosen, merged, renamed, sparse_of, whole_of

NONE = none_of("addr")


def sparse(**cells: int) -> Sparse:
    """Give rows with values: ``r3=7`` is row 3."""
    return Sparse(np.array([int(row[1:]) for row in cells]), np.array(list(cells.values())))


def listed(form: Form, count: int) -> list[int | None]:
    return [None if value == NONE else value for value in whole_of(form, count, NONE, "i8").tolist()]


def test_a_form_and_its_whole_column_say_the_same() -> None:
    column = np.array([NONE, 5, NONE, 0])
    assert listed(sparse_of(column, NONE), 4) == [None, 5, None, 0]
    assert listed(7, 2) == [7, 7]
    assert listed(column, 4) == [None, 5, None, 0]


@pytest.mark.parametrize(
    ("form", "expected"),
    [(4, [4, 4, 4]), (np.array([1, 2, 3, 4, 5]), [2, 3, 5]), (sparse(r0=9, r2=8, r4=7), [None, 8, 7])],
)
def test_some_rows_of_a_column(form: Form, expected: list[int | None]) -> None:
    assert listed(chosen(form, np.array([1, 2, 4]), 5), 3) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (3, 3, [3, 3, 3, 3]),
        (3, np.array([1, 2]), [1, 3, 2, 3]),
        (sparse(r1=5), NONE, [None, None, None, 5]),
        (sparse(r0=4), sparse(r0=6), [6, 4, None, None]),
        (np.array([7, 8]), sparse(r1=9), [None, 7, 9, 8]),
        (NONE, 2, [2, None, 2, None]),
    ],
)
def test_two_columns_in_one(first: Form, second: Form, expected: list[int | None]) -> None:
    assert listed(merged((first, second), (2, 2), np.array([1, 3, 0, 2]), NONE, "i8"), 4) == expected


def test_names_are_exchanged_in_every_form() -> None:
    none = none_of("kernel")
    assert renamed(1, [10, 20], none, "i4") == 20
    assert renamed(none, [10, 20], none, "i4") == none
    whole = renamed(np.array([0, none, 1]), [10, 20], none, "i4")
    assert isinstance(whole, np.ndarray)
    assert whole.tolist() == [10, none, 20]
    few = renamed(sparse(r4=1), [10, 20], none, "i4")
    assert isinstance(few, Sparse)
    assert (few.rows.tolist(), few.values.tolist()) == ([4], [20])


def is_whole(columns: Columns, name: str) -> bool:
    return isinstance(columns.form(name), np.ndarray)


def test_a_column_of_few_rows_stays_one_until_a_quarter_has_a_value() -> None:
    columns = Columns()
    columns.extend(8, {"addr": sparse(r3=1)})
    columns.extend(8, {"addr": np.array([NONE] * 7 + [2])})
    assert not is_whole(columns, "addr")
    assert (columns.told("addr").tolist(), columns.at("addr", np.array([3, 4, 15])).tolist()) == ([3, 15], [1, NONE, 2])
    columns.extend(4, {"addr": 6})
    assert is_whole(columns, "addr")
    assert listed(columns.view("addr"), 20) == [None] * 3 + [1] + [None] * 11 + [2] + [6] * 4


@pytest.mark.parametrize(
    ("rows", "values", "expected"),
    [
        ([30], [9], {3: 1, 20: 2, 30: 9}),
        ([20, 3], [8, NONE], {20: 8}),
        ([5, 5], [8, 9], {3: 1, 5: 9, 20: 2}),
        ([], [], {3: 1, 20: 2}),
    ],
)
def test_cells_of_a_column_of_few_rows_are_set(rows: list[int], values: list[int], expected: dict[int, int]) -> None:
    columns = Columns()
    columns.extend(40, {"addr": sparse(r3=1, r20=2)})
    columns.put("addr", rows, values)
    assert not is_whole(columns, "addr")
    told = columns.told("addr")
    assert dict(zip(told.tolist(), columns.at("addr", told).tolist(), strict=True)) == expected
    assert [row for row, value in enumerate(listed(columns.view("addr"), 40)) if value is not None] == sorted(expected)


def test_cells_that_were_set_behind_all_others_are_found() -> None:
    columns = Columns()
    columns.extend(20, {"addr": sparse(r3=1)})
    columns.extend(20, {"addr": sparse(r2=2)})
    columns.put("addr", [30, 38], [9, 8])
    assert columns.at("addr", np.array([3, 4, 22, 30, 31, 38])).tolist() == [1, NONE, 2, 9, NONE, 8]


def test_many_cells_that_are_set_make_the_column_whole() -> None:
    columns = Columns()
    columns.extend(8, {})
    columns.put("addr", [1, 2, 3], [4, 5, 6])
    assert is_whole(columns, "addr")
    assert columns.view("addr")[1:4].tolist() == [4, 5, 6]


def test_what_is_given_to_a_column_may_be_used_again() -> None:
    columns, given = Columns(), np.arange(5)
    columns.extend(5, {"time": given})
    given[:] = 0
    assert columns.view("time").tolist() == [0, 1, 2, 3, 4]


def test_expected_rows_need_no_further_memory() -> None:
    columns = Columns(4)
    columns.expect(1000)
    columns.extend(10, {"time": np.arange(10)})
    before: Array = columns.view("time")
    columns.extend(900, {"time": np.arange(900)})
    assert np.shares_memory(before, columns.view("time"))
