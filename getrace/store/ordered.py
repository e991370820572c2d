"""A store whose rows stand in the order of their times, process by process.

A log may be written late: a thread's buffer reaches the file after lines that are younger. Who joins records by row
asks for this order instead; everything else reads a store as it stands in its files.
"""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from getrace.clock import NS_PER_SECOND
from getrace.events import Event
from getrace.store.columns import Column, none_of
from getrace.store.store import Store

LATE_NS = 5 * NS_PER_SECOND
"""How late a record may stand. What is older yet was not written late: the clock was set, or a piece of another time
was pasted. There a new stretch of the log begins, and the order holds within each stretch."""

Order = npt.NDArray[np.intp]


class Reordered(Store):
    """The rows of another store in another order; names, sources and graphs are the other's own."""

    def __init__(self, store: Store, order: Order) -> None:
        super().__init__()
        self._store = store
        self._order = order
        self._columns: dict[str, Column] = {}
        self.names = store.names
        self.sources = store.sources
        self.graphs = store.graphs

    @property
    def rows(self) -> int:
        """How many rows the other store had when the order was made."""
        return len(self._order)

    def column(self, name: str) -> Column:
        """Give a column in the new order; it is made when it is first asked for."""
        if name not in self._columns:
            self._columns[name] = self._store.column(name)[self._order]
        return self._columns[name]

    def event(self, row: int) -> Event:
        """Give the event of a row."""
        return self._store.event(self.row_in_file(row))

    def text(self, row: int) -> str:
        """Give the record of a row."""
        return self._store.text(self.row_in_file(row))

    def said(self, rows: Sequence[int]) -> list[Hashable]:
        """Give what is equal for rows that say the same."""
        return self._store.said([self.row_in_file(row) for row in rows])

    def texts(self, rows: Column, limit: int) -> Iterator[str]:
        """Give the records of many rows."""
        return self._store.texts(self._order[rows], limit)

    def row_in_file(self, row: int) -> int:
        """Give the row of the other store that stands here."""
        return int(self._order[row])


def in_time_order(store: Store) -> Store:
    """Give a store whose processes tell everything in the order of time: the same one when it already does.

    Each process keeps the places that it had among the others, and rows of one time keep their order. A record without
    a time belongs to the moment of the record before it. No record moves over one that is ``LATE_NS`` younger.
    """
    order = _order(store)
    return store if np.array_equal(order, np.arange(len(order))) else Reordered(store, order)


def _order(store: Store) -> Order:
    pid, time = store.column("pid"), store.column("time")
    places = np.argsort(pid, kind="stable")
    order = np.empty(len(places), np.intp)
    borders = np.flatnonzero(np.diff(pid[places])) + 1
    for own in np.split(places, borders):
        filled = _filled(time[own])
        order[own] = own if np.all(filled[1:] >= filled[:-1]) else own[np.lexsort((filled, _stretches(filled)))]
    return order


def _filled(time: Column) -> Column:
    """Give a record without a time that of the one before it; what stands before the first time stays first."""
    timed = np.where(time != none_of("time"), np.arange(len(time)), 0)
    return time[np.maximum.accumulate(timed)]


def _stretches(time: Column) -> Column:
    """Number the stretches of a process between which its clock went back."""
    newest, number, numbers = none_of("time"), 0, []
    for moment in time.tolist():
        if moment < newest - LATE_NS:
            newest, number = moment, number + 1
        newest = max(newest, moment)
        numbers.append(number)
    return np.array(numbers)
