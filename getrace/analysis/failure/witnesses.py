"""Records that speak of one failed task: which task it was, and which operator or kernel name they give for it.

A task is a process, an RT stream in one of its lives, and a number. The number wraps: some records print all of it,
some only its low 16 bits (spec/kerneltrace.md 8), so those are what is compared.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from getrace.analysis.failure.model import Told, Witness
from getrace.analysis.neighbours import around
from getrace.analysis.places import text_of
from getrace.analysis.streams import StreamLives
from getrace.events import KIND_NUMBER, Event
from getrace.events.device import DumpPrepared, KernelFault, KernelLaunched, TaskException
from getrace.events.text import LogLine
from getrace.store.store import Store

FAULT_TEXT = re.compile(
    r"stream_id=(?P<stream>\d+), (?:report_stream_id=\d+, )?task_id=(?P<task>\d+), .*?"
    r"(?P<aicpu>fault so_name=[^,]*, )?fault kernel_name=(?P<name>[^,\s]+)(?:, fault op_name=(?P<op>[^,\s]+))?"
)
"""A fault whose record the grammar has no row for: other engines and releases print it in other words."""

_WINDOW = 500
"""Records of the process, before and after a failure, in which the exception dumper's words are looked for."""

_RECORD_LIMIT = 1 << 16
"""Characters of a record that are read; the dumper's words stand in its first line."""
_TASK = "task_id"
"""What all words of the dumper below hold."""

# What the dumper says when it is told of a fault; and what it says at the launch, in case that one will be needed.
_DUMPED = (
    re.compile(r"Find exception op \[(?P<op>.+?)\] of task_id: ?(?P<task>\d+), stream_id: ?(?P<stream>\d+)"),
    re.compile(
        r"origin_op_name \[(?P<op>[^\]]+)\], op_name \[[^\]]*\], task_id (?P<task>\d+), stream_id (?P<stream>\d+)"
    ),
    re.compile(
        r"node_name: ?(?P<op>.+?), node_type: ?(?P<type>\w+), stream_id: ?(?P<stream>\d+), task_id: ?(?P<task>\d+)"
    ),
)
_SAVED = (re.compile(r"save dump op \[(?P<op>.+?)\] info of task_id: ?(?P<task>\d+), stream_id: ?(?P<stream>\d+)"),)

_LOW_BITS = 0xFFFF


@dataclass(frozen=True, slots=True)
class Fault:
    """A task that failed on the device, as the record at ``row`` says; ``life`` is the life of its stream."""

    row: int
    pid: int
    rt_stream: int
    task: int
    life: int

    def same_task(self, other: "Fault") -> bool:
        """Say whether two records speak of one task."""
        return (self.pid, self.rt_stream, self.life) == (other.pid, other.rt_stream, other.life) and same_number(
            self.task, other.task
        )


@dataclass(frozen=True, slots=True)
class Note:
    """Words of the exception dumper, with the task that they are about."""

    row: int
    rt_stream: int
    task: int
    op: str
    op_type: str | None


def same_number(one: int, other: int) -> bool:
    """Say whether two task numbers may be one task's."""
    return one & _LOW_BITS == other & _LOW_BITS


def dumped(store: Store, pid: int, row: int) -> Iterator[Note]:
    """Give what the exception dumper said around a row of its process after it was told of a fault."""
    return _notes(store, pid, row, _DUMPED)


class TaskRecords:
    """Reads what the records of a log say of tasks. ``faults`` are the rows that tell of a failed task."""

    def __init__(self, store: Store, lives: StreamLives, faults: Sequence[int]) -> None:
        self._store = store
        self._lives = lives
        self._faults = faults
        self._read: dict[int, Fault | None] = {}

    def fault(self, row: int) -> Fault | None:
        """Read the fault that a row reports, or None when it reports none."""
        if row not in self._read:
            self._read[row] = self._fault(row)
        return self._read[row]

    def _fault(self, row: int) -> Fault | None:
        event = self._store.event(row)
        if isinstance(event, TaskException | KernelFault):
            return self._at(row, event.rt_stream, event.task)
        told = FAULT_TEXT.search(text_of(self._store, row))
        return self._at(row, int(told["stream"]), int(told["task"])) if told else None

    def witnesses(self, fault: Fault) -> list[Witness]:
        """Give those who name the operator or the kernel of a task, the best first."""
        return [*self._prepared(fault), *self._noted(fault), *self._named(fault), *self._launched(fault)]

    def _of_task(self, kind: type[Event], fault: Fault) -> list[int]:
        """Give the rows of a kind whose stream and task may be the fault's: a row is only read when they are."""
        rows = self._store.holding("rt_stream", fault.rt_stream, kind)
        rows = rows[rows < fault.row]
        fits = self._store.at("task", rows) & _LOW_BITS == fault.task & _LOW_BITS
        return [int(row) for row in rows[fits]]

    def _at(self, row: int, rt_stream: int, task: int) -> Fault:
        pid = int(self._store.column("pid")[row])
        return Fault(row, pid, rt_stream, task, self._lives.number(pid, rt_stream, row))

    def _led_to(self, row: int, rt_stream: int, task: int, fault: Fault) -> bool:
        return row < fault.row and self._at(row, rt_stream, task).same_task(fault)

    def _prepared(self, fault: Fault) -> list[Witness]:
        """Give the dumper's event for the task, nearest before the fault."""
        found = []
        for row in self._of_task(DumpPrepared, fault):
            event = self._store.event(row)
            if isinstance(event, DumpPrepared) and self._led_to(row, event.rt_stream, event.task, fault):
                found = [Witness(Told.DUMPER, row, event.node, exact=True)]
        return found

    def _noted(self, fault: Fault) -> list[Witness]:
        return [
            Witness(Told.DUMPER, note.row, note.op, note.op_type, exact=True)
            for note in _notes(self._store, fault.pid, fault.row, _DUMPED + _SAVED)
            if self._at(note.row, note.rt_stream, note.task).same_task(fault)
        ]

    def _named(self, fault: Fault) -> list[Witness]:
        """Give the names in the fault's own records, each once."""
        found: dict[str, Witness] = {}
        for row in self._faults:
            said = self.fault(row)
            witness = self._name_at(row) if said is not None and said.same_task(fault) else None
            if witness is not None:
                found.setdefault(witness.name, witness)
        return list(found.values())

    def _name_at(self, row: int) -> Witness | None:
        event = self._store.event(row)
        if isinstance(event, KernelFault):
            return Witness(Told.FAULT, row, event.fault_name)
        told = FAULT_TEXT.search(text_of(self._store, row)) if isinstance(event, LogLine) else None
        if told is None:
            return None
        # A kernel of the AI CPU is found by the operator's type, so its name is that type.
        op_type = told["name"] if told["aicpu"] else None
        return Witness(Told.FAULT, row, told["op"] or told["name"], op_type, exact=bool(told["op"]))

    def _launched(self, fault: Fault) -> list[Witness]:
        """Give the name under which RUNTIME launched the task, nearest before the fault."""
        found = []
        for row in self._of_task(KernelLaunched, fault):
            event = self._store.event(row)
            if isinstance(event, KernelLaunched) and self._led_to(row, event.rt_stream, event.task, fault):
                found = [Witness(Told.LAUNCHED, row, event.fault_name)]
        return found


def _notes(store: Store, pid: int, row: int, wordings: Sequence[re.Pattern[str]]) -> Iterator[Note]:
    rows = around(store, pid, row, _WINDOW)
    rows = rows[store.column("kind")[rows] == KIND_NUMBER[LogLine.kind]]
    for near, record in zip(rows.tolist(), store.texts(rows, _RECORD_LIMIT), strict=True):
        event = store.event(near) if _TASK in record else None
        if not isinstance(event, LogLine):
            continue
        for wording in wordings:
            found = wording.search(event.text)
            if found:
                parts = found.groupdict()
                yield Note(near, int(parts["stream"]), int(parts["task"]), parts["op"], parts.get("type"))
