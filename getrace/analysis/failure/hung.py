"""What a hang says of a failure: the kernel whose stream never moved on, and which processes failed by themselves."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure.causes import Cause
from getrace.analysis.failure.model import Blamed, How
from getrace.analysis.failure.phases import COMMUNICATION, SYNC
from getrace.analysis.failure.signs import Signs
from getrace.analysis.hangs.model import Hangs, Rank, Waiter
from getrace.analysis.places import Place, place
from getrace.analysis.rules.telling import Telling
from getrace.ids import split_kernel_name
from getrace.store.store import Store

_SHARED = "logs of several folders have this process number, so this may be told of two processes"
_WAITS = frozenset({COMMUNICATION, SYNC})
"""Phases in which a process reports a wait, not what ended it."""


def own_failures(store: Store, signs: Signs, causes: Iterable[Cause]) -> dict[int, Place]:
    """Give the first record of a failure that is no wait, by process."""
    found: dict[int, Place] = {}
    pid = store.column("pid")
    for row in sorted([*signs.kernel_errors, *signs.device_faults]):
        if int(pid[row]) not in found:
            found[int(pid[row])] = place(store, row)
    for cause in causes:
        if cause.weight >= Telling.FAULT and cause.phase not in _WAITS:
            found.setdefault(cause.pid, cause.place)
    return found


def last_done_before(hangs: Hangs, blamed: Blamed, pid: int) -> int | None:
    """Give the row of the kernel whose task was the last to be done on the stream of a blamed wait."""
    root = hangs.root_of(pid) if blamed.how is How.WAIT else None
    return None if root is None or root.done_at is None else root.done_at.row


def blame_of_wait(hangs: Hangs, pid: int) -> Blamed | None:
    """Blame the kernel of the wait that the others of a process hang on; None when no stream is known to stand."""
    if not any(hang.waiter is Waiter.HOST and hang.pid == pid for hang in hangs.streams):
        return None
    root = hangs.root_of(pid)
    if root is None or root.kernel is None:
        return None
    return Blamed(
        How.WAIT,
        root.kernel,
        split_kernel_name(root.kernel).node or None,
        None if root.at is None else root.at.row,
        root.stream.rt,
        root.task,
        doubtful=root.confidence is Confidence.LOW,
    )


def doubted(hangs: Hangs, shared: Collection[int]) -> Hangs:
    """Doubt what is told of processes whose number the logs of several folders have: it may be told of two."""
    if not shared:
        return hangs
    streams = tuple(
        replace(hang, confidence=Confidence.LOW, cannot_tell="; ".join(filter(None, (hang.cannot_tell, _SHARED))))
        if hang.pid in shared
        else hang
        for hang in hangs.streams
    )
    groups = (
        replace(group, ranks=_doubted(group.ranks, shared), roots=_doubted(group.roots, shared))
        for group in hangs.groups
    )
    return replace(hangs, streams=streams, groups=tuple(groups))


def _doubted(ranks: Iterable[Rank], shared: Collection[int]) -> tuple[Rank, ...]:
    return tuple(
        replace(rank, confidence=Confidence.LOW, cannot_tell=rank.cannot_tell or _SHARED)
        if rank.pid in shared
        else rank
        for rank in ranks
    )
