"""The lists of the Streams screen: streams with their numbers, pairs of send and wait, what is left over, hazards."""

from collections.abc import Sequence

import numpy as np

from getrace.analysis.hangs.model import WORDS, Hang, Waiter, WaitKind, Why
from getrace.analysis.stream_pairs import duration_of
from getrace.analysis.stream_report import StreamReport, event_name, missing
from getrace.store.store import Store
from views.model.kernel_words import kernel_words
from views.model.lacks import NO_STREAM_LINES
from views.model.rows import number_of
from views.model.spans import Span
from views.model.table import Cells, Head, Table, listed, rows_array
from views.model.words import duration_text

STREAMS: tuple[Head, ...] = (
    Head("logical", 7, right=True),
    Head("rt", 6, right=True),
    Head("pointer", 16, needs=90),
    Head("process", 8, right=True, needs=64),
    Head("launches", 8, right=True),
    Head("sends", 6, right=True),
    Head("waits", 6, right=True),
    Head("longest gap (inferred)"),
)
PAIRS: tuple[Head, ...] = (
    Head("event", 7, right=True),
    Head("from", 5, right=True),
    Head("to", 5, right=True),
    Head("sent", 8, right=True),
    Head("waited", 8, right=True),
    Head("between", 9, right=True, needs=76),
    Head("sent by", name=True),
    Head("waited by", needs=66, name=True),
)
LEFT: tuple[Head, ...] = (
    Head("what", 5),
    Head("event", 7, right=True),
    Head("stream", 6, right=True),
    Head("line", 8, right=True),
    Head("why"),
    Head("kernel", name=True),
)
HAZARDS: tuple[Head, ...] = (
    Head("what", 18),
    Head("streams", 8),
    Head("address", 14, needs=60),
    Head("first", 8, right=True),
    Head("then", 8, right=True),
    Head("missing"),
)
WAITS: tuple[Head, ...] = (
    Head("who"),
    Head("waits for", 22),
    Head("who was to end it", needs=90),
    Head("and that", needs=60),
    Head("line", 8, right=True),
)
NO_WAITS = "nothing waits: no stream stood still when the log ended"
NO_PAIRS = "no event was sent and waited for"
NOTHING_LEFT = "every send was waited for, and every wait had its send"


def stream_list(store: Store, report: StreamReport) -> Table:
    """List the streams with all their numbers; a line leads to the first thing put on a stream."""
    table = []
    for story in report.streams:
        queue, gap = story.queue, next(iter(story.gaps), None)
        counts = (story.launches, story.sends, story.waits)
        between = ""
        if gap is not None:
            between = f"{duration_text(gap.ns)}, {number_of(store, gap.first)} to {number_of(store, gap.last)}"
        table.append(
            (
                Span(_known(queue.stream), "strong"),
                Span(_known(queue.rt_stream), "number"),
                Span("?" if queue.handle is None else f"{queue.handle:#x}", "dim"),
                Span(_known(queue.pid), "dim"),
                *(Span(f"{count:,}") for count in counts),
                Span(between, "note"),
            )
        )
    firsts = [-1 if story.first is None else story.first for story in report.streams]
    return listed(STREAMS, table, firsts, NO_STREAM_LINES)


def pair_list(store: Store, report: StreamReport) -> Table:
    """List the pairs in the order of their waits; a line leads to its wait."""
    pairs = report.pairing.pairs

    def cells(index: int) -> Cells:
        send, wait = pairs[index]
        passed = duration_of(store, pairs[index])
        return (
            Span(event_name(send.event_id, send.handle), "number"),
            Span(str(send.stream), "lane:send"),
            Span(str(wait.stream), "lane:wait"),
            Span(str(number_of(store, send.row))),
            Span(str(number_of(store, wait.row))),
            Span("" if passed is None else duration_text(passed), "dim"),
            Span(kernel_words(store.kernel(send.row)), "name"),
            Span(kernel_words(store.kernel(wait.row)), "name"),
        )

    return Table(PAIRS, len(pairs), cells, pairs.rows[:, 1], NO_PAIRS)


def left_list(store: Store, report: StreamReport) -> Table:
    """List sends and waits without a partner, in row order."""
    left = report.pairing.unmatched

    def cells(index: int) -> Cells:
        signal, why = left[index]
        return (
            Span("send" if signal.sends else "wait", "bad"),
            Span(event_name(signal.event_id, signal.handle), "number"),
            Span(str(signal.stream)),
            Span(str(number_of(store, signal.row))),
            Span(why, "note"),
            Span(kernel_words(store.kernel(signal.row)), "name"),
        )

    return Table(LEFT, len(left), cells, rows_array([one.signal.row for one in left]), NOTHING_LEFT)


def hazard_list(store: Store, report: StreamReport) -> Table:
    """List the uses that nothing orders; a line leads to the later use."""
    hazards, queues = report.order.hazards, report.ids.queues

    def cells(index: int) -> Cells:
        hazard = hazards[index]
        ends = (_known(queues[n].stream) if n >= 0 else "-" for n in (hazard.source, hazard.target))
        return (
            Span(hazard.kind.replace("_", " "), "bad"),
            Span(" to ".join(ends)),
            Span("" if hazard.addr is None else f"{hazard.addr:#x}", "number"),
            Span(str(number_of(store, hazard.first))),
            Span(str(number_of(store, hazard.second))),
            Span(missing(hazard, queues), "note"),
        )

    rows = rows_array([hazard.second for hazard in hazards])
    return Table(HAZARDS, len(hazards), cells, rows, order_words(report))


def wait_list(store: Store, hangs: Sequence[Hang]) -> Table:
    """List who still waited when the log ended: the host first, then stream by stream down to the one to blame."""
    ordered = chain(hangs)

    def cells(index: int) -> Cells:
        hang = ordered[index]
        who = "host" if hang.waiter is Waiter.HOST else hang.stream.text
        recorder = hang.recorder
        ender = "" if recorder is None else f"{kernel_words(recorder.kernel) or 'a task'} on {recorder.stream.text}"
        return (
            Span(f"{who}{' <- root' if hang.root else ''}", "bad" if hang.root else "strong"),
            Span(_awaited(hang)),
            Span(ender, "name"),
            Span("" if hang.why is Why.UNKNOWN else WORDS[hang.why], "note"),
            Span(str(number_of(store, _row_of(hang))) if _row_of(hang) >= 0 else "-"),
        )

    return Table(WAITS, len(ordered), cells, rows_array([_row_of(hang) for hang in ordered]), NO_WAITS)


def chain(hangs: Sequence[Hang]) -> list[Hang]:
    """Put waits in the order of who hangs on whom: each is followed by the one that keeps it waiting."""
    held = {hang.on for hang in hangs if hang.on is not None}
    starts = [place for place in range(len(hangs)) if place not in held]
    ordered: dict[int, None] = {}
    for start in (*starts, *range(len(hangs))):
        place: int | None = start
        while place is not None and place not in ordered:
            ordered[place] = None
            place = hangs[place].on
    return [hangs[place] for place in ordered]


def _awaited(hang: Hang) -> str:
    number = "" if hang.number is None else f" {hang.number}"
    if hang.kind is WaitKind.SYNCHRONISE:
        return f"the end of {hang.stream.text}"
    if hang.kind is WaitKind.TASK:
        return "its own task" + ("" if hang.task is None else f" {hang.task}")
    return f"{hang.kind}{number}"


def _row_of(hang: Hang) -> int:
    if hang.at is not None:
        return hang.at.row
    return hang.evidence[0].row if hang.evidence else -1


def order_words(report: StreamReport) -> str:
    """Say what the happens-before check looked at, for a list without hazards."""
    order = report.order
    if order.untold:
        return "not checked: no line ties the logical streams to those of the launches"
    if not order.examined:
        return "nothing to order: there is one stream, or no launch shows its addresses"
    part = "" if order.examined == order.eligible else f" of {order.eligible:,}"
    return f"in order: {order.examined:,}{part} launches were checked"


def partner(report: StreamReport, row: int) -> int:
    """Give the row of the other end of a pair: of a wait its send, of a send its first wait; -1 for any other row."""
    rows = report.pairing.pairs.rows
    found = np.flatnonzero((rows == row).any(1))
    if not len(found):
        return -1
    send, wait = rows[found[0]].tolist()
    return int(send if row == wait else wait)


def other_use(report: StreamReport, row: int, index: int) -> int:
    """Give the other row of a hazard than the one the cursor is at."""
    hazard = report.order.hazards[index]
    return hazard.first if row == hazard.second else hazard.second


def _known(number: int | None) -> str:
    return "?" if number is None else str(number)
