"""Who was to end a wait, and why that has not happened as far as one stream tells.

Where the recorder's own stream has not come so far, the answer depends on that stream: it is given by its key.
"""

from dataclasses import dataclass, replace

from getrace.analysis.confidence import Confidence
from getrace.analysis.hangs.dumped import DumpedQueue, recorder_of, records_in
from getrace.analysis.hangs.events import EventBook
from getrace.analysis.hangs.grouping import Key
from getrace.analysis.hangs.model import Hang, Recorder, StreamIds, Why
from getrace.analysis.hangs.queues import Queue, Queues
from getrace.analysis.hangs.standing import NEEDS_RUNTIME, Stand, Standing
from getrace.analysis.places import cell, place
from getrace.store.store import Store


@dataclass(frozen=True, slots=True)
class Found:
    """A hang with its recorder. ``on``: the stream that has to move first; None: the answer stands as it is."""

    hang: Hang
    on: Key | None = None


class Recorders:
    """Finds the recorders of waits."""

    def __init__(self, store: Store, queues: Queues, standing: Standing, dumps: dict[Key, DumpedQueue]) -> None:
        self._store = store
        self._queues = queues
        self._standing = standing
        self._logical = standing.logical
        self._events = EventBook(store)
        self._records = records_in(dumps.values())

    def of(self, stand: Stand, until: int) -> Found:
        """Say who was to end the wait at which a stream stands."""
        if stand.wait is not None:
            return self._of_event(stand.hang, stand.wait, until)
        return Found(stand.hang) if stand.slot is None else self._of_slot(stand)

    def _of_event(self, hang: Hang, wait: int, until: int) -> Found:
        found = self._events.record_of(wait)
        if found is None:
            why = "no record of this event is in the log: another process may own it, or the log begins too late"
            return Found(replace(hang, why=Why.NEVER_LAUNCHED, confidence=Confidence.LOW, cannot_tell=why))
        task = self._record_task(found.row)
        recorder = self._recorder(found.row, task, launched=not found.usual)
        hang = replace(hang, recorder=recorder, evidence=(*hang.evidence, place(self._store, found.row)))
        if found.usual:
            return Found(replace(hang, why=Why.NEVER_LAUNCHED))
        if found.late:
            hang = replace(hang, why=Why.LAUNCHED_LATE)
        rt_stream = recorder.stream.rt
        if rt_stream is None or task is None:
            missing = f"no line says which task records the event: it needs {NEEDS_RUNTIME}"
            return Found(replace(hang, cannot_tell=missing))
        return self._behind(hang, self._queues.of(hang.pid, rt_stream, until), task)

    def _behind(self, hang: Hang, queue: Queue, task: int) -> Found:
        """Say why a record has not happened, from where its stream stands."""
        at = queue.place_of(task)
        if queue.done is None or at is None:
            return Found(replace(hang, cannot_tell="no line says how far the recorder's stream had come"))
        if at >= queue.done:
            return Found(hang, (hang.pid, queue.rt_stream))
        done = () if queue.done_row is None else (place(self._store, queue.done_row),)
        return Found(replace(hang, why=Why.SIGNAL_LOST, evidence=(*hang.evidence, *done)))

    def _of_slot(self, stand: Stand) -> Found:
        """Find the recorder of a dumped wait in the dumps of the same process."""
        hang, slot = stand.hang, stand.slot
        found = None if slot is None else recorder_of(self._records, slot, hang.pid)
        if found is None:
            why = f"no dumped queue holds the record of {hang.kind} {hang.number}: dump the queues of all streams"
            return Found(replace(hang, cannot_tell=why))
        queue, record = found
        spot = record.said.place()
        recorder = Recorder(StreamIds(rt=queue.rt_stream), None, record.task, spot)
        hang = replace(hang, recorder=recorder, evidence=(*hang.evidence, spot))
        if queue.is_done(record.position):
            return Found(replace(hang, why=Why.SIGNAL_LOST))
        return Found(hang, (queue.pid, queue.rt_stream))

    def _recorder(self, row: int, task: int | None, *, launched: bool) -> Recorder:
        """Make the recorder of which GE's line at a row tells; one that was not launched has neither task nor line."""
        logical = cell(self._store, "stream", row)
        rt_stream = self._logical.rt_of(row, logical) if task is None else cell(self._store, "rt_stream", task)
        number = None if task is None or not launched else cell(self._store, "task", task)
        spot = place(self._store, row) if launched else None
        return Recorder(StreamIds(logical=logical, rt=rt_stream), self._store.kernel(row), number, spot)

    def _record_task(self, row: int) -> int | None:
        """Give the row that lists the task of a record: the last one of its thread, when it is one of its stream."""
        task = self._queues.task_before(row)
        if task is None or "RECORD" not in self._standing.type_of(task):
            return None
        rt_stream = self._store.value("rt_stream", task)
        return task if self._logical.fits(row, cell(self._store, "stream", row), rt_stream) else None
