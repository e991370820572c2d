"""A store whose rows stand in the order of their times, process by process.

A log may be written late: a thread's buffer reaches the file after lines that are younger. Who joins records by row
asks for this order instead; everything else reads a store as it stands in its files.
"""

import numpy as np
import numpy.typing as npt

from getrace.events import Event
from getrace.store.columns import Column, none_of
from getrace.store.store import Store

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

    def row_in_file(self, row: int) -> int:
        """Give the row of the other store that stands here."""
        return int(self._order[row])


def in_time_order(store: Store) -> Store:
    """Give a store whose processes tell everything in the order of time: the same one when it already does.

    Each process keeps the places that it had among the others, and rows of one time keep their order. A record without
    a time belongs to the moment of the record before it.
    """
    order = _order(store)
    return store if np.array_equal(order, np.arange(len(order))) else Reordered(store, order)


def _order(store: Store) -> Order:
    pid, time = store.column("pid"), store.column("time")
    places = np.argsort(pid, kind="stable")
    _, process = np.unique(pid[places], return_inverse=True)
    moments = _moments(process.reshape(-1), time[places])
    order = np.empty(len(places), np.intp)
    order[places] = places[np.lexsort((moments, process.reshape(-1)))]
    return order


def _moments(process: Column, time: Column) -> Column:
    """Fill in the times of records without one, by process; what stands before the first time stays first."""
    last = np.where(time != none_of("time"), np.arange(len(time)), -1)
    first = np.concatenate(([True], process[1:] != process[:-1])) if len(time) else np.zeros(0, bool)
    last[first] = np.flatnonzero(first)
    return time[np.maximum.accumulate(last)]
