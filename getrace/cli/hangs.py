"""Who waits for whom, as JSON and as text: streams with their recorders, ranks with their wait-for graph."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from getrace.analysis.failure.model import Diagnosis, How
from getrace.analysis.failure.sayings import phrase
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
from getrace.analysis.rules.model import Language
from getrace.cli.envelope import Json, clean
from getrace.cli.layout import Paint
from getrace.cli.source_names import SourceNames

Say = Callable[..., str]
"""Gives a label or a sentence in the language of the user, with what is filled in."""

_english = partial(phrase, language=Language.EN)
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


def hangs_text(diagnosis: Diagnosis, names: SourceNames, paint: Paint, say: Say = _english) -> Iterator[str]:
    """Print who waits, when something waits at the end or a wait is the failure."""
    hangs, failure = diagnosis.hangs, diagnosis.failure
    waits = failure is None or failure.how in (How.WAIT, How.SILENCE) or failure.phase in _SYNC
    blocked = any(hang.kind in (WaitKind.EVENT, WaitKind.NOTIFY) for hang in hangs.streams)
    if not (hangs.streams or hangs.groups) or not (waits or blocked):
        return
    yield ""
    yield paint("bold", say("waits:"))
    own = [hang for hang in hangs.streams if hang.why is not Why.ELSEWHERE]
    ordered = sorted(own, key=lambda hang: (not hang.root, hang.waiter is Waiter.HOST))
    for hang in ordered[:_SHOWN]:
        yield from _hang_text(hang, hangs.streams, names, paint, say)
    yield from _more(len(ordered), "and {count} more streams: --json has all", say)
    for group in hangs.groups:
        yield from _group_text(group, names, paint, say)
    collective = [hang for hang in hangs.streams if hang.why is Why.ELSEWHERE]
    for hang in collective[:_SHOWN]:
        places = names.lines(hang.evidence, _PLACES)
        yield f"  {_process(hang.pid, say)}: {_stream(hang.stream, say)} {_doing(hang, say)}  {say('lines')} {places}"
        yield f"    {say(clean(hang.cannot_tell))} ({say(f'{hang.confidence} confidence')})"
    yield from _more(len(collective), "and {count} more streams of HCCL: --json has all", say)


def _more(count: int, what: str, say: Say) -> Iterator[str]:
    if count > _SHOWN:
        yield f"    {say(what, count=count - _SHOWN)}"


def _process(pid: int, say: Say) -> str:
    return say(process_name(pid)) if pid < 0 else say("process {pid}", pid=pid)


def _stream(ids: StreamIds, say: Say) -> str:
    """Name a stream; each kind of number keeps its English name, as logs have it."""
    return say(ids.text)


def _hang_text(hang: Hang, hangs: Sequence[Hang], names: SourceNames, paint: Paint, say: Say) -> Iterator[str]:
    host = hang.waiter is Waiter.HOST
    who = say("the host ({process})", process=_process(hang.pid, say)) if host else _stream(hang.stream, say)
    root = paint("red", f"  <- {say('root')}") if hang.root else ""
    yield f"  {who} {_doing(hang, say)}{root}"
    recorder = hang.recorder
    if recorder is not None:
        kernel = clean(recorder.kernel) if recorder.kernel else say("a task")
        task = "" if recorder.task is None else f", task {recorder.task}"
        at = "" if recorder.place is None else f"  {names.at(recorder.place.file, recorder.place.line)}"
        where = say("{kernel} on {stream}", kernel=kernel, stream=_stream(recorder.stream, say))
        yield f"    {say('recorder ')} {where}{task}{at}"
    if hang.done_at is not None and hang.done_kernel is not None:
        yield f"    {say('last done')} {clean(hang.done_kernel)}  {names.at(hang.done_at.file, hang.done_at.line)}"
    if hang.why is not Why.UNKNOWN:
        behind = "" if hang.on is None or host else f" ({_stream(hangs[hang.on].stream, say)})"
        what = "it has not happened" if hang.kind in (WaitKind.EVENT, WaitKind.NOTIFY) else "it does not go on"
        yield f"    {'' if hang.why is Why.TOO_SHORT else f'{say(what)}: '}{say(WORDS[hang.why])}{behind}"
    if hang.cannot_tell:
        yield f"    {say('cannot tell')}: {say(clean(hang.cannot_tell))}"
    lines = names.lines(hang.evidence, _PLACES)
    yield f"    {say('evidence ')} {say('lines')} {lines} ({say(f'{hang.confidence} confidence')})"


def _doing(hang: Hang, say: Say) -> str:
    number = "" if hang.number is None else f" {hang.number}"
    task = "" if hang.task is None else say(" at task {task}", task=hang.task)
    kernel = "" if hang.kernel is None else f", {clean(hang.kernel)}"
    if hang.kind is WaitKind.SYNCHRONISE:
        waited = "" if hang.waited_s is None else f", {hang.waited_s:.3f} s"
        limit = "" if hang.limit_s is None else say(" of {limit:g} s allowed", limit=hang.limit_s)
        return say("waits for {stream} to end", stream=_stream(hang.stream, say)) + waited + limit
    if hang.kind in (WaitKind.EVENT, WaitKind.NOTIFY):
        limit = ""
        if hang.limit_s is not None:
            limit = say(" for {waited:g} s of {limit:g} s allowed", waited=hang.waited_s, limit=hang.limit_s)
        return say(f"waits for {hang.kind}") + f"{number}{task}{kernel}{limit}"
    if hang.kind is WaitKind.TASK:
        return f"{say('failed' if hang.why is Why.STREAM_FAILED else 'stands')}{task}{kernel}"
    return f"{say('stands')}{task or say(' somewhere')}{kernel}"


def _group_text(group: RankGraph, names: SourceNames, paint: Paint, say: Say) -> Iterator[str]:
    size = "" if group.size is None else say(" of {size}", size=group.size)
    told = _listed([clean(rank.name) for rank in group.ranks if rank.state is RankState.WAITING], say)
    of = say(" in group {group}", group=clean(group.group)) if group.group else ""
    yield f"  {say('ranks')}{size}{of}; {say('waiting')}: {told or say('none says so')}"
    for root in group.roots[:_SHOWN]:
        places = f"  {say('lines')} {names.lines(root.evidence, _PLACES)}" if root.evidence else ""
        why = f"; {say('cannot tell')}: {say(clean(root.cannot_tell))}" if root.cannot_tell else ""
        sure = f"({say(f'{root.confidence} confidence')}{why})"
        yield f"    {paint('red', say('root'))}  {clean(root.name)} {say(STATE_WORDS[root.state])} {sure}{places}"
    for ring in group.cycles:
        yield f"    {say('circle: {names} wait for one another', names=say(' and ').join(map(clean, ring)))}"
    yield from _edges_text(group, names, say)
    yield f"    {say('time-outs')}: {say(clean(group.spread.text))}"
    if group.cannot_tell:
        yield f"    {say('cannot tell')}: {say(clean(group.cannot_tell))}"


def _edges_text(group: RankGraph, names: SourceNames, say: Say) -> Iterator[str]:
    """Say who waits for whom: what lines say one by one, and what follows from them together."""
    stated = [edge for edge in group.edges if edge.stated]
    for edge in stated[:_SHOWN]:
        places = f"  {say('lines')} {names.lines(edge.evidence, _PLACES)}" if edge.evidence else ""
        pair = say("{one} waits for {other}", one=clean(edge.waiter), other=clean(edge.peer))
        yield f"    {pair}: {say(clean(edge.what))}{places}"
    yield from _more(len(stated), "and {count} more waits: --json has all", say)
    waiters: dict[str, list[str]] = {}
    for edge in group.edges:
        if not edge.stated:
            waiters.setdefault(edge.peer, []).append(clean(edge.waiter))
    for peer, those in list(waiters.items())[:_SHOWN]:
        verb = "waits" if len(those) == 1 else "wait"
        text = f"{{those}} {verb} for {{peer}}, as follows from the rest"
        yield f"    {say(text, those=_listed(those, say), peer=clean(peer))}"


def _listed(names: Sequence[str], say: Say) -> str:
    """Name the first of many and count the others."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" {say('and {count} more', count=more)}" if more > 0 else "")
