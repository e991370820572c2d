"""Where one stream stands: at which task, and whether that is a wait.

The device's own statement comes first, then the host's list of tasks, then a dump of the device's queue.
"""

from dataclasses import dataclass, replace

from getrace.analysis.confidence import Confidence
from getrace.analysis.hangs.dumped import DumpedQueue, Slot
from getrace.analysis.hangs.grouping import Key
from getrace.analysis.hangs.mapping import LogicalStreams
from getrace.analysis.hangs.model import Hang, StreamIds, Waiter, WaitKind, Why
from getrace.analysis.hangs.queues import Queue, Queues
from getrace.analysis.hangs.stated import Stated
from getrace.analysis.places import Place, cell, place
from getrace.events.device import TaskListed, TaskSubmitted
from getrace.events.streams import EventWaited
from getrace.store.store import Store

NEEDS_RUNTIME = "RUNTIME at INFO (ASCEND_MODULE_LOG_LEVEL=GE=1:RUNTIME=1)"
_NOTIFY = "no line says which notify it is: its recorder may be another stream, another process or another rank"
_NO_EVENT = "GE's line of the wait is missing, so the event is not known: it needs GE at INFO"
_BUSY = "whether the task hangs or only takes long: compare with its time in earlier steps"
_NONE_DONE = "none of its tasks is known to be done, so it may have come further"
_STATED = (
    "the line names neither what is waited for nor who was to record it: read the log of the host process with "
    f"{NEEDS_RUNTIME}, or the dump of its queues"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known besides the host's records: what the device says, its dumps, and the rows of faults."""

    stated: dict[Key, Stated]
    dumps: dict[Key, DumpedQueue]
    faults: dict[Key, int]


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a stream stands. ``wait`` is GE's line of the wait, ``slot`` its position in a dump; None: not shown."""

    hang: Hang
    wait: int | None = None
    slot: Slot | None = None


class Standing:
    """Answers where streams stand."""

    def __init__(self, store: Store, queues: Queues, told: Evidence) -> None:
        self._store = store
        self._queues = queues
        self._told = told
        self.logical = LogicalStreams(store)

    def of(self, key: Key, until: int) -> Stand:
        """Say where a stream stood before a row."""
        said, dump = self._told.stated.get(key), self._told.dumps.get(key)
        queue = self._queues.of(*key, until)
        empty = replace(_empty(*key), pending=queue.pending)
        if key in self._told.faults:
            return Stand(self._failed(empty, queue, self._told.faults[key]))
        head = _head(queue, said)
        if head is not None:
            return self._at(_stated_in(empty, said), queue, head)
        if dump is not None and dump.head in dump.slots:
            return self._dumped(_stated_in(empty, said), dump, dump.slots[dump.head])
        return Stand(self._headless(empty, queue, said))

    def is_wait(self, row: int) -> bool:
        """Say whether the task that a row lists is a wait."""
        return "WAIT" in self.type_of(row)

    def _is_wait_on(self, row: int, rt_stream: int) -> bool:
        """Say whether GE's line at a row tells of a wait on a stream."""
        logical = cell(self._store, "stream", row)
        return self._store.kind(row) is EventWaited and self.logical.fits(row, logical, rt_stream)

    def type_of(self, row: int) -> str:
        """Give the type of the task that a row lists, as RUNTIME names it."""
        event = self._store.event(row)
        return event.type_name if isinstance(event, TaskListed | TaskSubmitted) else ""

    def _failed(self, empty: Hang, queue: Queue, row: int) -> Hang:
        task = cell(self._store, "task", row)
        same = queue.rows[queue.numbers == task] if task is not None else queue.rows[:0]
        line = next(self._queues.lines_of(int(same[-1])), None) if len(same) else None
        return replace(
            empty,
            kind=WaitKind.TASK,
            why=Why.STREAM_FAILED,
            task=task,
            kernel=None if line is None else self._store.kernel(line),
            at=None if line is None else place(self._store, line),
            evidence=(place(self._store, row),),
            confidence=Confidence.HIGH,
            cannot_tell="",
        )

    def _headless(self, empty: Hang, queue: Queue, said: Stated | None) -> Hang:
        """Give what is known of a stream whose waiting task no record of the host shows."""
        if said is not None:
            return replace(stated_hang(said), pending=empty.pending)
        if not len(queue.rows):
            why = f"no line lists a task of this stream: it needs {NEEDS_RUNTIME}"
        elif queue.done is None:
            why = "no line says which of its tasks are done"
        else:
            why = "all its tasks that the log lists are known to be done"
        spots = tuple(place(self._store, row) for row in queue.rows[-1:].tolist())
        return replace(empty, evidence=spots, cannot_tell=why)

    def _at(self, hang: Hang, queue: Queue, head: int) -> Stand:
        """Say at which wait a stream stands, or that it stands at a task of its own."""
        lines = list(self._queues.lines_of(head))
        wait = next((row for row in lines if self._is_wait_on(row, queue.rt_stream)), None)
        first = wait if wait is not None else next(iter(lines), head)
        rows = [first, head] if queue.done_row is None else [first, head, queue.done_row]
        stated = bool(hang.evidence)
        doubt = "" if stated or queue.done_row is not None else _NONE_DONE
        known = Confidence.MEDIUM if queue.done_row is not None else Confidence.LOW
        done = self._last_done(queue)
        hang = replace(
            hang,
            done_kernel=None if done is None else self._store.kernel(done),
            done_at=None if done is None else place(self._store, done),
            task=queue.number(head),
            kernel=self._store.kernel(first),
            at=place(self._store, first),
            evidence=(*hang.evidence, *_places(self._store, *rows)),
            confidence=Confidence.HIGH if stated else known,
        )
        if wait is not None:
            ids = replace(hang.stream, logical=cell(self._store, "stream", wait))
            number = cell(self._store, "event_id", wait)
            return Stand(replace(hang, kind=WaitKind.EVENT, number=number, stream=ids, cannot_tell=doubt), wait)
        named = self.type_of(head)
        if "WAIT" not in named:
            return Stand(replace(hang, kind=WaitKind.TASK, why=Why.STREAM_BUSY, cannot_tell=_BUSY))
        is_notify = "NOTIFY" in named
        kind = WaitKind.NOTIFY if is_notify else WaitKind.EVENT
        return Stand(replace(hang, kind=kind, cannot_tell=_NOTIFY if is_notify else _NO_EVENT))

    def _last_done(self, queue: Queue) -> int | None:
        """Give the line of the kernel whose task was the last that the host knew to be done on a stream."""
        return next(self._queues.lines_of(int(queue.rows[queue.done - 1])), None) if queue.done else None

    def _dumped(self, hang: Hang, dump: DumpedQueue, slot: Slot) -> Stand:
        """Say where a stream stands by the dump of its queue."""
        hang = replace(
            hang,
            task=slot.task,
            evidence=(*hang.evidence, dump.said.place(), slot.said.place()),
            confidence=Confidence.HIGH,
            head=dump.head,
            tail=dump.tail,
            pending=len([position for position in dump.slots if not dump.is_done(position)]),
            cannot_tell="",
        )
        if slot.act != "Wait":
            return Stand(replace(hang, kind=WaitKind.TASK, why=Why.STREAM_BUSY, cannot_tell=_BUSY))
        kind = WaitKind.EVENT if slot.what == "Event" else WaitKind.NOTIFY
        return Stand(replace(hang, kind=kind, number=slot.number), slot=slot)


def stated_hang(said: Stated) -> Hang:
    """Give what a statement of the device tells by itself."""
    hang = _stated_in(_empty(said.pid, said.rt_stream), said)
    return replace(hang, kind=said.kind, task=said.task, cannot_tell=_STATED)


def _head(queue: Queue, said: Stated | None) -> int | None:
    """Give the row of the task at which a stream stands: the one that the device names, else the first not done."""
    if said is None:
        return queue.head
    same = queue.rows[queue.numbers == said.task]
    return int(same[-1]) if len(same) else None


def _stated_in(hang: Hang, said: Stated | None) -> Hang:
    """Put what the device says into a hang."""
    if said is None:
        return hang
    return replace(
        hang,
        evidence=(said.said.place(),),
        confidence=Confidence.HIGH,
        limit_s=said.limit_s,
        waited_s=said.waited_s,
    )


def _empty(pid: int, rt_stream: int) -> Hang:
    unknown = "the log does not say where it stands"
    ids = StreamIds(rt=rt_stream)
    return Hang(Waiter.STREAM, pid, ids, WaitKind.UNKNOWN, Why.UNKNOWN, Confidence.LOW, (), cannot_tell=unknown)


def _places(store: Store, *rows: int) -> tuple[Place, ...]:
    return tuple(place(store, row) for row in dict.fromkeys(rows))
