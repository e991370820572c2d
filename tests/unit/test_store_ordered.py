"""Rows in the order of time: by process, stable, and the same store when nothing has to move."""

import pytest
from handmade import START_NS, HandLog

from getrace.events.markers import KernelEnd, ModelEnd
from getrace.store.columns import none_of
from getrace.store.ordered import Reordered, in_time_order
from getrace.store.store import Store

_NONE = none_of("time")


def log_of(*records: tuple[str, int, int]) -> Store:
    """Make a log of (kernel, pid, microsecond)."""
    log = HandLog()
    for kernel, pid, _ in records:
        log.say(KernelEnd(), kernel, pid=pid)
    store = log.store()
    times = [at if at == _NONE else START_NS + at * 1_000 for _, _, at in records]
    store.columns.put("time", list(range(len(records))), times)
    return store


@pytest.mark.parametrize(
    ("records", "kernels"),
    [
        ((("a", 1, 30), ("b", 1, 10), ("c", 1, 20)), ["b", "c", "a"]),
        ((("a", 1, 30), ("x", 2, 99), ("b", 1, 10), ("y", 2, 5)), ["b", "y", "a", "x"]),
        ((("a", 1, 30), ("a2", 1, _NONE), ("b", 1, 10), ("b2", 1, _NONE)), ["b", "b2", "a", "a2"]),
        ((("a", 1, _NONE), ("b", 1, 20), ("c", 1, 10)), ["a", "c", "b"]),
        ((("a", 1, 30), ("b", 1, 10), ("x", 2, _NONE), ("y", 2, 50)), ["b", "a", "x", "y"]),
        ((("a", 1, 9_000_000), ("b", 1, 100), ("c", 1, 90), ("d", 1, 5_000_000)), ["a", "c", "b", "d"]),
        ((("a", 1, 9_000_000), ("b", 1, 4_000_000)), ["b", "a"]),
        ((("a", 1, 20), ("b", 1, 10), ("c", 1, 20), ("d", 1, 10)), ["b", "d", "a", "c"]),
    ],
    ids=[
        "late",
        "processes-apart",
        "without-a-time",
        "no-time-yet",
        "no-time-of-a-neighbour",
        "clock-set",
        "just-late",
        "same-time",
    ],
)
def test_each_process_tells_in_the_order_of_time(records: tuple[tuple[str, int, int], ...], kernels: list[str]) -> None:
    store = in_time_order(log_of(*records))
    assert [store.kernel(row) for row in range(store.rows)] == kernels
    assert [f"[INFO] [KernelTrace][{kernel}]kernel_end" for kernel in kernels] == [
        store.text(row) for row in range(store.rows)
    ]


def test_a_row_knows_its_place_in_the_file() -> None:
    store = in_time_order(log_of(("a", 1, 30), ("b", 1, 10)))
    assert isinstance(store, Reordered)
    assert [store.row_in_file(row) for row in range(2)] == [1, 0]
    assert store.column("line").tolist() == [2, 1]
    assert store.rows_of(KernelEnd).tolist() == [0, 1]


def test_a_log_in_order_is_not_made_anew() -> None:
    store = log_of(("a", 1, 10), ("x", 2, 5), ("b", 1, 10), ("c", 1, _NONE))
    assert in_time_order(store) is store


def test_an_empty_log_is_in_order() -> None:
    store = HandLog().store()
    assert in_time_order(store) is store


def test_rows_that_hold_a_number_are_those_of_the_new_order() -> None:
    store = in_time_order(log_of(("a", 1, 30), ("b", 2, 10), ("c", 1, 20), ("d", 2, 40), ("e", 1, 5)))
    assert [store.kernel(row) for row in range(5)] == ["e", "b", "c", "d", "a"]
    assert store.holding("pid", 1, KernelEnd).tolist() == [0, 2, 4]
    assert store.holding("pid", 2, KernelEnd).tolist() == [1, 3]
    assert store.holding("pid", 2, ModelEnd).tolist() == []
