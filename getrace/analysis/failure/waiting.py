"""A log that stops while the host waits for a stream: the run has ended, what it launched has not.

Nobody can tell a log that was cut there from a device that hangs, so this is no failure; but it is no success either.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from getrace.analysis.failure.signs import BELOW
from getrace.analysis.runs import GraphRun, Stage
from getrace.events.device import SyncStarted, TaskFinished, TaskListed, TaskSubmitted
from getrace.store.store import Store

SYNCHRONISE = "StreamSynchronize"
"""The call that was to return, as RUNTIME names it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An open wait: the row at which it began, the stream, and the run before it."""

    row: int
    rt_stream: int
    run: GraphRun


def find_waiting(store: Store, runs: Sequence[GraphRun]) -> Waiting | None:
    """Find the first process whose last synchronise did not return; None when all did."""
    last: dict[tuple[int, int], int] = {}
    pid, tid = store.column("pid"), store.column("tid")
    for row in store.rows_of(SyncStarted).tolist():
        last[int(pid[row]), int(tid[row])] = row
    for row in sorted(last.values()):
        event = store.event(row)
        before = [run for run in runs if run.pid == pid[row] and run.stage is Stage.MAIN and run.start < row]
        if before and isinstance(event, SyncStarted) and not _returned(store, row, event.rt_stream):
            return Waiting(row, event.rt_stream, before[-1])
    return None


def _returned(store: Store, start: int, rt_stream: int) -> bool:
    """Say whether a wait is over: the thread does something else, or the last task that it gave the stream is done."""
    pid, tid, module = (store.column(name) for name in ("pid", "tid", "module"))
    own = np.flatnonzero((pid[start:] == pid[start]) & (tid[start:] == tid[start])) + start
    if any(store.names.text(number) not in BELOW for number in np.unique(module[own]).tolist()):
        return True
    given: int | None = None
    for row in own.tolist():
        event = store.event(row) if store.kind(row) in (TaskSubmitted, TaskListed, TaskFinished) else None
        if isinstance(event, TaskSubmitted | TaskListed) and event.rt_stream == rt_stream:
            given = event.task
        elif isinstance(event, TaskFinished) and (event.rt_stream, event.task) == (rt_stream, given):
            return True
    return False
