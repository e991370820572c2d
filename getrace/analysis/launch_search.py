"""The launches that may have become one task, found among millions without reading each.

The columns of the store say stream and task; only the few records that fit are read. What ``streams.launches`` gives
for a whole log is what this gives for one task of it.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from getrace.analysis.streams import Launch, StreamLives, launch_of, renamed_tasks
from getrace.events import KIND_NUMBER, Event
from getrace.events.aicpu import TfLaunch2023
from getrace.events.device import TaskFinished, TaskListed, TaskSubmitted
from getrace.events.launch import GuideLaunch, TaskIds
from getrace.store.columns import Column, none_of
from getrace.store.store import Store

IN_FLIGHT = 2_000
"""Launches before a row on its stream, and records of a hand-over that name a task in two ways, that are looked
through: a stream holds fewer tasks that are not done."""

_LAUNCHES: tuple[type[Event], ...] = (TaskIds, TfLaunch2023, GuideLaunch)
_FLIP_BITS = 16
_LOW_BITS = 0xFFFF


class LaunchSearch:
    """Asks for the launches on the streams of one log."""

    def __init__(self, store: Store, lives: StreamLives) -> None:
        self._store = store
        self._lives = lives
        self._rows: dict[tuple[tuple[type[Event], ...], int, int], Column] = {}
        self._renamed: dict[tuple[int, int, int], dict[tuple[int, int, int, int], int]] = {}

    def before(self, pid: int, rt_stream: int, task: int, row: int) -> list[Launch]:
        """Give the launches before a row, in the life of the stream there, one of whose numbers may be the task's."""
        own = self._before(_LAUNCHES, pid, rt_stream, row)
        said = self._store.at("task", own)
        listed = self._renamed_at(pid, rt_stream, row) if len(own) else {}
        low = task & _LOW_BITS
        # A kernel prints one number with and without its rounds: the low bits of both are the same (spec 3.5 item 2).
        names = [low, *(printed & _LOW_BITS for (*_, printed), other in listed.items() if other & _LOW_BITS == low)]
        fits = np.isin(said & _LOW_BITS, names) & (said != none_of("task"))
        found = self._read(own[fits], (pid, rt_stream, row))
        return [launch for launch in found if any((number ^ task) & _LOW_BITS == 0 for number in launch.numbers)]

    def last_done(self, pid: int, rt_stream: int, row: int) -> Launch | None:
        """Give the last launch before a row, in the life of the stream there, that the host knew to be done."""
        done = self._before((TaskFinished,), pid, rt_stream, row)
        known = frozenset(self._store.at("task", done).tolist())
        own = self._before(_LAUNCHES, pid, rt_stream, row)[::-1][:IN_FLIGHT] if known else ()
        return next((launch for launch in self._read(own, (pid, rt_stream, row)) if launch.task in known), None)

    def came_round(self, launch: Launch, row: int) -> bool:
        """Say whether the task numbers of a launch's stream began again between it and a row.

        They did when a later launch counts more rounds, or has the number of an earlier one of another kernel.
        """
        if launch.rt_stream is None:
            return False
        own = self._before(_LAUNCHES, launch.pid, launch.rt_stream, row)
        flip, task, kernel = (self._store.at(name, own) for name in ("flip", "task", "kernel"))
        rounds = np.where(flip == none_of("flip"), task >> _FLIP_BITS, flip)
        numbers = (rounds << _FLIP_BITS) | (task & _LOW_BITS)
        later = own > launch.row
        if (rounds[later] > max(launch.numbers) >> _FLIP_BITS).any():
            return True
        again = np.isin(numbers[later], numbers[~later])
        before = set(zip(numbers[~later].tolist(), kernel[~later].tolist(), strict=True)) if again.any() else set()
        said = zip(numbers[later][again].tolist(), kernel[later][again].tolist(), strict=True)
        return any(each not in before for each in said)

    def kernels(self, pid: int) -> list[str]:
        """Give the kernels of a process that print which task they became."""
        rows = self._store.rows_of(*_LAUNCHES)
        kernel = self._store.column("kernel")[rows[self._store.column("pid")[rows] == pid]]
        known = kernel[kernel != none_of("kernel")]
        return [self._store.names.text(number) for number in np.flatnonzero(np.bincount(known, minlength=1)).tolist()]

    def _read(self, rows: Sequence[int] | Column, where: tuple[int, int, int]) -> Iterator[Launch]:
        renamed = self._renamed_at(*where) if len(rows) else {}
        for row in map(int, rows):
            launch = launch_of(self._store, self._lives, renamed, row)
            if launch is not None:
                yield launch

    def _renamed_at(self, pid: int, rt_stream: int, row: int) -> dict[tuple[int, int, int, int], int]:
        """Give the tasks before a row that RUNTIME names in two ways."""
        key = (pid, rt_stream, row)
        if key not in self._renamed:
            handed = self._before((TaskSubmitted, TaskListed), *key)
            odd = handed[_not_paired(self._store, handed)][-IN_FLIGHT:]
            self._renamed[key] = renamed_tasks(self._store, self._lives, odd.tolist())
        return self._renamed[key]

    def _before(self, kinds: tuple[type[Event], ...], pid: int, rt_stream: int, row: int) -> Column:
        """Give the rows of some kinds on a stream before a row, in the life that the stream has there."""
        key = (kinds, pid, rt_stream)
        if key not in self._rows:
            rows = self._store.holding("rt_stream", rt_stream, *kinds)
            self._rows[key] = rows[self._store.column("pid")[rows] == pid]
        rows = self._rows[key]
        return rows[(rows >= self._lives.born(pid, rt_stream, row)) & (rows < row)]


def _not_paired(store: Store, rows: Column) -> Column:
    """Say of each hand-over of a stream whether it is not one of two neighbours on its thread that name one task."""
    order = np.argsort(store.column("tid")[rows], kind="stable")
    own = rows[order]
    tid, task = store.column("tid")[own], store.at("task", own)
    given = store.column("kind")[own] == KIND_NUMBER[TaskSubmitted.kind]
    pairs = given[:-1] & ~given[1:] & (tid[:-1] == tid[1:]) & (task[:-1] == task[1:])
    odd = np.ones(len(rows), bool)
    odd[order[:-1][pairs]] = odd[order[1:][pairs]] = False
    return odd
