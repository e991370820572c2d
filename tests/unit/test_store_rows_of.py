"""Rows by kind are found anew when a store changes, in whatever way."""

import numpy as np
from handmade import HandLog
from handmade_failures import ge

from getrace.events.markers import KernelEnd, ModelEnd
from getrace.events.text import LogLine
from getrace.store.store import Store


def rows(store: Store) -> tuple[list[int], list[int]]:
    return store.rows_of(ModelEnd, KernelEnd).tolist(), store.rows_of(LogLine, ModelEnd).tolist()


def test_rows_of_a_kind_follow_every_change_of_the_columns() -> None:
    log = HandLog()
    log.say(ge("first"))
    log.say(ModelEnd())
    log.say(ge("second"))
    store = log.store()
    assert rows(store) == ([1], [0, 1, 2])
    numbers = store.column("kind").tolist()
    store.columns.put("kind", [2], [numbers[1]])
    assert rows(store) == ([1, 2], [0, 1, 2])
    store.columns.order_from(0, np.array([1, 0, 2]))
    assert rows(store) == ([0, 2], [0, 1, 2])
    store.columns.take(np.array([0, 1]))
    assert rows(store) == ([0], [0, 1])
    store.columns.extend(1, {"kind": numbers[1]})
    assert rows(store) == ([0, 2], [0, 1, 2])
