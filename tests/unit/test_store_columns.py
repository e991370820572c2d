"""Columns: growth in memory and in files, adopting and dropping rows."""

from pathlib import Path

import numpy as np
import pytest

from getrace.store.column_files import ColumnFiles
from getrace.store.columns import Column, Columns, none_of


def filled(columns: Columns, rounds: int) -> None:
    for number in range(rounds):
        columns.extend(100, {"time": np.arange(100) + 100 * number, "pid": 7})


def test_columns_that_outgrow_memory_go_on_in_files_and_hold_the_same(tmp_path: Path) -> None:
    small, large = Columns(16, ColumnFiles(str(tmp_path)), in_memory=4000), Columns(16)
    for columns in (small, large):
        filled(columns, 50)
        columns.put("addr", [4999, 3], [5, 6])
        filled(columns, 2)
    for name in ("time", "pid", "addr", "kernel"):
        assert np.array_equal(small.view(name), large.view(name)), name
    assert small.view("addr")[[3, 4, 4999, 5199]].tolist() == [6, none_of("addr"), 5, none_of("addr")]
    assert list(tmp_path.iterdir()) == []


def test_a_view_of_a_column_outlives_its_growth(tmp_path: Path) -> None:
    columns = Columns(16, ColumnFiles(str(tmp_path)), in_memory=100)
    filled(columns, 1)
    before = columns.view("time")
    filled(columns, 100)
    assert before.tolist() == list(range(100))


class _NoRoom:
    def grown(self, name: str, dtype: str, capacity: int) -> Column:
        raise OSError(28, f"no room for {name} {dtype} {capacity}")


def test_without_room_on_the_disk_columns_stay_in_memory() -> None:
    columns = Columns(16, _NoRoom(), in_memory=100)
    filled(columns, 10)
    assert columns.view("time").tolist() == list(range(1000))


def test_dropping_rows_leaves_the_others_in_order() -> None:
    columns = Columns()
    filled(columns, 1)
    columns.take(np.array([5, 3, 9]))
    assert (columns.length, columns.view("time").tolist()) == (3, [5, 3, 9])
    filled(columns, 1)
    assert columns.length == 103


def test_adopted_columns_can_be_read_changed_and_extended() -> None:
    columns = Columns()
    filled(columns, 1)
    columns.adopt({"time": np.array([1, 2, 3])}, 3)
    columns.put("pid", [1], [9])
    columns.extend(1, {"time": [4]})
    assert columns.view("time").tolist() == [1, 2, 3, 4]
    assert columns.view("pid").tolist() == [none_of("pid"), 9, none_of("pid"), none_of("pid")]


@pytest.mark.parametrize("name", ["time", "line"])
def test_a_column_without_a_value_has_none_in_every_row(name: str) -> None:
    columns = Columns()
    columns.extend(3, {"pid": 1})
    assert columns.view(name).tolist() == [none_of(name)] * 3
