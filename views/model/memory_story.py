"""What the Memory screen shows, read from the store once: the report, blocks as columns, a curve for each owner.

All of it comes from ``getrace.analysis``: the peak, a block's end and a leak are those of ``getrace memory``.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from getrace.analysis.address_map import Lives, Space, space_of
from getrace.analysis.memory import MemoryReport, Uses, memory_report, pool_curves, usage, uses
from getrace.analysis.stream_ids import stream_ids
from getrace.analysis.stream_report import queue_name
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.curves import Curve, curve_of, memory_curve
from views.model.processes import process_text, processes

USES_LIMIT = 200_000
"""Launches whose addresses are read for the story of an address: each is a line to be read again."""


class NamedCurve(NamedTuple):
    """A curve and whose it is."""

    name: str
    curve: Curve


class MemoryStory(NamedTuple):
    """``curves`` has all memory first, then each stream's, then the pools'; ``leaked`` are indices of blocks."""

    report: MemoryReport
    space: Space
    curves: tuple[NamedCurve, ...]
    used: Uses
    leaked: tuple[int, ...]

    @property
    def lives(self) -> Lives:
        """The device blocks as columns."""
        return self.space.lives


def memory_story(store: Store) -> MemoryStory:
    """Read the story of a store's memory."""
    return list(memory_stories(store))[-1]


def memory_stories(store: Store) -> Iterator[MemoryStory]:
    """Read it in two parts, for a thread: the second has the launches, which are lines to be read again."""
    report = memory_report(store)
    space = space_of(store, report.blocks)
    lives = space.lives
    lost = report.leaks.columns
    leaked = tuple(np.searchsorted(lives.allocs, lost.alloc[~lost.on_host]).tolist())
    nothing = Uses(np.zeros(0, np.int64), np.zeros(0, np.int64))
    story = MemoryStory(report, space, tuple(_curves(store, report, lives)), nothing, leaked)
    yield story
    yield story._replace(used=uses(store, USES_LIMIT))


def _curves(store: Store, report: MemoryReport, lives: Lives) -> list[NamedCurve]:
    found = [NamedCurve("all device memory", memory_curve(store, report.blocks))]
    many = len(processes(store)) > 1
    owners = np.unique(np.stack([lives.pids, lives.streams]), axis=1).T.tolist()
    # One owner has what all have; a stream of its own would only repeat it.
    for pid, stream in owners if len(owners) > 1 else ():
        mine = np.flatnonzero((lives.pids == pid) & (lives.streams == stream))
        name = "stream not said" if stream == none_of("stream") else f"stream {stream}"
        own = usage(store, lives.blocks.take(mine))
        found.append(NamedCurve(process_text(pid, many=many) + name, curve_of(own)))
    ids = stream_ids(store)
    names = {(queue.pid, queue.handle): queue_name(queue) for queue in ids.queues}
    for (pid, handle), pool in pool_curves(store).items():
        name = names.get((pid, handle), f"stream {handle:#x}")
        found.append(NamedCurve(f"{process_text(pid, many=many)}pool of {name}", curve_of(pool)))
    if len(report.pool.rows):
        found.append(NamedCurve("taken from the device", curve_of(report.pool)))
    return found
