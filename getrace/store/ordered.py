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

_STEP = 256
_STRETCH = 1 << 20


class Reordered(Store):
    """The rows of another store in another order; names, sources and graphs are the other's own."""

    def __init__(self, store: Store, order: Order) -> None:
        super().__init__()
        self._store = store
        self._order = order
        # Few rows of a log are late: all others stay, and copying them is cheaper than looking each up.
        self._moved = _moved(order)
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
            column = self._store.column(name)
            if column.strides != (0,):  # else it is one number for all rows
                column = column.copy()
                column[self._moved] = column[self._order[self._moved]]
            self._columns[name] = column
        return self._columns[name]

    def at(self, name: str, rows: Column) -> Column:
        """Give a column in some rows of the new order."""
        return self._store.at(name, self._order[rows])

    def told(self, name: str) -> Column:
        """Give the rows of which a column says something, in the new order."""
        return self._here(self._store.told(name))

    def holding(self, name: str, number: int, *kinds: type[Event]) -> Column:
        """Give the rows of some kinds in which a column holds a number, in the new order."""
        return self._here(self._store.holding(name, number, *kinds))

    def _here(self, rows: Column) -> Column:
        """Give where some rows of the other store stand here, in order."""
        marks = np.zeros(self.rows, bool)
        marks[rows] = True
        return np.flatnonzero(marks[self._order])

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

    def may_end_in(self, rows: Column, words: bytes) -> Column:
        """Say of each of some rows whether its line may end in words."""
        return self._store.may_end_in(self._order[rows], words)

    def row_in_file(self, row: int) -> int:
        """Give the row of the other store that stands here."""
        return int(self._order[row])


def _moved(order: Order) -> Order:
    """Give the rows that are not in their place, looked for in stretches: all numbers would take as much again."""
    parts = [order[start : start + _STRETCH] for start in range(0, len(order), _STRETCH)]
    found = [
        np.flatnonzero(part != np.arange(len(part)) + at * _STRETCH) + at * _STRETCH for at, part in enumerate(parts)
    ]
    return np.concatenate(found) if found else np.empty(0, np.intp)


def in_time_order(store: Store) -> Store:
    """Give a store whose processes tell everything in the order of time: the same one when it already does.

    Each process keeps the places that it had among the others, and rows of one time keep their order. A record without
    a time belongs to the moment of the record before it. No record moves over one that is ``LATE_NS`` younger.
    """
    order = _order(store)
    return store if order is None else Reordered(store, order)


def _order(store: Store) -> Order | None:
    """Give the order, None when every row stands where it should."""
    pid, time = store.column("pid"), store.column("time")
    if np.all(time[1:] >= time[:-1]) and (len(time) == 0 or time[0] != none_of("time")):
        return None
    order: Order | None = None
    for own in _processes(pid):
        late = _sorted_places(_filled(time if own is None else time[own]))
        if late is None:
            continue
        places, inside = late
        if order is None:
            order = np.arange(len(pid))
        order[places if own is None else own[places]] = inside if own is None else own[inside]
    return order


def _processes(pid: Column) -> list[Order | None]:
    """Give the rows of each process; None stands for all rows, where there is one process."""
    if not len(pid):
        return []
    starts = np.flatnonzero(np.concatenate(([True], pid[1:] != pid[:-1])))
    if len(np.unique(pid[starts])) == 1:
        return [None]
    places = np.argsort(pid, kind="stable")
    return list(np.split(places, np.flatnonzero(np.diff(pid[places])) + 1))


def _filled(time: Column) -> Column:
    """Give a record without a time that of the one before it; what stands before the first time stays first."""
    none = none_of("time")
    if (time != none).all():
        return time
    timed = np.where(time != none, np.arange(len(time)), 0)
    return time[np.maximum.accumulate(timed)]


def _sorted_places(time: Column) -> tuple[Order, Order] | None:
    """Give the places whose rows may change, and the row that comes to each; None when the times only rise.

    Between two places where nothing later is older and nothing earlier is younger, rows stay among themselves, so only
    the pieces that are mixed up are sorted.
    """
    if np.all(time[1:] >= time[:-1]):
        return None
    mixed = []
    for start, end in _stretches(time):
        own = time[start:end]
        newest, oldest = np.maximum.accumulate(own), np.minimum.accumulate(own[::-1])[::-1]
        # A row may stay when all before it are older and all behind it are younger, or of its time.
        places = np.flatnonzero((own != newest) | (own != oldest)) + start
        mixed.append((places, places[np.argsort(time[places], kind="stable")]))
    moved, inside = zip(*mixed, strict=True)
    return np.concatenate(moved), np.concatenate(inside)


def _stretches(time: Column) -> list[tuple[int, int]]:
    """Give (start, end) of the stretches of a process between which its clock went back.

    A row begins one when it is more than ``LATE_NS`` older than the newest row of the stretch before it. Steps grow
    while nothing is found, so that a log whose clock jumps all the time costs no more than one whose clock does not.
    """
    bounds, start, at, step = [], 0, 0, _STEP
    newest = none_of("time") + LATE_NS  # so that nothing is older by that much, not even a row without a time
    while at < len(time):
        part = time[at : at + step]
        highest = np.maximum(np.maximum.accumulate(part), newest)
        back = np.flatnonzero(part < highest - LATE_NS)
        if len(back):
            at += int(back[0])
            bounds.append((start, at))
            start, newest, step = at, max(int(time[at]), none_of("time") + LATE_NS), _STEP
        else:
            newest, at, step = highest[-1], at + len(part), step * 4
    return [*bounds, (start, len(time))]
