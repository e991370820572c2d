"""The queue of each RT stream as the host's log shows it: what was put there, and how far the device had come.

Joined by columns, as a log has millions of tasks; a task's record is read only where a stream stands. A stream does its
tasks in order, so it stands at the first task behind the last one that the host knew to be done. RT numbers only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from getrace.analysis.hangs.grouping import NO_ROWS, Key, Rows, distinct, grouped, places_of
from getrace.analysis.sampling import is_any_of
from getrace.events.device import StreamCreated, TaskFinished, TaskListed, TaskSubmitted
from getrace.store.columns import Column, none_of
from getrace.store.store import Store


@dataclass(frozen=True, slots=True)
class Queue:
    """The tasks of an RT stream in its last life: the row that lists each, and its number.

    ``done`` tasks at the front were known to be done, the last of them at row ``done_row``; None: no line says how far
    the stream had come.
    """

    pid: int
    rt_stream: int
    rows: Rows
    numbers: Column
    done: int | None
    done_row: int | None

    @property
    def head(self) -> int | None:
        """The row of the task at which the stream stands; None when it has none, or when nobody can tell."""
        return int(self.rows[self.done]) if self.done is not None and self.done < len(self.rows) else None

    @property
    def pending(self) -> int | None:
        """How many tasks are not known to be done."""
        return None if self.done is None else len(self.rows) - self.done

    def place_of(self, row: int) -> int | None:
        """Give the place of a task in the queue by the row that lists it."""
        at = int(np.searchsorted(self.rows, row))
        return at if at < len(self.rows) and self.rows[at] == row else None

    def number(self, row: int) -> int | None:
        """Give a task's number by the row that lists it."""
        at = self.place_of(row)
        return None if at is None else int(self.numbers[at])


class Queues:
    """The queues of all streams, as they were at a row."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._made: dict[tuple[Key, int], Queue] = {}

    @cached_property
    def _listed(self) -> Rows:
        """The rows that put a task on a stream; one process prints one of the two lines for each, or both."""
        both, submitted = self._store.rows_of(TaskListed), self._store.rows_of(TaskSubmitted)
        spoken, own = self._store.column("pid")[both], self._store.column("pid")[submitted]
        only = submitted[~is_any_of(own, distinct(spoken).tolist())]
        return np.sort(np.concatenate([both, only])) if len(only) else both

    @cached_property
    def _tasks(self) -> Column:
        """The number of each of these tasks."""
        return self._store.at("task", self._listed)

    @cached_property
    def _by_stream(self) -> dict[Key, Rows]:
        return places_of(self._store, self._listed, "pid", "rt_stream")

    @cached_property
    def _by_thread(self) -> dict[Key, Rows]:
        return grouped(self._store, self._listed, "pid", "tid")

    @cached_property
    def _finished(self) -> dict[Key, Rows]:
        return grouped(self._store, self._store.rows_of(TaskFinished), "pid", "rt_stream")

    @cached_property
    def _births(self) -> dict[Key, Rows]:
        return grouped(self._store, self._store.rows_of(StreamCreated), "pid", "rt_stream")

    def streams(self, pid: int) -> list[int]:
        """Give the RT streams of a process that got a task, in the order of their numbers."""
        return sorted(stream for own, stream in self._by_stream if own == pid)

    def tells_ends(self, pid: int) -> bool:
        """Say whether the process's log tells of any task that it is done."""
        return any(own == pid for own, _ in self._finished)

    def of(self, pid: int, rt_stream: int, until: int) -> Queue:
        """Give a stream's queue as the rows before ``until`` show it."""
        asked = ((pid, rt_stream), until)
        if asked not in self._made:
            self._made[asked] = self._queue(pid, rt_stream, until)
        return self._made[asked]

    def _queue(self, pid: int, rt_stream: int, until: int) -> Queue:
        key = (pid, rt_stream)
        born = self._births.get(key, NO_ROWS)
        born = born[born < until]
        places, ends = (part.get(key, NO_ROWS) for part in (self._by_stream, self._finished))
        listed = self._listed[places]
        since = self._begin(listed, int(born[-1])) if len(born) else 0
        inside = slice(*np.searchsorted(listed, (since, until)))
        rows, numbers = listed[inside], self._tasks[places[inside]]
        ends = ends[slice(*np.searchsorted(ends, (since, until)))]
        if not len(ends):
            return Queue(pid, rt_stream, rows, numbers, 0 if self.tells_ends(pid) else None, None)
        last = int(ends[-1])
        same = np.flatnonzero((numbers == self._store.value("task", last)) & (rows < last))
        return Queue(pid, rt_stream, rows, numbers, int(same[-1]) + 1 if len(same) else None, last)

    def _begin(self, listed: Rows, born: int) -> int:
        """Give the row at which a life begins: the API's line, or that of the task that made the stream before it."""
        at = int(np.searchsorted(listed, born))
        event = self._store.event(int(listed[at - 1])) if at else None
        made = isinstance(event, TaskListed | TaskSubmitted) and event.type_name == _CREATE_TASK
        return int(listed[at - 1]) if made else born

    def task_before(self, row: int) -> int | None:
        """Give the row that lists the task of which a kernel's line tells: the last one of its thread before it."""
        own = self._by_thread.get(self._thread(row), NO_ROWS)
        at = int(np.searchsorted(own, row))
        return int(own[at - 1]) if at else None

    def lines_of(self, row: int, limit: int = 16) -> Iterator[int]:
        """Give rows of KernelTrace that may tell of a listed task: those of its thread before it lists the next one."""
        pid, tid = self._thread(row)
        own = self._by_thread[pid, tid]
        at = int(np.searchsorted(own, row)) + 1
        until = int(own[at]) if at < len(own) else self._store.rows
        columns = (self._store.column(name)[row:until] for name in ("pid", "tid", "kernel"))
        pids, tids, kernels = columns
        told = np.flatnonzero((pids == pid) & (tids == tid) & (kernels != none_of("kernel")))
        yield from (int(found) + row for found in told[:limit])

    def _thread(self, row: int) -> Key:
        return int(self._store.column("pid")[row]), int(self._store.column("tid")[row])


_CREATE_TASK = "CREATE_STREAM"
