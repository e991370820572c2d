"""The timeline of a store: a lane for each host thread with its kernels, one for each stream, and the memory below.

A plog prints when a kernel ended and not when it began, so a slice reaches from the end before it on its thread
(``getrace.analysis.kernels``): every length made here is inferred. Times of streams are those of the host's records.
Slices are kept as arrays, and what a cell of the screen shows is looked up in them by bisection, so that drawing ten
million of them costs what drawing ten does.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.analysis.block_columns import narrow
from getrace.analysis.failure.phases import phase_of_kernel
from getrace.analysis.kernels import Executions, executions
from getrace.analysis.runs import graph_runs
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.arrows import NO_ARROWS, Arrows, arrows_of
from views.model.curves import Curve, memory_curve
from views.model.lanes import Lane, lanes_of
from views.model.lookup import place_of
from views.model.processes import process_text, processes
from views.model.style import ERROR_LEVELS, SLICE_MARKS
from views.model.window import Window

Ints = npt.NDArray[np.int64]

SLICES = tuple(SLICE_MARKS)
"""Names of the kinds of slices; a slice's number is its place here."""


class HostLane(NamedTuple):
    """A host thread and its slices, in order of ``starts`` (ns).

    ``rows`` and ``lasts`` are the first and the last row of each. ``unsure`` slices have no known length.

    ``in_order`` says that ``lasts`` rise.
    ``busy`` holds one item more: the nanoseconds of all slices before each. ``errors`` are times of ERROR records.
    """

    label: str
    pid: int
    tid: int
    starts: Ints
    ends: Ints
    rows: Ints
    lasts: Ints
    kinds: npt.NDArray[np.int8]
    unsure: npt.NDArray[np.bool_]
    busy: Ints
    errors: Ints
    in_order: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """What a timeline shows; ``streams``, ``arrows`` and ``curve`` come after the hosts, None until they are read."""

    whole: Window
    hosts: tuple[HostLane, ...] = ()
    streams: tuple[Lane, ...] | None = None
    arrows: Arrows = NO_ARROWS
    curve: Curve | None = None

    @property
    def count(self) -> int:
        """How many lanes there are."""
        return len(self.hosts) + len(self.streams or ())

    def host(self, lane: int) -> HostLane | None:
        """Give the host lane of a number, or None for a stream's."""
        return self.hosts[lane] if lane < len(self.hosts) else None

    def stream(self, lane: int) -> Lane | None:
        """Give the stream lane of a number, or None for a host's."""
        place = lane - len(self.hosts)
        return self.streams[place] if self.streams and 0 <= place < len(self.streams) else None

    def ordered_rows(self, lane: int) -> Ints:
        """Give the last rows of a lane's slices, or the rows of its marks, in their order in the log."""
        host, stream = self.host(lane), self.stream(lane)
        rows = host.lasts if host else stream.rows if stream else np.zeros(0, np.int64)
        # Slices stand in order of time, which nearly always is that of their rows; sorting millions takes a key's time.
        return rows if host is None or host.in_order else np.sort(rows)

    def lane_of(self, store: Store, row: int) -> int:
        """Give the lane that a row stands on: its stream's if it is a mark there, else its thread's; -1 for none."""
        for place, stream in enumerate(self.streams or ()):
            at = int(np.searchsorted(stream.rows, row))
            if at < len(stream.rows) and int(stream.rows[at]) == row:
                return len(self.hosts) + place
        who = int(store.column("pid")[row]), int(store.column("tid")[row])
        return next((place for place, host in enumerate(self.hosts) if (host.pid, host.tid) == who), -1)


def timelines(store: Store) -> Iterator[Timeline]:
    """Read the timeline of a store, the hosts first, then streams and arrows, then the memory."""
    times = store.column("time")
    known = times != none_of("time")
    if not known.any():
        yield Timeline(Window(0, 0), streams=(), curve=None)
        return
    whole = Window(int(times[known].min()), int(times[known].max()))
    del known
    found = Timeline(whole, hosts=host_lanes(store))
    yield found
    lanes = lanes_of(store)
    found = replace(found, streams=lanes.lanes, arrows=arrows_of(store, lanes))
    yield found
    yield replace(found, curve=memory_curve(store))


def host_lanes(store: Store) -> tuple[HostLane, ...]:
    """Give a lane for each thread that runs kernels, in the order of their first kernels."""
    runs = executions(store)
    if not len(runs):
        return ()
    pids, tids = store.column("pid")[runs.first].astype(np.int64), store.column("tid")[runs.first].astype(np.int64)
    kinds = kind_numbers(store)[runs.name]
    many, owners = len(processes(store)) > 1, {(run.pid, run.tid) for run in graph_runs(store)}
    made = []
    firsts, threads = first_of_threads(pids, tids)
    # All threads at once: a look at every row for each of them would take their number times as long.
    parts = np.split(np.argsort(threads, kind="stable"), np.cumsum(np.bincount(threads))[:-1])
    for place in firsts:
        pid, tid, own = int(pids[place]), int(tids[place]), parts[threads[place]]
        # Who has no run of its own works for the multi-thread executor.
        role = "thread" if (pid, tid) in owners else "worker"
        made.append(_host_lane(store, f"{process_text(pid, many=many)}{role} {tid}", (pid, tid), runs, own, kinds))
    return tuple(made)


def first_of_threads(pids: Ints, tids: Ints) -> tuple[list[int], Ints]:
    """Give the place of the first item of each thread, in order, and for each item a number of its thread."""
    processes_there, process = np.unique(pids, return_inverse=True)
    threads_there, thread = np.unique(tids, return_inverse=True)
    codes = process * len(threads_there) + thread
    first = np.full(len(processes_there) * len(threads_there), -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return sorted(first[first >= 0].tolist()), codes


def _host_lane(
    store: Store, label: str, who: tuple[int, int], runs: Executions, own: Ints, kinds: npt.NDArray[np.int8]
) -> HostLane:
    ends = store.column("time")[runs.last[own]].astype(np.int64)
    timed = ends != none_of("time")
    own, ends = own[timed], ends[timed]
    lengths = np.maximum(runs.duration[own], 0)
    order = np.argsort(ends - lengths, kind="stable")
    own, ends, lengths = own[order], ends[order], lengths[order]
    bad = store.rows_at(*ERROR_LEVELS)
    bad = bad[(store.column("pid")[bad] == who[0]) & (store.column("tid")[bad] == who[1])]
    bad = bad[store.column("time")[bad] != none_of("time")]
    return HostLane(
        label,
        who[0],
        who[1],
        starts=ends - lengths,
        ends=ends,
        rows=narrow(runs.first[own]),
        lasts=narrow(runs.last[own]),
        kinds=kinds[own],
        unsure=runs.duration[own] < 0,
        busy=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        errors=np.sort(store.column("time")[bad].astype(np.int64)),
        in_order=bool((np.diff(runs.last[own]) > 0).all()),
    )


def kind_numbers(store: Store) -> npt.NDArray[np.int8]:
    """Give for each name of the store the kind of slice that its kernel makes."""
    phases = [phase_of_kernel(split_kernel_name(store.names.text(number)).type) for number in range(len(store.names))]
    return np.array(
        [SLICES.index(phase) if phase in SLICE_MARKS else SLICES.index("execute") for phase in phases], np.int8
    )


def slice_at(lane: HostLane, time_ns: int) -> int:
    """Give the number of the slice that runs at a moment, or -1."""
    place = int(np.searchsorted(lane.starts, time_ns, "right")) - 1
    return place if place >= 0 and time_ns <= int(lane.ends[place]) else -1


def span_at(timeline: Timeline, lane: int, row: int) -> tuple[int, int] | None:
    """Give the two moments between which a row's slice runs, or from the mark before it to it; None for neither."""
    host, stream = timeline.host(lane), timeline.stream(lane)
    if host is not None:
        at = place_of(host.lasts, row)
        if at < len(host.lasts) and int(host.rows[at]) <= row:
            return int(host.starts[at]), int(host.ends[at])
    elif stream is not None:
        at = int(np.searchsorted(stream.rows, row))
        if 0 < at < len(stream.rows):
            return int(stream.times[at - 1]), int(stream.times[at])
    return None
