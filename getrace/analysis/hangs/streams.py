"""The blocked streams of a log and the host's waits for them, joined to a graph of who keeps whom.

Starts at the waits of the host and at what the device says, and goes from each wait to its recorder's stream.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from getrace.analysis.confidence import Confidence
from getrace.analysis.hangs import graph
from getrace.analysis.hangs.grouping import Key
from getrace.analysis.hangs.host import HostWait
from getrace.analysis.hangs.model import Hang, StreamIds, Waiter, WaitKind, Why
from getrace.analysis.hangs.queues import Queues
from getrace.analysis.hangs.recorders import Recorders
from getrace.analysis.hangs.standing import Evidence, Standing
from getrace.analysis.places import place
from getrace.clock import NS_PER_SECOND
from getrace.store.store import Store

NEAR = 0.1
"""The last part of a wait: a stream that did something in it had not stopped for long."""
LIMIT = 512
"""Streams of one process that are looked at besides those that somebody waits for."""


class StreamSolver:
    """Collects streams to look at, and answers for all of them at once."""

    def __init__(self, store: Store, told: Evidence) -> None:
        self._store = store
        self._queues = Queues(store)
        self._standing = Standing(store, self._queues, told)
        self._recorders = Recorders(store, self._queues, self._standing, told.dumps)
        self._until: dict[Key, int] = {}

    def stream(self, key: Key, until: int) -> None:
        """Look at a stream as it stood before a row; the first row that is given counts."""
        self._until.setdefault(key, until)

    def waiting_streams(self, pid: int) -> None:
        """Look at the streams of a process that stand at a wait when the log ends."""
        for rt_stream in self._queues.streams(pid)[:LIMIT]:
            head = self._queues.of(pid, rt_stream, self._store.rows).head
            if head is not None and self._standing.is_wait(head):
                self.stream((pid, rt_stream), self._store.rows)

    def solve(self, waits: Iterable[HostWait]) -> tuple[Hang, ...]:
        """Give every stream that was asked for or that one of them waits for, and the host's waits, roots marked."""
        host = list(waits)
        found = self._follow()
        index = {key: number for number, key in enumerate(found)}
        hangs = [replace(hang, on=None if on is None else index[on]) for hang, on in found.values()]
        hangs = [hang if hang.on is None else _blocked(hang, hangs[hang.on]) for hang in hangs]
        for wait in host:
            on = index[wait.pid, wait.rt_stream]
            hangs.append(self._host(wait, hangs[on], on))
            if hangs[-1].why is Why.TOO_SHORT:
                hangs[on] = replace(hangs[on], why=Why.TOO_SHORT, on=len(hangs) - 1, cannot_tell="")
        return _with_roots(hangs)

    def _follow(self) -> dict[Key, tuple[Hang, Key | None]]:
        """Look at streams until no wait leads to a new one; a work list, as chains may be long and may be circles."""
        found: dict[Key, tuple[Hang, Key | None]] = {}
        left = deque(self._until)
        while left:
            key = left.popleft()
            if key in found:
                continue
            until = self._until[key]
            answer = self._recorders.of(self._standing.of(key, until), until)
            found[key] = (answer.hang, answer.on)
            if answer.on is not None:
                self.stream(answer.on, until)
                left.append(answer.on)
        return found

    def _host(self, wait: HostWait, stream: Hang, on: int) -> Hang:
        """Make the host's own wait for a stream."""
        rows = dict.fromkeys(row for row in (wait.row, wait.start) if row is not None)
        hang = Hang(
            Waiter.HOST,
            wait.pid,
            StreamIds(rt=wait.rt_stream, logical=stream.stream.logical),
            WaitKind.SYNCHRONISE,
            Why.UNKNOWN,
            stream.confidence,
            tuple(place(self._store, row) for row in rows),
            on=on,
            waited_s=self._waited(wait),
        )
        if wait.timed_out and self._went_on(wait, stream):
            return replace(hang, why=Why.TOO_SHORT, on=None)
        told = _blocked(hang, stream)
        if wait.ended and not wait.timed_out and told.why is Why.UNKNOWN:
            return replace(told, why=Why.STREAM_FAILED)
        return replace(told, cannot_tell=self._near_end(wait, hang.waited_s))

    def _waited(self, wait: HostWait) -> float | None:
        """Give the seconds from the start of a wait to its end; None when the log does not show both."""
        if not wait.ended or wait.start is None:
            return None
        start, end = (self._store.time_or_none(row) for row in (wait.start, wait.row))
        return None if start is None or end is None else (end - start) / NS_PER_SECOND

    def _near_end(self, wait: HostWait, waited_s: float | None) -> str:
        """Say when the stream did something shortly before the host gave up: it may only have been slow."""
        done = self._queues.of(wait.pid, wait.rt_stream, wait.row).done_row
        times = [self._store.time_or_none(row) for row in (done, wait.row) if row is not None]
        if not waited_s or len(times) != 2 or times[0] is None or times[1] is None:
            return ""
        before = (times[1] - times[0]) / NS_PER_SECOND
        near = before < waited_s * NEAR
        return f"a task was done {before:.3f} s before the host gave up: the device may only be slow" if near else ""

    def _went_on(self, wait: HostWait, stream: Hang) -> bool:
        """Say whether the device did the task at which the stream stood after the host had given up."""
        if stream.kind is not WaitKind.TASK or stream.why is not Why.STREAM_BUSY:
            return False
        then = self._queues.of(wait.pid, wait.rt_stream, wait.row)
        later = self._queues.of(wait.pid, wait.rt_stream, self._store.rows)
        return then.done is not None and later.done is not None and later.done > then.done


def _blocked(hang: Hang, other: Hang) -> Hang:
    """Say why what is waited for has not happened, from where the stream that should do it stands."""
    sure = min(hang.confidence, other.confidence, key=lambda each: -list(Confidence).index(each))
    if hang.why is Why.LAUNCHED_LATE:
        return replace(hang, confidence=sure)
    if other.kind is WaitKind.UNKNOWN:
        return replace(hang, why=Why.UNKNOWN, confidence=sure, cannot_tell=other.cannot_tell)
    if other.kind is WaitKind.TASK:
        why = Why.STREAM_FAILED if other.why is Why.STREAM_FAILED else Why.STREAM_BUSY
    else:
        why = Why.STREAM_BLOCKED
    return replace(hang, why=why, confidence=sure)


def _with_roots(hangs: list[Hang]) -> tuple[Hang, ...]:
    """Mark those that nobody of the list keeps waiting, and the circles that nothing leads out of."""
    edges = {number: [hang.on] for number, hang in enumerate(hangs) if hang.on is not None}
    ends = set(graph.roots(edges)) | {number for number in range(len(hangs)) if number not in edges}
    return tuple(replace(hang, root=number in ends) for number, hang in enumerate(hangs))
