"""A log that stops without an error: which kernel was the last to speak, and which should have spoken next.

The weakest evidence there is, so its answers have low confidence: a log that was copied too early looks the same. A run
that ended with the end of its data is no failure (spec/kerneltrace.md 7.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from getrace.analysis.failure.phases import is_launch
from getrace.analysis.kernels import Executions, executions
from getrace.analysis.places import cell, text_of
from getrace.analysis.runs import GraphRun
from getrace.events.launch import GuideLaunch
from getrace.events.markers import KernelEnd
from getrace.events.text import LogLine
from getrace.ids import split_kernel_name
from getrace.store.columns import Column, none_of
from getrace.store.store import Store

_SOON = 100_000
"""Executions of other threads after which nobody would call the next one of a thread what follows."""
_END_OF_DATA = "End of sequence"
_NEAR = 2_000
_WITHOUT_MARKERS = ("guide",)


@dataclass(frozen=True, slots=True)
class Silence:
    """Where a log fell silent: the last execution's first row, and the kernel to blame (None: nobody can tell)."""

    last_row: int
    kernel: str | None
    row: int | None
    task: int | None
    ended: bool


class Order:
    """Which kernel ran before and after which, on one thread, as rows of the log."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _runs(self) -> Executions:
        return executions(self._store)

    def _on_thread(self, rows: Column, pid: int, tid: int) -> Column:
        """Say of each of some rows whether it is of a thread."""
        own: Column = (self._store.column("pid")[rows] == pid) & (self._store.column("tid")[rows] == tid)
        return own

    def _thread(self, row: int) -> tuple[int, int]:
        return int(self._store.column("pid")[row]), int(self._store.column("tid")[row])

    def last(self, first_row: int, last_row: int, pid: int, tid: int) -> int | None:
        """Give the index of the last execution of a thread inside a range of rows; of any thread when it has none.

        A thread that runs no kernel of its own graph has workers that do.
        """
        begins = self._runs.first
        start, end = np.searchsorted(begins, [first_row, last_row + 1])
        inside = self._store.column("pid")[begins[start:end]] == pid
        own = inside & (self._store.column("tid")[begins[start:end]] == tid)
        found = np.flatnonzero(own if own.any() else inside)
        return int(start + found[-1]) if len(found) else None

    def rows(self, index: int) -> tuple[int, int]:
        """Give the first and the last row of an execution."""
        return int(self._runs.first[index]), int(self._runs.last[index])

    def before(self, row: int) -> int | None:
        """Give the first row of the execution that ended before the one that holds a row, on its thread."""
        begins, ends = self._runs.first, self._runs.last
        own = self._on_thread(begins, *self._thread(row))
        found = np.flatnonzero(own & (ends < row) & (self._runs.name != self._store.column("kernel")[row]))
        return int(begins[found[-1]]) if len(found) else None

    def usual_next(self, name: int, before_row: int) -> int | None:
        """Give the row of what followed the same kernel earlier in its process: what was to be expected again."""
        begins, ends = self._runs.first, self._runs.last
        pid = self._store.column("pid")
        same = np.flatnonzero((self._runs.name == name) & (ends < before_row))
        same = same[pid[begins[same]] == pid[before_row]]
        for index in same[::-1].tolist():
            start, end = np.searchsorted(begins, [ends[index] + 1, before_row])
            part = begins[start : min(end, start + _SOON)]
            later = np.flatnonzero(self._on_thread(part, *self._thread(int(begins[index]))))
            if len(later):
                return int(part[later[0]])
        return None


def find_silence(store: Store, runs: Sequence[GraphRun], order: Order) -> Silence | None:
    """Find the place where the log fell silent inside a run; None when nothing points at one."""
    for run in open_runs(store, runs):
        return _silence_in(store, order, (run.start, run.last), (run.pid, run.tid))
    if runs or not store.rows:
        return None
    return _silence_without_markers(store, order)


def open_runs(store: Store, runs: Sequence[GraphRun]) -> list[GraphRun]:
    """Give the runs that did not come to an end, with the end of their data or without."""
    return [run for run in runs if not run.complete and not _data_ended(store, run)]


def _silence_without_markers(store: Store, order: Order) -> Silence | None:
    """Blame the last kernel of a log without markers when it is a launch that nothing followed (seed 002, 5.3).

    Only the seed's own dialect has no markers at all; in a real log their absence means that it is an excerpt.
    """
    named = np.flatnonzero(store.column("kernel") != none_of("kernel"))
    if not len(named):
        return None
    row = int(named[-1])
    kernel = store.kernel(row)
    dialects = store.sources[int(store.column("source")[row])].dialects
    if not kernel or not is_launch(split_kernel_name(kernel).type) or dialects != _WITHOUT_MARKERS:
        return None
    thread = (int(store.column("pid")[row]), int(store.column("tid")[row]))
    return _silence_in(store, order, (0, row), thread)


def _silence_in(store: Store, order: Order, span: tuple[int, int], thread: tuple[int, int]) -> Silence | None:
    index = order.last(*span, *thread)
    if index is None:
        return None
    first, last = order.rows(index)
    kernel = store.kernel(first)
    launch = is_launch(split_kernel_name(kernel or "").type)
    if store.kind(last) is not KernelEnd or launch:
        event = store.event(last)
        task = event.task if isinstance(event, GuideLaunch) else cell(store, "task", last)
        return Silence(last, kernel, last, task, ended=False)
    following = order.usual_next(int(store.column("kernel")[first]), first)
    return Silence(last, None if following is None else store.kernel(following), None, None, ended=True)


def _data_ended(store: Store, run: GraphRun) -> bool:
    """Say whether an ordinary line near the end of a run tells of the end of the data."""
    for row in range(run.last, min(store.rows, run.last + _NEAR)):
        if store.kind(row) is LogLine and _END_OF_DATA in text_of(store, row):
            return True
    return False
