"""Executions of kernels: which consecutive rows of a thread are one run of one kernel, and when it ended.

A plog prints only ends (spec/kerneltrace.md 2), so the time of a kernel is the distance from the end before it on its
thread: an inference, and every duration made here says so.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from getrace.events import KIND_NUMBER
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.store.columns import none_of
from getrace.store.store import Store

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Executions:
    """Executions in row order of their first record; all arrays have one item each.

    ``name`` is an id of Names, ``first`` and ``last`` are rows, ``duration`` is nanoseconds or -1 when nobody
    knows: nothing of the thread was printed before, or one of the two ends has no time.
    """

    name: Rows
    first: Rows
    last: Rows
    duration: Rows

    def __len__(self) -> int:
        return len(self.name)

    def of_rows(self, store: Store, rows: Rows) -> Rows:
        """Give for each row the index of the execution that it belongs to, by thread and NAME; -1 for none."""
        if not len(self):
            return np.full(len(rows), -1, np.int64)
        thread = _thread_numbers(store, np.concatenate([self.first, rows]))
        # One number that sorts by thread, then by row.
        place = thread * store.rows
        begins, wanted = place[: len(self)] + self.first, place[len(self) :] + rows
        order = np.argsort(begins)
        found = order[np.maximum(np.searchsorted(begins[order], wanted, "right") - 1, 0)]
        inside = (thread[found] == thread[len(self) :]) & (self.first[found] <= rows) & (rows <= self.last[found])
        inside &= store.column("kernel")[rows] == self.name[found]
        return np.where(inside, found, -1)


def executions(store: Store, part: slice = slice(None)) -> Executions:
    """Split the KernelTrace rows of each thread into executions; ``part`` are the rows to look at, all if not given.

    Rows without a NAME (recycle lines) belong to the kernel that runs, so they split nothing; a header-only record is
    an execution's last row.
    """
    rows, names, marker, ends, thread = _trace_rows(store, part)
    if not len(rows):
        return Executions(rows, rows, rows, rows)
    fresh = np.ones(len(rows), bool)
    fresh[1:] = (thread[1:] != thread[:-1]) | (names[1:] != names[:-1]) | ends[:-1] | marker[:-1]
    starts = np.flatnonzero(fresh)
    stops = np.append(starts[1:], len(rows)) - 1
    time = store.column("time")[rows].astype(np.int64)
    duration = np.full(len(starts), -1, np.int64)
    known = (starts > 0) & (thread[starts] == thread[starts - 1])
    known &= (time[stops] != none_of("time")) & (time[starts - 1] != none_of("time"))
    duration[known] = time[stops[known]] - time[starts[known] - 1]
    kernels = ~marker[starts]
    starts, stops, duration = starts[kernels], stops[kernels], duration[kernels]
    order = np.argsort(rows[starts], kind="stable")
    return Executions(
        name=names[starts][order],
        first=rows[starts][order],
        last=rows[stops][order],
        duration=np.maximum(duration, -1)[order],
    )


def _trace_rows(store: Store, part: slice) -> tuple[Rows, Rows, npt.NDArray[np.bool_], npt.NDArray[np.bool_], Rows]:
    """Give rows of named kernels and markers by thread, then row: (row, name, is marker, is end, thread number)."""
    kernel, kind = store.column("kernel")[part], store.column("kind")[part]
    empty = store.names.find("")
    is_marker = np.isin(kind, [KIND_NUMBER[ModelStart.kind], KIND_NUMBER[ModelEnd.kind]])
    named = (kernel != none_of("kernel")) & (kernel != (-1 if empty is None else empty))
    found = np.flatnonzero(named | is_marker)
    rows = found + part.indices(store.rows)[0]
    thread = _thread_numbers(store, rows)
    order = np.argsort(thread, kind="stable")
    found = found[order]
    ends = kind[found] == KIND_NUMBER[KernelEnd.kind]
    return rows[order], kernel[found].astype(np.int64), is_marker[found], ends, thread[order]


def _thread_numbers(store: Store, rows: Rows) -> Rows:
    """Number the threads of some rows: equal numbers for an equal (process, thread), in their order."""
    _, pid = np.unique(store.column("pid")[rows], return_inverse=True)
    tids, tid = np.unique(store.column("tid")[rows], return_inverse=True)
    return np.asarray(pid.reshape(-1) * max(len(tids), 1) + tid.reshape(-1), np.int64)
