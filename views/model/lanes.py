"""A lane per stream of a process: launches, sends, waits and errors, by time.

Three kinds of stream number never mix (spec/kerneltrace.md 3.3). A lane is named by the logical stream when the log
says which one a pointer or an RT stream is, else by the RT stream, else it is "stream ?": nothing is guessed, and an
unknown stream is not stream 0. Each process counts its streams from 0, so a number means nothing without its process.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.events import Event, aicpu, device, engines, launch, streams
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.processes import process_text, processes
from views.model.style import LANE_MARKS

Ints = npt.NDArray[np.int64]

LAUNCHES: tuple[type[Event], ...] = (
    launch.Launch,
    launch.GuideLaunch,
    aicpu.CcLaunch,
    aicpu.TfLaunch,
    aicpu.TfLaunch2023,
    engines.StarsLaunch,
)
MARKED: dict[str, tuple[type[Event], ...]] = {
    "launch": LAUNCHES,
    "send": (streams.EventSent, streams.RecycleSent, streams.MigrationSent),
    "wait": (streams.EventWaited, streams.RecycleWaited, streams.MigrationWaited),
    "error": (device.TaskException, device.KernelFault, device.SyncFailed),
}
MARKS = tuple(LANE_MARKS)
"""Names of the marks; a mark's number is its place here."""
_NAMED_BY: tuple[type[Event], ...] = (streams.StreamSplit, streams.StreamCollected)


class Lane(NamedTuple):
    """One stream. ``stream`` or ``rt_stream`` is -1 when the log does not say; the arrays have one length.

    ``label`` names the process ``pid`` only where the store has several.
    """

    label: str
    pid: int
    stream: int
    rt_stream: int
    times: Ints
    marks: npt.NDArray[np.int8]
    rows: Ints


class Lanes(NamedTuple):
    """All lanes of a store, and the time they span (ns, 0 and 0 without a lane)."""

    lanes: tuple[Lane, ...]
    start: int
    end: int


class _Names(NamedTuple):
    """What the log says about the streams of each process: pointer and RT stream to logical stream, and back.

    The keys are (process, number).
    """

    by_handle: dict[tuple[int, int], int]
    by_rt: dict[tuple[int, int], int]
    rt_of: dict[tuple[int, int], int]


def lanes_of(store: Store) -> Lanes:
    """Read the lanes of a store, known streams first."""
    names = _names(store)
    rows, marks = _marked(store)
    pids = store.column("pid")[rows].astype(np.int64)
    logical = _logical(store, rows, names)
    rt_streams = _rt_streams(store, rows, marks)
    for place in np.flatnonzero(logical < 0):
        logical[place] = names.by_rt.get((int(pids[place]), int(rt_streams[place])), -1)
    rt_streams[logical >= 0] = -1
    times = store.column("time")[rows].astype(np.int64)
    many = len(processes(store)) > 1
    made = []
    found = set(zip(pids.tolist(), logical.tolist(), rt_streams.tolist(), strict=True))
    for pid, stream, rt_stream in sorted(found, key=_rank):
        mine = (pids == pid) & (logical == stream) & (rt_streams == rt_stream)
        known_rt = names.rt_of.get((pid, stream), -1) if stream >= 0 else rt_stream
        label = process_text(pid, many=many) + _label(stream, known_rt)
        made.append(Lane(label, pid, stream, known_rt, times[mine], marks[mine], rows[mine]))
    if not len(times):
        return Lanes((), 0, 0)
    return Lanes(tuple(made), int(times.min()), int(times.max()))


def paint(lane: Lane, start: int, end: int, width: int) -> npt.NDArray[np.int8]:
    """Give ``width`` cells of a lane over start .. end: -1 for nothing, else the number of the mark shown.

    Where several marks fall into one cell the one with the highest number is shown, an error before all.
    """
    shown = np.full(width, -1, np.int8)
    places = place_of(lane.times, start, end, width)
    inside = (lane.times >= start) & (lane.times <= end)
    np.maximum.at(shown, places[inside], lane.marks[inside])
    return shown


def place_of(times: Ints, start: int, end: int, width: int) -> Ints:
    """Give the cell of each time on an axis of ``width`` cells."""
    scaled = (times - start).astype(np.float64) * (width / max(end - start, 1))
    return np.clip(scaled.astype(np.int64), 0, max(width - 1, 0))


def _names(store: Store) -> _Names:
    rows = store.rows_of(*_NAMED_BY)
    columns = [store.at(name, rows).tolist() for name in ("pid", "handle", "stream", "rt_stream")]
    found = _Names({}, {}, {})
    for pid, handle, stream, rt_stream in zip(*columns, strict=True):
        found.by_handle[pid, handle] = stream
        if rt_stream >= 0:
            found.by_rt[pid, rt_stream] = stream
            found.rt_of[pid, stream] = rt_stream
    return found


def _marked(store: Store) -> tuple[Ints, npt.NDArray[np.int8]]:
    parts = [store.rows_of(*kinds).astype(np.int64) for kinds in MARKED.values()]
    numbers = [np.full(len(part), MARKS.index(mark), np.int8) for mark, part in zip(MARKED, parts, strict=True)]
    rows = np.concatenate(parts)
    order = np.argsort(rows, kind="stable")
    # A record without a time has no place on an axis of time.
    order = order[store.column("time")[rows[order]] != none_of("time")]
    return rows[order], np.concatenate(numbers)[order]


def _logical(store: Store, rows: Ints, names: _Names) -> Ints:
    logical = store.at("stream", rows).astype(np.int64)
    handles = store.at("handle", rows).astype(np.int64)
    logical[logical == none_of("stream")] = -1
    pids = store.column("pid")[rows]
    for (pid, handle), stream in names.by_handle.items():
        logical[(logical < 0) & (handles == handle) & (pids == pid)] = stream
    return logical


def _rt_streams(store: Store, rows: Ints, marks: npt.NDArray[np.int8]) -> Ints:
    # A launch names its RT stream in its second message: the next TaskIds of the same kernel and thread.
    found = store.at("rt_stream", rows).astype(np.int64)
    found[found == none_of("rt_stream")] = -1
    tasks = store.rows_of(launch.TaskIds)
    if not len(tasks):
        return found
    following = np.searchsorted(tasks, rows)
    inside = (following < len(tasks)) & (found < 0) & (marks == MARKS.index("launch"))
    task_rows = tasks[np.minimum(following, len(tasks) - 1)]
    for name in ("kernel", "pid", "tid"):
        column = store.column(name)
        inside &= column[task_rows] == column[rows]
    found[inside] = store.at("rt_stream", task_rows[inside])
    return found


def _label(stream: int, rt_stream: int) -> str:
    if stream >= 0:
        return f"stream {stream}" + (f" (rt {rt_stream})" if rt_stream >= 0 else "")
    return f"rt stream {rt_stream}" if rt_stream >= 0 else "stream ?"


def _rank(key: tuple[int, int, int]) -> tuple[int, int, int]:
    pid, stream, rt_stream = key
    return (pid, 0, stream) if stream >= 0 else ((pid, 1, rt_stream) if rt_stream >= 0 else (pid, 2, 0))
