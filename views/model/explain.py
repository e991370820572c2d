"""What stands at the cursor of a timeline, in words: a slice, a mark or a gap, its length and where that comes from."""

from collections.abc import Iterable

import numpy as np

from getrace.printable import cell_width, printable
from getrace.store.store import Store
from views.model.arrows import Arrow
from views.model.lanes import MARKS, Lane
from views.model.lookup import place_of
from views.model.places import Places, between
from views.model.rows import number_of
from views.model.spans import Line, Span, plain
from views.model.style import LANE_MARKS
from views.model.timeline import HostLane, Timeline, slice_at
from views.model.words import duration_text

INFERRED = "inferred: from the end before it on its thread"
MEASURED = "measured: between two records of the host"


def explain(store: Store, timeline: Timeline, lane: int, row: int, places: Places) -> list[Line]:
    """Tell the slice, mark or gap of a lane at a row, and the time between the markers."""
    time = store.time_or_none(row) if row < store.rows else None
    host, stream = timeline.host(lane), timeline.stream(lane)
    if time is None:
        lines: list[Line] = [[Span("this record has no time", "note")]]
    elif host is not None:
        lines = _at_host(store, timeline, host, row, time)
    elif stream is not None:
        lines = _at_stream(store, timeline, lane - len(timeline.hosts), stream, row, time)
    else:
        lines = [[Span("no lane: the log runs no kernel and names no stream", "dim")]]
    told = between(store, places)
    return [*lines, [told]] if told is not None else lines


def broken(line: Line, width: int) -> list[Line]:
    """Put the last piece of a line below the others where they have no room beside each other: it holds the length."""
    if len(line) < 2 or cell_width(plain(line)) <= width:
        return [line]
    return [line[:-1], [Span(line[-1].text.strip(), line[-1].role)]]


def slices_of_row(lane: HostLane, row: int, time: int) -> int:
    """Give the number of the slice that holds a row, else of the one that runs at its time; -1 for none."""
    order = place_of(lane.lasts, row) if lane.in_order else -1
    if 0 <= order < len(lane.rows) and int(lane.rows[order]) <= row <= int(lane.lasts[order]):
        return order
    return slice_at(lane, time)


def _at_host(store: Store, timeline: Timeline, lane: HostLane, row: int, time: int) -> list[Line]:
    number = slices_of_row(lane, row, time)
    if number < 0:
        return _host_gap(store, timeline, lane, time)
    kernel = printable(store.kernel(int(lane.rows[number])) or "?", 200)
    length = int(lane.ends[number] - lane.starts[number])
    told = (
        "length unknown: nothing stands before it on its thread"
        if lane.unsure[number]
        else (f"{duration_text(length)} ({INFERRED})")
    )
    return [
        [Span(kernel, "strong"), Span(f"  {told}")],
        [
            Span(f"{lane.label}, slice {number + 1:,} of {len(lane.rows):,}, ", "dim"),
            Span(
                f"lines {number_of(store, int(lane.rows[number]))} to {number_of(store, int(lane.lasts[number]))}",
                "dim",
            ),
        ],
    ]


def _host_gap(store: Store, timeline: Timeline, lane: HostLane, time: int) -> list[Line]:
    after = int(np.searchsorted(lane.starts, time, "right"))
    if after == 0 or after == len(lane.starts):
        where = "before its first kernel" if after == 0 else "after its last kernel"
        return [[Span(f"{lane.label} is idle {where}", "note")]]
    start, end = int(lane.ends[after - 1]), int(lane.starts[after])
    others = (other for other in timeline.hosts if other is not lane)
    cause = _longest(store, others, start, end) or "no kernel ran: the program's own time, outside every graph run"
    return [[Span("gap ", "note"), Span(f"{duration_text(end - start)} ({MEASURED})")], [Span(cause, "dim")]]


def _at_stream(store: Store, timeline: Timeline, place: int, lane: Lane, row: int, time: int) -> list[Line]:
    at = int(np.searchsorted(lane.rows, row))
    if at < len(lane.rows) and int(lane.rows[at]) == row:
        mark = MARKS[int(lane.marks[at])]
        line: list[Span] = [Span(f"{lane.label}: {LANE_MARKS[mark].word}", "strong")]
        kernel = store.kernel(row)
        line.append(Span(f"  {printable(kernel, 120)}" if kernel else ""))
        told: list[Line] = [line]
        arrow = next(iter(timeline.arrows.at(row)), None)
        if arrow is not None:
            told.append(_arrow(timeline, arrow, row))
        return [*told, *(_stream_gap(store, timeline, place, lane, at) if at else [])]
    after = int(np.searchsorted(lane.times, time, "right"))
    if 0 < after < len(lane.rows):
        return _stream_gap(store, timeline, place, lane, after)
    return [[Span(f"{lane.label}: nothing here", "dim")]]


def _arrow(timeline: Timeline, arrow: Arrow, row: int) -> Line:
    lanes = timeline.streams or ()
    other = lanes[arrow.to_lane if row == arrow.send_row else arrow.from_lane].label
    verb = "waited for by" if row == arrow.send_row else "waits for"
    length = duration_text(arrow.waited - arrow.sent)
    return [Span(f"{verb} {other}, {length} from send to wait ({MEASURED})", "text")]


def _stream_gap(store: Store, timeline: Timeline, place: int, lane: Lane, at: int) -> list[Line]:
    """Tell the time since the mark before, and why: the host's longest kernel meanwhile, or the wait that ends it."""
    start, end = int(lane.times[at - 1]), int(lane.times[at])
    row = int(lane.rows[at])
    waits = next((a for a in timeline.arrows.at(row) if a.wait_row == row and a.to_lane == place), None)
    if waits is not None and start <= waits.sent <= end:
        sender = (timeline.streams or ())[waits.from_lane].label
        cause = f"the host had nothing for it before its wait for {sender}"
    else:
        who = int(store.column("pid")[lane.rows[at]]), int(store.column("tid")[lane.rows[at]])
        hosts = (host for host in timeline.hosts if (host.pid, host.tid) == who)
        cause = _longest(store, hosts, start, end) or "its thread ran no kernel meanwhile"
    return [
        [Span("since the mark before ", "dim"), Span(f"{duration_text(end - start)} ({MEASURED})")],
        [Span(cause, "dim")],
    ]


def _longest(store: Store, lanes: Iterable[HostLane], start: int, end: int) -> str:
    """Name the slice that took longest of a span of time among some lanes; nothing when none ran."""
    best, told = 0, ""
    for lane in lanes:
        first = max(int(np.searchsorted(lane.starts, start, "right")) - 1, 0)
        last = int(np.searchsorted(lane.starts, end, "left"))
        if last <= first:
            continue
        shares = np.minimum(lane.ends[first:last], end) - np.maximum(lane.starts[first:last], start)
        at = int(np.argmax(shares))
        if int(shares[at]) > best:
            best = int(shares[at])
            kernel = printable(store.kernel(int(lane.rows[first + at])) or "?", 80)
            told = f"meanwhile {lane.label}: {kernel} {duration_text(best)} (inferred)"
    return told
