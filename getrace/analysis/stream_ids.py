"""Which stream is meant: logical number, pointer of the RT stream, and the runtime's id, tied together.

Three kinds of number never mix (spec/kerneltrace.md 3.3): memory and event lines name the logical stream, launches a
pointer, the runtime's own lines an id. SplitRtStreams ties the three and says so again for each graph, so a tie holds
from its line to the next one: two models of a process both have a logical stream 1, on streams of their own. A launch
that prints its task ties a pointer to an id. Nothing else is guessed.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.events import Event, aicpu, engines, launch
from getrace.events.streams import StreamCollected, StreamSplit
from getrace.store.columns import none_of
from getrace.store.store import Store

Ints = npt.NDArray[np.int64]

LAUNCHES: tuple[type[Event], ...] = (
    launch.Launch,
    aicpu.CcLaunch,
    aicpu.TfLaunch,
    aicpu.TfLaunch2023,
    engines.StarsLaunch,
)
"""Kinds that say on which RT stream, by its pointer, something was put."""

UNKNOWN = none_of("stream")
"""The number that stands for "the log does not say", as in the columns."""


class Queue(NamedTuple):
    """A stream of the runtime, of a process. A part that the log does not say is None; one of the first two is known.

    Two queues of one process may have had the same logical number, one after the other.
    """

    pid: int
    handle: int | None
    stream: int | None
    rt_stream: int | None


class _Ties(NamedTuple):
    """Lines that tie numbers together, in row order; all arrays have one length."""

    rows: Ints
    pids: Ints
    handles: Ints
    streams: Ints
    rt_streams: Ints


@dataclass(frozen=True, slots=True, eq=False)
class StreamIds:
    """The streams of a store and the way from any row to its stream."""

    queues: tuple[Queue, ...]
    _ties: _Ties
    _numbers: dict[tuple[int, int | None, int | None], int]

    def of_logical(self, rows: Ints, pids: Ints, streams: Ints) -> Ints:
        """Give for rows that name a logical stream the number of their queue, -1 where it is in no table."""
        handles = _latest(self._ties.rows, self._ties.pids, self._ties.streams, self._ties.handles, rows, pids, streams)
        return self._numbered(pids, handles, streams)

    def of_handle(self, pids: Ints, handles: Ints) -> Ints:
        """Give for rows that name the pointer of an RT stream the number of their queue."""
        return self._numbered(pids, handles, np.full(len(handles), UNKNOWN))

    def of_rt(self, pid: int, rt_stream: int) -> list[int]:
        """Give the numbers of the queues of a process that had an id of the runtime."""
        return [n for n, queue in enumerate(self.queues) if (queue.pid, queue.rt_stream) == (pid, rt_stream)]

    def mixed(self, pid: int) -> bool:
        """Say whether a process has streams known by pointer only and others by logical number only.

        One of these may be one of those, so nothing can be said about the order between them.
        """
        mine = [queue for queue in self.queues if queue.pid == pid]
        return any(q.handle is None for q in mine) and any(q.stream is None for q in mine)

    def _numbered(self, pids: Ints, handles: Ints, streams: Ints) -> Ints:
        keys, inverse = np.unique(np.stack([pids, handles, streams]), axis=1, return_inverse=True)
        numbers = []
        for pid, handle, stream in keys.T.tolist():
            key = (pid, handle, None) if handle != UNKNOWN else (pid, None, stream)
            numbers.append(self._numbers.get(key, -1))
        return np.array(numbers, np.int64)[inverse.reshape(-1)] if numbers else np.zeros(0, np.int64)


def stream_ids(store: Store) -> StreamIds:
    """Read the ties of a store, and list every stream that a line names."""
    ties = _split_lines(store)
    handles_seen = _launch_handles(store)
    logical_seen = _logical_lines(store)
    found: dict[tuple[int, int | None, int | None], Queue] = {}
    for pid, handle, stream, rt in zip(*(a.tolist() for a in ties[1:]), strict=True):
        found[pid, handle, None] = Queue(pid, handle, stream, rt if rt >= 0 else None)
    for pid, handle, rt in handles_seen:
        old = found.get((pid, handle, None), Queue(pid, handle, None, None))
        found[pid, handle, None] = old if old.rt_stream is not None else old._replace(rt_stream=rt)
    tied = set(zip(ties.pids.tolist(), ties.streams.tolist(), strict=True))
    for pid, stream in logical_seen:
        if (pid, stream) not in tied:
            found[pid, None, stream] = Queue(pid, None, stream, None)
    ordered = sorted(found.items(), key=lambda item: _rank(item[1]))
    return StreamIds(tuple(queue for _, queue in ordered), ties, {key: n for n, (key, _) in enumerate(ordered)})


def _split_lines(store: Store) -> _Ties:
    rows = store.rows_of(StreamSplit, StreamCollected)
    said = (store.at(name, rows).astype(np.int64) for name in ("pid", "handle", "stream", "rt_stream"))
    return _Ties(rows.astype(np.int64), *said)


def _launch_handles(store: Store) -> list[tuple[int, int, int | None]]:
    """Give (process, pointer, runtime's id or None) of every stream that something was launched on."""
    rows = store.rows_of(*LAUNCHES)
    pids, handles = (store.at(name, rows).astype(np.int64) for name in ("pid", "handle"))
    rts = task_streams(store, rows)
    known: dict[tuple[int, int], int | None] = {}
    triples = np.unique(np.stack([pids, handles, rts]), axis=1).T.tolist() if len(rows) else []
    for pid, handle, rt in triples:
        if handle != UNKNOWN:
            known[pid, handle] = known.get((pid, handle)) if rt == UNKNOWN else rt
    return [(pid, handle, rt) for (pid, handle), rt in known.items()]


def task_streams(store: Store, rows: Ints) -> Ints:
    """Give the runtime's id of the stream of some launches, ``UNKNOWN`` where no line says it.

    A launch names it itself, or in its next message: the next ``TaskIds`` of the same kernel and thread.
    """
    found = store.at("rt_stream", rows).astype(np.int64)
    tasks = store.rows_of(launch.TaskIds)
    if not len(tasks) or not len(rows):
        return found
    following = np.searchsorted(tasks, rows)
    inside = (following < len(tasks)) & (found == UNKNOWN)
    task_rows = tasks[np.minimum(following, len(tasks) - 1)]
    for name in ("kernel", "pid", "tid"):
        column = store.column(name)
        inside &= column[task_rows] == column[rows]
    found[inside] = store.at("rt_stream", task_rows[inside])
    return found


def _logical_lines(store: Store) -> list[tuple[int, int]]:
    """Give each (process, logical stream) that any line names; -1 is a holder without a block, no stream."""
    rows = store.told("stream")
    streams = store.at("stream", rows).astype(np.int64)
    rows, streams = rows[streams >= 0], streams[streams >= 0]
    if not len(rows):
        return []
    pairs = np.unique(np.stack([store.column("pid")[rows].astype(np.int64), streams]), axis=1)
    return [(pid, stream) for pid, stream in pairs.T.tolist()]


def _latest(
    tie_rows: Ints, tie_pids: Ints, tie_keys: Ints, tie_values: Ints, rows: Ints, pids: Ints, keys: Ints
) -> Ints:
    """Give the value of the last tie of (process, key) before each row; of the first one where none stands before."""
    found = np.full(len(rows), UNKNOWN)
    for pid, key in np.unique(np.stack([tie_pids, tie_keys]), axis=1).T.tolist() if len(tie_rows) else []:
        mine = (pids == pid) & (keys == key)
        own = (tie_pids == pid) & (tie_keys == key)
        place = np.searchsorted(tie_rows[own], rows[mine], "right") - 1
        found[mine] = tie_values[own][np.maximum(place, 0)]
    return found


def _rank(queue: Queue) -> tuple[int, ...]:
    known = (queue.stream is None, queue.stream or 0, queue.rt_stream is None, queue.rt_stream or 0)
    return (queue.pid, *map(int, known), queue.handle or 0)
