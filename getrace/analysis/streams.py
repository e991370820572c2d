"""Launches and the lives of RT streams: what lets an error of the device find the kernel that was launched.

A runtime's stream ids live again after a destroy, and two counters of one task may differ after that
(spec/kerneltrace.md 3.9 rule 8): the id in a stream's task list is the one to trust. The thread never takes part in a
join (rule 7). RT stream ids only; the logical streams of memory lines are another thing.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from getrace.events.aicpu import TfLaunch2023
from getrace.events.device import (
    StreamCreated,
    StreamDestroyed,
    TaskListed,
    TaskSubmitted,
)
from getrace.events.launch import GuideLaunch, TaskIds
from getrace.store.store import Store

_CREATE_TASK = "CREATE_STREAM"


_BETWEEN = 2
"""Other records of a thread between the two of one task, at most: real logs have one."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel that says which task it became; ``life`` is the life of its stream.

    ``task`` is the id that the runtime's lines should have for it. ``other`` is a second id that the kernel printed:
    task ids wrap at 16 bits, and the kernel prints both counts.
    """

    row: int
    pid: int
    kernel: str
    rt_stream: int | None
    task: int
    life: int
    other: int | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers under which other records may speak of the task."""
        return (self.task,) if self.other is None else (self.task, self.other)


@dataclass(frozen=True, slots=True)
class StreamLife:
    """One life of an RT stream, as rows; None: the log does not show that end."""

    pid: int
    rt_stream: int
    created: int | None
    destroyed: int | None


class _Step(Enum):
    """What happens to a stream: its create task was submitted, the API made it, the API destroyed it."""

    TASK = auto()
    MADE = auto()
    DESTROYED = auto()


class StreamLives:
    """The lives of all streams of a log; ``number`` tells two lives of one id apart."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._births: dict[tuple[int, int], list[int]] = {}

    def number(self, pid: int, rt_stream: int, row: int) -> int:
        """Give the number of the life that a stream is in at a row; 0 is the life before the first creation seen."""
        return bisect_right(self._births_of(pid, rt_stream), row)

    def born(self, pid: int, rt_stream: int, row: int) -> int:
        """Give the row at which the life that a stream is in at a row began; 0 for the life before the first."""
        number = self.number(pid, rt_stream, row)
        return self._births_of(pid, rt_stream)[number - 1] if number else 0

    @property
    def lives(self) -> list[StreamLife]:
        """All lives of all streams, in the order of their rows."""
        store = self._store
        told = store.rows_of(TaskSubmitted, StreamCreated, StreamDestroyed)
        keys = set(zip(store.column("pid")[told].tolist(), store.at("rt_stream", told).tolist(), strict=True))
        found = [life for key in keys for life in self._lives_of(*key)]
        return sorted(found, key=lambda life: (life.created or -1, life.destroyed or -1))

    def _births_of(self, pid: int, rt_stream: int) -> list[int]:
        """Give the rows at which a stream began to live; only the streams that are asked for are read."""
        key = (pid, rt_stream)
        if key not in self._births:
            born = [life.created for life in self._lives_of(pid, rt_stream)]
            self._births[key] = [row for row in born if row is not None]
        return self._births[key]

    def _lives_of(self, pid: int, rt_stream: int) -> list[StreamLife]:
        """Read the lives of one stream, in order."""
        lives: list[StreamLife] = []
        living: int | None = None
        unconfirmed = False
        for row, step in _life_events(self._store, pid, rt_stream):
            if step is _Step.MADE and unconfirmed:
                # The API's line follows the create task and tells of the same birth.
                unconfirmed = False
                continue
            ends = step is _Step.DESTROYED
            if ends or living is not None:
                lives.append(StreamLife(pid, rt_stream, living, row if ends else None))
            unconfirmed = step is _Step.TASK
            living = None if ends else row
        return lives if living is None else [*lives, StreamLife(pid, rt_stream, living, None)]


def _life_events(store: Store, pid: int, rt_stream: int) -> Iterable[tuple[int, _Step]]:
    submitted, told = (
        rows[store.column("pid")[rows] == pid]
        for kinds in ((TaskSubmitted,), (StreamCreated, StreamDestroyed))
        for rows in (store.holding("rt_stream", rt_stream, *kinds),)
    )
    made = submitted[store.may_end_in(submitted, f"({_CREATE_TASK})".encode())]
    for row in sorted([*told.tolist(), *made.tolist()]):
        event = store.event(row)
        if isinstance(event, StreamCreated):
            step = _Step.MADE
        elif isinstance(event, StreamDestroyed):
            step = _Step.DESTROYED
        elif isinstance(event, TaskSubmitted) and event.type_name == _CREATE_TASK:
            step = _Step.TASK
        else:
            continue
        yield row, step


def launches(store: Store, lives: StreamLives) -> list[Launch]:
    """Give the launch list: every kernel that prints its task, in row order."""
    renamed = renamed_tasks(store, lives, store.rows_of(TaskSubmitted, TaskListed).tolist())
    rows = store.rows_of(TaskIds, TfLaunch2023, GuideLaunch).tolist()
    found = (launch_of(store, lives, renamed, row) for row in rows)
    return [launch for launch in found if launch is not None]


def launch_of(
    store: Store, lives: StreamLives, renamed: Mapping[tuple[int, int, int, int], int], row: int
) -> Launch | None:
    """Read the launch that a row prints; None for a row that is none. ``renamed`` is what ``renamed_tasks`` gave."""
    event, kernel = store.event(row), store.kernel(row)
    if not isinstance(event, TaskIds | TfLaunch2023 | GuideLaunch) or kernel is None:
        return None
    pid, stream = _pid(store, row), event.rt_stream
    printed = event.task if isinstance(event, GuideLaunch) else event.flip_task
    life = 0 if stream is None else lives.number(pid, stream, row)
    listed = None if stream is None else renamed.get((pid, stream, life, printed))
    other = event.task if listed is None and event.task != printed else None
    return Launch(row, pid, kernel, stream, printed if listed is None else listed, life, other)


def renamed_tasks(store: Store, lives: StreamLives, rows: Iterable[int]) -> dict[tuple[int, int, int, int], int]:
    """Map (process, stream, life, submitted id) to the id in the stream's list, where the two differ.

    ``rows`` are those of TaskSubmitted and TaskListed that are to be read, in order.
    """
    submitted: dict[tuple[int, int, int, int], tuple[int, int]] = {}
    renamed = {}
    tid = store.column("tid")
    for row in rows:
        event = store.event(row)
        if not isinstance(event, TaskSubmitted | TaskListed):
            continue
        pid = _pid(store, row)
        # One thread prints both lines of a task, one after the other.
        key = (pid, int(tid[row]), event.rt_stream, event.type)
        if isinstance(event, TaskSubmitted):
            submitted[key] = row, event.task
            continue
        at, before = submitted.pop(key, (row, event.task))
        # Where lines are lost, the second line of one task would follow the first of another.
        if before != event.task and np.count_nonzero(tid[at + 1 : row] == tid[row]) <= _BETWEEN:
            renamed[pid, event.rt_stream, lives.number(pid, event.rt_stream, row), before] = event.task
    return renamed


def _pid(store: Store, row: int) -> int:
    return int(store.column("pid")[row])
