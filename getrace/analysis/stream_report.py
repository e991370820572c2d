"""Everything the ``streams`` command and the Streams screen say, in one value.

Were the screen to pair or to check for itself, the two would disagree over the first log that breaks off.
"""

from typing import NamedTuple

import numpy as np

from getrace.analysis.stream_hazards import FREED_TWICE, USED_AFTER_FREE, WAITED_FOR_NOTHING, Hazard
from getrace.analysis.stream_ids import LAUNCHES, UNKNOWN, Ints, Queue, StreamIds, stream_ids
from getrace.analysis.stream_order import Order, stream_order
from getrace.analysis.stream_pairs import Pairing, pairing
from getrace.store.columns import none_of
from getrace.store.store import Store

GAPS_SHOWN = 3


class Gap(NamedTuple):
    """Nothing was launched on a stream between two rows; ``ns`` is the host's time between the two lines."""

    first: int
    last: int
    ns: int


class StreamStory(NamedTuple):
    """One stream: how much was put on it, the rows between which that was, and its longest gaps, longest first."""

    queue: Queue
    launches: int
    sends: int
    waits: int
    first: int | None
    last: int | None
    gaps: tuple[Gap, ...]


class StreamReport(NamedTuple):
    """All streams of a store, the pairs of their events, and what the happens-before check found."""

    ids: StreamIds
    streams: tuple[StreamStory, ...]
    pairing: Pairing
    order: Order


def stream_report(store: Store) -> StreamReport:
    """Work out the story of the streams of a store."""
    ids, paired = stream_ids(store), pairing(store)
    launches = store.rows_of(*LAUNCHES).astype(np.int64)
    pids, handles = (store.at(name, launches).astype(np.int64) for name in ("pid", "handle"))
    launched = ids.of_handle(pids, handles)
    signals = sorted({s for pair in paired.pairs for s in pair} | {one.signal for one in paired.unmatched})
    rows, own, streams = np.array([(s.row, s.pid, s.stream) for s in signals], np.int64).reshape(-1, 3).T
    signalled = ids.of_logical(rows, own, streams)
    sends = np.array([s.sends for s in signals], bool)
    stories = []
    for number, queue in enumerate(ids.queues):
        mine = launches[launched == number]
        marks = np.union1d(mine, rows[signalled == number])
        own_signals = signalled == number
        stories.append(
            StreamStory(
                queue=queue,
                launches=len(mine),
                sends=int(own_signals[sends].sum()),
                waits=int(own_signals[~sends].sum()),
                first=int(marks[0]) if len(marks) else None,
                last=int(marks[-1]) if len(marks) else None,
                gaps=_gaps(store, mine),
            )
        )
    return StreamReport(ids, tuple(stories), paired, stream_order(store, ids, paired))


def queue_name(queue: Queue) -> str:
    """Name a stream as the log does: by its logical number, else by the runtime's id, else by its pointer."""
    if queue.stream is not None:
        return f"stream {queue.stream}"
    return f"rt stream {queue.rt_stream}" if queue.rt_stream is not None else f"stream {queue.handle:#x}"


def missing(hazard: Hazard, queues: tuple[Queue, ...]) -> str:
    """Say what would have made a hazard none."""
    source, target = ("" if n < 0 else queue_name(queues[n]) for n in (hazard.source, hazard.target))
    return {
        WAITED_FOR_NOTHING: f"a send before the wait at {target}",
        USED_AFTER_FREE: f"an allocation before the use on {target}",
        FREED_TWICE: "an allocation between the two",
    }.get(hazard.kind) or f"an event sent on {source} after the first use, and a wait at {target} before the second"


def _gaps(store: Store, launches: Ints) -> tuple[Gap, ...]:
    times = store.column("time")[launches].astype(np.int64)
    known = times != none_of("time")
    rows, times = launches[known], times[known]
    passed = np.diff(times)
    longest = np.argsort(-passed, kind="stable")[:GAPS_SHOWN]
    return tuple(Gap(int(rows[at]), int(rows[at + 1]), int(passed[at])) for at in longest if passed[at] > 0)


def event_name(event_id: int, handle: int) -> str:
    """Name an event: its number, or its pointer where only that is known."""
    return f"{handle:#x}" if event_id == UNKNOWN else str(event_id)
