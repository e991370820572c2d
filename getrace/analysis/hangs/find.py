"""All waits of a log that did not end: streams with the host's waits, and ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from getrace.analysis.hangs.dumped import dumped_queues
from getrace.analysis.hangs.grouping import Key
from getrace.analysis.hangs.host import HostWait, host_waits
from getrace.analysis.hangs.lines import Said, said_in, said_in_text
from getrace.analysis.hangs.model import Hang, Hangs, Limit, Waiter, WaitKind, Why
from getrace.analysis.hangs.ranks import RankSolver
from getrace.analysis.hangs.standing import Evidence, stated_hang
from getrace.analysis.hangs.stated import stated
from getrace.analysis.hangs.streams import StreamSolver
from getrace.analysis.hangs.timeouts import STREAM_SYNC, limits
from getrace.analysis.places import Place, cell
from getrace.events.device import KernelFault, TaskException
from getrace.store.store import Store


def find_hangs(store: Store, failed: Mapping[int, Place] | None = None) -> Hangs:
    """Say what waits in a log whose processes tell everything in the order of time.

    ``failed`` has, by process, the first record of a failure that is no wait: a rank that has one was not waiting.
    """
    said, unread = said_in(store)
    known = limits(said)
    ranks = RankSolver(said, failed or {}, known)
    return replace(_together(_streams(store, said), ranks, known), unread=unread)


def find_hangs_in_text(file: str, texts: Sequence[str]) -> Hangs:
    """Say what the lines of a text without records tell of waits."""
    said = said_in_text(file, texts)
    known = limits(said)
    streams = tuple(replace(stated_hang(each), root=True) for each in stated(said).values())
    return _together(streams, RankSolver(said, {}, known), known)


def _together(streams: tuple[Hang, ...], ranks: RankSolver, known: tuple[Limit, ...]) -> Hangs:
    limit = {each.seconds for each in known if each.name == STREAM_SYNC}
    timed = [
        replace(hang, limit_s=next(iter(limit))) if hang.waited_s is not None and len(limit) == 1 else hang
        for hang in streams
        if hang.waiter is Waiter.HOST
    ]
    others = [hang for hang in streams if hang.waiter is not Waiter.HOST]
    return Hangs((*others, *timed, *ranks.hangs()), ranks.graphs(), known)


def _streams(store: Store, said: Sequence[Said]) -> tuple[Hang, ...]:
    waits = host_waits(store)
    told = Evidence(stated(said), dumped_queues(said), _faults(store, waits))
    solver = StreamSolver(store, told)
    for wait in waits:
        solver.stream((wait.pid, wait.rt_stream), wait.row if wait.ended else store.rows)
    for key in told.stated:
        solver.stream(key, store.rows)
    for pid in dict.fromkeys([*(wait.pid for wait in waits), *(own for own, _ in (*told.stated, *told.faults))]):
        solver.waiting_streams(pid)
    hangs = solver.solve(waits)
    return hangs if any(map(_is_wait, hangs)) else ()


def _is_wait(hang: Hang) -> bool:
    """Say whether somebody waits for more than a stream that failed: that is told as the failure."""
    return hang.kind in (WaitKind.EVENT, WaitKind.NOTIFY) or (
        hang.why is not Why.STREAM_FAILED and (hang.waiter is Waiter.HOST or bool(hang.evidence))
    )


def _faults(store: Store, waits: Sequence[HostWait]) -> dict[Key, int]:
    """Give the first fault of each stream that the runtime tells of.

    A synchronise may come back with the fault of another stream; it counts for its own only where no fault is told.
    """
    found: dict[Key, int] = {}
    pid = store.column("pid")
    for row in store.rows_of(TaskException, KernelFault).tolist():
        rt_stream = cell(store, "rt_stream", row)
        if rt_stream is not None:
            found.setdefault((int(pid[row]), rt_stream), row)
    told = {own for own, _ in found}
    for wait in waits:
        if wait.ended and not wait.timed_out and wait.pid not in told:
            found.setdefault((wait.pid, wait.rt_stream), wait.row)
    return found
