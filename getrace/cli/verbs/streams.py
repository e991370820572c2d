"""``getrace streams``: the streams, sends and waits in pairs, what is left over, and uses that nothing orders."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from getrace.analysis.failure import diagnose
from getrace.analysis.failure.model import Diagnosis
from getrace.analysis.places import file_of, line_of
from getrace.analysis.stream_hazards import MEANINGS, Hazard
from getrace.analysis.stream_ids import Queue
from getrace.analysis.stream_pairs import Pair, Signal, Unmatched, duration_of
from getrace.analysis.stream_report import (
    Gap,
    StreamReport,
    StreamStory,
    event_name,
    missing,
    stream_report,
)
from getrace.analysis.switches import GE_SWITCH
from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json, address, duration_json
from getrace.cli.hangs import hangs_json, hangs_text
from getrace.cli.layout import Paint, columns, counted, duration_text
from getrace.cli.options import add_paths
from getrace.cli.row_json import row_json
from getrace.cli.source_names import SourceNames

if TYPE_CHECKING:
    from getrace.store.store import Store

EXAMPLES = ("getrace streams plog-370.log", "getrace streams plog-370.log --json")

_SHOWN = 40
_PROVENANCE = "inferred"


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)


def answer(options: Namespace, tools: Tools) -> Answer:
    """Tell of the streams of the logs; exit 1 when a use has no order, 3 when no line names a stream."""
    store = tools.open(options.paths)
    report, diagnosis = stream_report(store), diagnose(store)
    found = ExitCode.FOUND if report.order.hazards else ExitCode.FINE
    return Answer(
        code=found if report.streams or diagnosis.hangs.streams else ExitCode.UNREADABLE,
        data={**_data(store, report), "waits": hangs_json(diagnosis.hangs)},
        text=lambda paint: _text(store, report, diagnosis, paint),
        sources=store.sources,
        warnings=list(_warnings(report)),
    )


def _warnings(report: StreamReport) -> Iterator[str]:
    order = report.order
    if not report.streams:
        yield f"no line of the log names a stream: run with {GE_SWITCH}"
    for pid in order.untold:
        yield f"process {pid}: no line ties its logical streams to those it launches on, so their order is not checked"
    if order.examined and order.examined < order.eligible:
        yield f"the order of the first {order.examined} of {order.eligible} launches was checked"


def _data(store: "Store", report: StreamReport) -> Json:
    names = report.ids.queues
    return {
        "streams": [_stream_json(store, story) for story in report.streams],
        "pairs": [_pair_json(store, pair) for pair in report.pairing.pairs],
        "unmatched": [_unmatched_json(store, one) for one in report.pairing.unmatched],
        "hazards": [_hazard_json(store, hazard, names) for hazard in report.order.hazards],
        "checked_launches": report.order.examined,
    }


def _stream_json(store: "Store", story: StreamStory) -> Json:
    queue = story.queue
    return {
        "pid": queue.pid,
        "stream": queue.stream,
        "rt_stream": queue.rt_stream,
        "handle": address(queue.handle),
        "launches": story.launches,
        "sends": story.sends,
        "waits": story.waits,
        "first": row_json(store, story.first),
        "last": row_json(store, story.last),
        "gaps": [_gap_json(store, gap) for gap in story.gaps],
    }


def _gap_json(store: "Store", gap: Gap) -> Json:
    ends = {"from": row_json(store, gap.first), "to": row_json(store, gap.last)}
    return {**ends, "duration": duration_json(gap.ns, _PROVENANCE)}


def _signal_json(store: "Store", signal: Signal) -> Json:
    return {"stream": signal.stream, **(row_json(store, signal.row) or {})}


def _event_json(signal: Signal) -> Json:
    return {"pid": signal.pid, "event_id": signal.event_id, "event": address(signal.handle)}


def _pair_json(store: "Store", pair: Pair) -> Json:
    return {
        **_event_json(pair.send),
        "send": _signal_json(store, pair.send),
        "wait": _signal_json(store, pair.wait),
        "duration": duration_json(duration_of(store, pair), _PROVENANCE),
    }


def _unmatched_json(store: "Store", one: Unmatched) -> Json:
    kind = {"kind": "send" if one.signal.sends else "wait"}
    return {**kind, **_event_json(one.signal), **_signal_json(store, one.signal), "why": one.why}


def _hazard_json(store: "Store", hazard: Hazard, queues: tuple[Queue, ...]) -> Json:
    return {
        "kind": hazard.kind,
        "events": [hazard.first, hazard.second],
        "missing": missing(hazard, queues),
        "addr": address(hazard.addr),
        "streams": [None if n < 0 else queues[n].stream for n in (hazard.source, hazard.target)],
        "places": [row_json(store, hazard.first), row_json(store, hazard.second)],
    }


def _text(store: "Store", report: StreamReport, diagnosis: Diagnosis, paint: Paint) -> Iterator[str]:
    names = SourceNames([source.path for source in store.sources])
    yield _headline(report, len(diagnosis.hangs.streams), paint)
    yield from columns(names.heading())
    if report.streams:
        yield from _streams_text(store, report, paint, names)
    yield from _hazards_text(store, report, paint, names)
    yield from _unmatched_text(store, report, paint, names)
    yield from hangs_text(diagnosis, names, paint)
    yield from _pairs_text(store, report, paint, names)


def _headline(report: StreamReport, waits: int, paint: Paint) -> str:
    if waits:
        return paint("red", "WAITS") + f"  {counted(waits, 'wait')} had not ended when the log did"
    if not report.streams:
        return paint("yellow", "NOTHING") + "  no line of the log names a stream"
    if report.order.hazards:
        return paint("red", "HAZARD") + f"  {counted(len(report.order.hazards), 'use')} without the order it needs"
    several = f"{counted(len(report.streams), 'stream')}, {counted(len(report.pairing.pairs), 'pair')} of send and wait"
    if not report.order.examined:
        return paint("green", "STREAMS") + f"  {several}; nothing to order"
    launches = f"{report.order.examined} launch{'' if report.order.examined == 1 else 'es'}"
    return paint("green", "IN ORDER") + f"  {several}; the order of {launches} was checked"


def _streams_text(store: "Store", report: StreamReport, paint: Paint, names: SourceNames) -> Iterator[str]:
    head = ("process", "stream", "rt stream", "pointer", "launches", "sends", "waits", "longest gap", "between")
    table: list[tuple[str, ...]] = [head]
    for story in report.streams:
        queue, gap = story.queue, next(iter(story.gaps), None)
        between = "" if gap is None else f"{_at(store, gap.first, names)} and {_at(store, gap.last, names)}"
        numbers = (queue.pid, queue.stream, queue.rt_stream)
        counts = (story.launches, story.sends, story.waits)
        said = ("?" if n is None else str(n) for n in numbers)
        pointer = address(queue.handle) or "?"
        table.append((*said, pointer, *map(str, counts), duration_text(None if gap is None else gap.ns), between))
    yield ""
    yield from columns(table, frozenset(range(8)), width=paint.width, squeeze=8)
    if any(story.gaps for story in report.streams):
        yield paint("dim", "  gaps are inferred: the host's time between two lines of launches")


def _hazards_text(store: "Store", report: StreamReport, paint: Paint, names: SourceNames) -> Iterator[str]:
    hazards = report.order.hazards
    if not hazards:
        return
    yield ""
    yield paint("bold", f"hazards ({len(hazards)})")
    for hazard in hazards[:_SHOWN]:
        addr = f" of {hazard.addr:#x}" if hazard.addr is not None else ""
        yield f"  {paint('red', hazard.kind)}{addr}: {MEANINGS[hazard.kind]}"
        for row in (hazard.first, hazard.second):
            yield f"    {_at(store, row, names)}  {store.kernel(row) or store.kind(row).kind}"
        yield f"    -> missing: {missing(hazard, report.ids.queues)}"
    yield from _more(len(hazards))


def _unmatched_text(store: "Store", report: StreamReport, paint: Paint, names: SourceNames) -> Iterator[str]:
    left = report.pairing.unmatched
    if not left:
        return
    yield ""
    yield paint("bold", f"unmatched ({len(left)})")
    table = [("what", "event", "stream", "at", "kernel", "why")]
    for one in left[:_SHOWN]:
        signal = one.signal
        what = "send" if signal.sends else "wait"
        named = (event_name(signal.event_id, signal.handle), str(signal.stream), _at(store, signal.row, names))
        table.append((what, *named, store.kernel(signal.row) or "", one.why))
    yield from columns(table, width=paint.width, squeeze=4)
    yield from _more(len(left))


def _pairs_text(store: "Store", report: StreamReport, paint: Paint, names: SourceNames) -> Iterator[str]:
    pairs = report.pairing.pairs
    if not pairs:
        return
    yield ""
    yield paint("bold", f"pairs ({len(pairs)})")
    table = [("event", "from", "to", "sent", "waited", "sent by", "waited by")]
    for send, wait in pairs[:_SHOWN]:
        places = (_at(store, send.row, names), _at(store, wait.row, names))
        kernels = (store.kernel(send.row) or "", store.kernel(wait.row) or "")
        streams = (str(send.stream), str(wait.stream))
        table.append((event_name(send.event_id, send.handle), *streams, *places, *kernels))
    yield from columns(table, frozenset(range(3)), width=paint.width, squeeze=6)
    yield from _more(len(pairs))


def _at(store: "Store", row: int, names: SourceNames) -> str:
    line = line_of(store, row)
    return names.at(file_of(store, row), line) if line else f"event {row}"


def _more(count: int) -> Iterator[str]:
    if count > _SHOWN:
        yield f"  … {count - _SHOWN} more (all of them with --json)"
