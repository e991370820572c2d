"""Who waits for whom, as JSON and as text: streams with their recorders, ranks with their wait-for graph."""

from collections.abc import Iterator, Sequence

from getrace.analysis.failure.model import Diagnosis, How
from getrace.analysis.hangs.draft import process_name
from getrace.analysis.hangs.model import (
    STATE_WORDS,
    WORDS,
    Hang,
    Hangs,
    Limit,
    Rank,
    RankGraph,
    RankState,
    StreamIds,
    Waiter,
    WaitKind,
    Why,
)
from getrace.analysis.places import Place
from getrace.cli.envelope import Json, clean
from getrace.cli.layout import Paint
from getrace.cli.source_names import SourceNames

_SHOWN = 8
_PLACES = 3
_SYNC = frozenset({"sync", "communication"})


# -- JSON ------------------------------------------------------------------------------------------------------------


def hangs_json(hangs: Hangs) -> list[Json]:
    """Spell the streams and hosts that wait."""
    return [_hang_json(hang) for hang in hangs.streams]


def _hang_json(hang: Hang) -> Json:
    recorder = hang.recorder
    return {
        "waiter": str(hang.waiter),
        "pid": _pid(hang.pid),
        "stream": _ids_json(hang.stream),
        "task": hang.task,
        "kernel": None if hang.kernel is None else clean(hang.kernel),
        "wait": {"kind": str(hang.kind), "number": hang.number, "waited_s": hang.waited_s, "limit_s": hang.limit_s},
        "queue": {"head": hang.head, "tail": hang.tail, "pending": hang.pending},
        "last_done": None
        if hang.done_at is None
        else {"kernel": None if hang.done_kernel is None else clean(hang.done_kernel), **_at_json(hang.done_at)},
        "recorder": None
        if recorder is None
        else {
            "kernel": None if recorder.kernel is None else clean(recorder.kernel),
            "stream": _ids_json(recorder.stream),
            "task": recorder.task,
            "at": None if recorder.place is None else _at_json(recorder.place),
        },
        "why": str(hang.why),
        "on": hang.on,
        "root": hang.root,
        "confidence": str(hang.confidence),
        "cannot_tell": clean(hang.cannot_tell) or None,
        "evidence": [_at_json(spot) for spot in hang.evidence],
    }


def _ids_json(ids: StreamIds) -> Json:
    return {"rt": ids.rt, "logical": ids.logical, "model": ids.model, "printed": ids.printed}


def _at_json(spot: Place) -> Json:
    return {"file": clean(spot.file), "line": spot.line, "text": clean(spot.head)}


def _pid(pid: int | None) -> int | None:
    return None if pid is None or pid < 0 else pid


def ranks_json(hangs: Hangs) -> Json | None:
    """Spell the wait-for graphs of ranks; None when no line tells of ranks."""
    if not hangs.groups:
        return None
    return {
        "groups": [_group_json(group) for group in hangs.groups],
        "limits": [_limit_json(limit) for limit in hangs.limits],
    }


def _group_json(group: RankGraph) -> Json:
    spread = group.spread
    return {
        "group": clean(group.group) or None,
        "size": group.size,
        "ranks": [_rank_json(rank) for rank in group.ranks],
        "edges": [
            {
                "from": clean(edge.waiter),
                "to": clean(edge.peer),
                "what": clean(edge.what),
                "stated": edge.stated,
                "evidence": [_at_json(spot) for spot in edge.evidence],
            }
            for edge in group.edges
        ],
        "roots": [_rank_json(rank) for rank in group.roots],
        "cycles": [[clean(name) for name in ring] for ring in group.cycles],
        "spread": {
            "ns": spread.ns,
            "first_ns": spread.first_ns,
            "last_ns": spread.last_ns,
            "inside": spread.inside,
            "text": clean(spread.text),
            "limits": [_limit_json(limit) for limit in spread.limits],
        },
        "cannot_tell": clean(group.cannot_tell) or None,
    }


def _rank_json(rank: Rank) -> Json:
    return {
        "rank": clean(rank.name),
        "state": str(rank.state),
        "pid": _pid(rank.pid),
        "time_ns": rank.time_ns,
        "confidence": str(rank.confidence),
        "cannot_tell": clean(rank.cannot_tell) or None,
        "evidence": [_at_json(spot) for spot in rank.evidence],
    }


def _limit_json(limit: Limit) -> Json:
    spot = limit.place
    return {"name": limit.name, "s": limit.seconds, "given": limit.given, "file": clean(spot.file), "line": spot.line}


def hang_warnings(hangs: Hangs) -> list[str]:
    """Say what was left out."""
    return [f"{hangs.unread} records that may tell of waits were left unread: the log has too many"] * bool(
        hangs.unread
    )


# -- text ------------------------------------------------------------------------------------------------------------


def hangs_text(diagnosis: Diagnosis, names: SourceNames, paint: Paint) -> Iterator[str]:
    """Print who waits, when something waits at the end or a wait is the failure."""
    hangs, failure = diagnosis.hangs, diagnosis.failure
    waits = failure is None or failure.how in (How.WAIT, How.SILENCE) or failure.phase in _SYNC
    blocked = any(hang.kind in (WaitKind.EVENT, WaitKind.NOTIFY) for hang in hangs.streams)
    if not (hangs.streams or hangs.groups) or not (waits or blocked):
        return
    yield ""
    yield paint("bold", "waits:")
    own = [hang for hang in hangs.streams if hang.why is not Why.ELSEWHERE]
    ordered = sorted(own, key=lambda hang: (not hang.root, hang.waiter is Waiter.HOST))
    for hang in ordered[:_SHOWN]:
        yield from _hang_text(hang, hangs.streams, names, paint)
    yield from _more(len(ordered), "streams")
    for group in hangs.groups:
        yield from _group_text(group, names, paint)
    collective = [hang for hang in hangs.streams if hang.why is Why.ELSEWHERE]
    for hang in collective[:_SHOWN]:
        places = names.lines(hang.evidence, _PLACES)
        yield f"  {process_name(hang.pid)}: {hang.stream.text} {_doing(hang)}  lines {places}"
        yield f"    {clean(hang.cannot_tell)} ({hang.confidence} confidence)"
    yield from _more(len(collective), "streams of HCCL")


def _more(count: int, what: str) -> Iterator[str]:
    if count > _SHOWN:
        yield f"    and {count - _SHOWN} more {what}: --json has all"


def _hang_text(hang: Hang, hangs: Sequence[Hang], names: SourceNames, paint: Paint) -> Iterator[str]:
    who = f"the host ({process_name(hang.pid)})" if hang.waiter is Waiter.HOST else hang.stream.text
    root = paint("red", "  <- root") if hang.root else ""
    yield f"  {who} {_doing(hang)}{root}"
    recorder = hang.recorder
    if recorder is not None:
        kernel = recorder.kernel or "a task"
        task = "" if recorder.task is None else f", task {recorder.task}"
        at = "" if recorder.place is None else f"  {names.at(recorder.place.file, recorder.place.line)}"
        yield f"    recorder  {clean(kernel)} on {recorder.stream.text}{task}{at}"
    if hang.done_at is not None and hang.done_kernel is not None:
        yield f"    last done {clean(hang.done_kernel)}  {names.at(hang.done_at.file, hang.done_at.line)}"
    if hang.why is not Why.UNKNOWN:
        behind = "" if hang.on is None or hang.waiter is Waiter.HOST else f" ({hangs[hang.on].stream.text})"
        what = "it has not happened" if hang.kind in (WaitKind.EVENT, WaitKind.NOTIFY) else "it does not go on"
        yield f"    {'' if hang.why is Why.TOO_SHORT else f'{what}: '}{WORDS[hang.why]}{behind}"
    if hang.cannot_tell:
        yield f"    cannot tell: {clean(hang.cannot_tell)}"
    yield f"    evidence  lines {names.lines(hang.evidence, _PLACES)} ({hang.confidence} confidence)"


def _doing(hang: Hang) -> str:
    number = "" if hang.number is None else f" {hang.number}"
    task = "" if hang.task is None else f" at task {hang.task}"
    kernel = "" if hang.kernel is None else f", {clean(hang.kernel)}"
    if hang.kind is WaitKind.SYNCHRONISE:
        waited = "" if hang.waited_s is None else f", {hang.waited_s:.3f} s"
        limit = "" if hang.limit_s is None else f" of {hang.limit_s:g} s allowed"
        return f"waits for {hang.stream.text} to end{waited}{limit}"
    if hang.kind in (WaitKind.EVENT, WaitKind.NOTIFY):
        limit = "" if hang.limit_s is None else f" for {hang.waited_s:g} s of {hang.limit_s:g} s allowed"
        return f"waits for {hang.kind}{number}{task}{kernel}{limit}"
    if hang.kind is WaitKind.TASK:
        return f"{'failed' if hang.why is Why.STREAM_FAILED else 'stands'}{task}{kernel}"
    return f"stands{task or ' somewhere'}{kernel}"


def _group_text(group: RankGraph, names: SourceNames, paint: Paint) -> Iterator[str]:
    size = "" if group.size is None else f" of {group.size}"
    told = _listed([clean(rank.name) for rank in group.ranks if rank.state is RankState.WAITING])
    yield f"  ranks{size}{f' in group {clean(group.group)}' if group.group else ''}; waiting: {told or 'none says so'}"
    for root in group.roots[:_SHOWN]:
        places = f"  lines {names.lines(root.evidence, _PLACES)}" if root.evidence else ""
        why = f"; cannot tell: {clean(root.cannot_tell)}" if root.cannot_tell else ""
        label = paint("red", "root")
        yield f"    {label}  {clean(root.name)} {STATE_WORDS[root.state]} ({root.confidence} confidence{why}){places}"
    for ring in group.cycles:
        yield f"    circle: {' and '.join(map(clean, ring))} wait for one another"
    stated = [edge for edge in group.edges if edge.stated]
    for edge in stated[:_SHOWN]:
        places = f"  lines {names.lines(edge.evidence, _PLACES)}" if edge.evidence else ""
        yield f"    {clean(edge.waiter)} waits for {clean(edge.peer)}: {clean(edge.what)}{places}"
    yield from _more(len(stated), "waits")
    waiters: dict[str, list[str]] = {}
    for edge in group.edges:
        if not edge.stated:
            waiters.setdefault(edge.peer, []).append(clean(edge.waiter))
    for peer, those in list(waiters.items())[:_SHOWN]:
        verb = "waits" if len(those) == 1 else "wait"
        yield f"    {_listed(those)} {verb} for {clean(peer)}, as follows from the rest"
    yield f"    time-outs: {clean(group.spread.text)}"
    if group.cannot_tell:
        yield f"    cannot tell: {clean(group.cannot_tell)}"


def _listed(names: Sequence[str]) -> str:
    """Name the first of many and count the others."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
