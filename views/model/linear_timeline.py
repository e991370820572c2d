"""The timeline as plain lines: lane by lane, each slice or mark with its length and where that comes from."""

from collections.abc import Iterator

from getrace.printable import printable
from getrace.store.store import Store
from views.model.arrows import Arrow
from views.model.explain import INFERRED, MEASURED
from views.model.lacks import NO_LANES
from views.model.lanes import MARKS, Lane
from views.model.linear import WIDE, Wanted
from views.model.rows import clock_text, number_of
from views.model.style import LANE_MARKS
from views.model.timeline import HostLane, Timeline, timelines
from views.model.words import byte_text, duration_text


def timeline(store: Store, wanted: Wanted) -> Iterator[str]:
    """Tell the threads, then the streams, then the peak of the memory."""
    found = list(timelines(store))[-1]
    since = wanted.at or 0
    yield f"Timeline: {found.count} lanes over {duration_text(found.whole.length)} ({MEASURED})"
    if not found.count:
        yield NO_LANES
    for host in found.hosts:
        yield from _host(store, host, since)
    arrows = {row: arrow for arrow in found.arrows for row in (arrow.send_row, arrow.wait_row)}
    for stream in found.streams or ():
        yield from _stream(store, found, stream, arrows, since)
    if found.curve is not None and found.curve.peak >= 0:
        row = int(found.curve.rows[found.curve.peak])
        peak = byte_text(int(found.curve.live[found.curve.peak]))
        yield f"Memory: peak {peak} at line {number_of(store, row)}, {clock_text(store, row)}"


def _host(store: Store, lane: HostLane, since: int) -> Iterator[str]:
    busy = duration_text(int(lane.busy[-1]))
    yield f"{lane.label}: {len(lane.rows):,} kernels, {busy} in them ({INFERRED}), {len(lane.errors):,} errors"
    for place in range(len(lane.rows)):
        row = int(lane.lasts[place])
        if row < since:
            continue
        gap = int(lane.starts[place]) - int(lane.ends[place - 1]) if place else 0
        if gap > 0:
            yield f"  gap of {duration_text(gap)} ({MEASURED})"
        length = duration_text(int(lane.ends[place] - lane.starts[place]))
        told = "length unknown" if lane.unsure[place] else f"{length} (inferred)"
        yield f"  line {number_of(store, row)}, {clock_text(store, row)}: {_kernel(store, row)}, {told}"


def _stream(store: Store, found: Timeline, lane: Lane, arrows: dict[int, Arrow], since: int) -> Iterator[str]:
    yield f"{lane.label}: {len(lane.rows):,} marks; the log does not say when the device worked"
    before = -1
    for row, mark, time in zip(lane.rows.tolist(), lane.marks.tolist(), lane.times.tolist(), strict=True):
        passed = "" if before < 0 else f", {duration_text(time - before)} after the mark before ({MEASURED})"
        before = time
        if row >= since:
            kernel = _kernel(store, row)
            what = LANE_MARKS[MARKS[mark]].word + (f" by {kernel}" if kernel else "")
            where = f"line {number_of(store, row)}, {clock_text(store, row)}"
            yield f"  {where}: {what}{passed}{_arrow(store, found, arrows.get(row), row)}"


def _arrow(store: Store, found: Timeline, arrow: Arrow | None, row: int) -> str:
    if arrow is None:
        return ""
    lanes = found.streams or ()
    if row == arrow.send_row:
        return f", waited for by {lanes[arrow.to_lane].label} at line {number_of(store, arrow.wait_row)}"
    return f", sent by {lanes[arrow.from_lane].label} at line {number_of(store, arrow.send_row)}"


def _kernel(store: Store, row: int) -> str:
    return printable(store.kernel(row) or "", WIDE)
