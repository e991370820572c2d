"""What the host waits for: synchronises that ran out of time, and one that has not returned when the log stops."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from getrace.analysis.below import BELOW
from getrace.events.device import SyncFailed, SyncStarted, TaskFinished, TaskListed, TaskSubmitted
from getrace.store.store import Store

LIMIT = 10_000
"""Failed synchronises that are read, the last ones: more only repeat it."""
_TIMED_OUT = ("sync timeout", "synchronize timeout")
"""How RUNTIME calls a wait that ran out of time; a task that ran out of time is called by its kind."""


@dataclass(frozen=True, slots=True)
class HostWait:
    """A wait of the host for a stream. ``row`` shows it; ``start``: where it began, None when the log does not show it.

    ``ended``: the wait came back with an error at ``row``; otherwise it began there and has not come back.
    """

    pid: int
    rt_stream: int
    row: int
    start: int | None
    ended: bool
    timed_out: bool


def host_waits(store: Store) -> list[HostWait]:
    """Give the last failed synchronise of each stream, then the open ones, in row order."""
    last: dict[tuple[int, int], tuple[int, SyncFailed]] = {}
    pid = store.column("pid")
    for row in store.rows_of(SyncFailed)[-LIMIT:].tolist():
        event = store.event(row)
        if isinstance(event, SyncFailed):
            last[int(pid[row]), event.rt_stream] = (row, event)
    started = store.rows_of(SyncStarted)
    waits = [wait for wait in open_waits(store) if (wait.pid, wait.rt_stream) not in last]
    for key, (row, event) in last.items():
        timed_out = any(words in event.reason for words in _TIMED_OUT)
        waits.append(HostWait(*key, row, _start_of(store, started, key, row), ended=True, timed_out=timed_out))
    return sorted(waits, key=lambda wait: wait.row)


def open_waits(store: Store) -> list[HostWait]:
    """Give the last synchronise of each thread where it did not return, in row order."""
    last: dict[tuple[int, int], int] = {}
    pid, tid = store.column("pid"), store.column("tid")
    for row in store.rows_of(SyncStarted).tolist():
        last[int(pid[row]), int(tid[row])] = row
    found = []
    for row in sorted(last.values()):
        event = store.event(row)
        if isinstance(event, SyncStarted) and not _returned(store, row, event.rt_stream):
            found.append(HostWait(int(pid[row]), event.rt_stream, row, row, ended=False, timed_out=False))
    return found


def _start_of(store: Store, started: npt.NDArray[np.intp], key: tuple[int, int], row: int) -> int | None:
    before = started[started < row]
    own = before[(store.column("pid")[before] == key[0]) & (store.at("rt_stream", before) == key[1])]
    return int(own[-1]) if len(own) else None


def _returned(store: Store, start: int, rt_stream: int) -> bool:
    """Say whether a wait is over: the thread does something else, or the last task that it gave the stream is done."""
    pid, tid, module = (store.column(name) for name in ("pid", "tid", "module"))
    own: Sequence[int] = (np.flatnonzero((pid[start:] == pid[start]) & (tid[start:] == tid[start])) + start).tolist()
    if any(store.names.text(number) not in BELOW for number in np.unique(module[own]).tolist()):
        return True
    given: int | None = None
    for row in own:
        event = store.event(row) if store.kind(row) in (TaskSubmitted, TaskListed, TaskFinished) else None
        if isinstance(event, TaskSubmitted | TaskListed) and event.rt_stream == rt_stream:
            given = event.task
        elif isinstance(event, TaskFinished) and (event.rt_stream, event.task) == (rt_stream, given):
            return True
    return False
