"""A log that stops while the host waits for a stream: the run has ended, what it launched has not.

Nobody can tell a log that was cut there from a device that hangs, so this is no failure; but it is no success either.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from getrace.analysis.hangs.host import open_waits
from getrace.analysis.runs import GraphRun, Stage
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
    """Find the first process whose last synchronise did not return after a run; None when all did."""
    for wait in open_waits(store):
        before = [run for run in runs if run.pid == wait.pid and run.stage is Stage.MAIN and run.start < wait.row]
        if before:
            return Waiting(wait.row, wait.rt_stream, before[-1])
    return None
