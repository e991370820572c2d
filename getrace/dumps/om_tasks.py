"""TASK_INFO: what the device will be asked to do, task by task in launch order.

A task is read as far as a view needs it: type, stream, operator, kernel. Its message stays beside it untouched, so
that a file that is written again has the very same tasks.

Source: spec/formats.md 1.12.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from getrace.dumps.wire import LENGTH, VARINT, Wire, WireField, put_content, put_number, put_text, signed

MOST_TASKS = 100_000
BYTES_PER_TASK = 64

_TYPE_WORDS = (
    "KERNEL EVENT_RECORD EVENT_WAIT FUSION_START FUSION_END KERNEL_EX HCCL STREAM_SWITCH STREAM_ACTIVE LABEL_SET "
    "LABEL_SWITCH LABEL_GOTO PROFILER_TRACE MEMCPY_ASYNC NOTIFY_RECORD NOTIFY_WAIT REDUCE_ASYNC RDMA_SEND "
    "EVENT_RESET END_GRAPH STREAM_SWITCH_N RDMA_DB_SEND MEMCPY_ADDR_ASYNC STREAM_LABEL_SWITCH_BY_INDEX "
    "STREAM_LABEL_GOTO MODEL_EXIT ALL_KERNEL PROFILER_TRACE_EX FFTS FFTS_PLUS DSA CMO BARRIER "
    "NPU_GET_FLOAT_STATUS NPU_CLEAR_FLOAT_STATUS DVPP NPU_GET_DEBUG_FLOAT_STATUS NPU_CLEAR_DEBUG_FLOAT_STATUS "
    "CMO_ADDR VECTOR_KERNEL VECTOR_ALL_KERNEL UPDATE NOP PREPROCESS_KERNEL SUPER_KERNEL MEM_EVENT_RECORD "
    "MEM_EVENT_WAIT FUSION_KERNEL KERNEL_LAUNCH_V2 CCU_KERNEL CUSTOM_KERNEL"
)

TASK_TYPES: tuple[str, ...] = tuple(_TYPE_WORDS.split())
"""Names of task types by number."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task: its type's number, stream, event, the id of its operator (None: it has none), kernel, and its message."""

    type: int
    stream_id: int = 0
    event_id: int = 0
    op_index: int | None = None
    kernel: str = ""
    content: bytes = field(default=b"", repr=False)

    @property
    def type_name(self) -> str:
        """GE's name of the type, its number when it has none."""
        return TASK_TYPES[self.type] if 0 <= self.type < len(TASK_TYPES) else str(self.type)


@dataclass(frozen=True, slots=True)
class TaskList:
    """A ModelTaskDef: its tasks, and its other fields as bytes in front of them."""

    tasks: tuple[Task, ...] = ()
    head: bytes = b""


_TYPE, _STREAM, _EVENT, _TASK = 2, 10, 11, 10
_KERNEL, _WITH_HANDLE = 20, 40

_OP_INDEX: Mapping[int, tuple[int, ...]] = {
    _KERNEL: (1, 4),
    21: (4,),
    25: (8,),
    26: (1,),
    31: (6,),
    32: (1,),
    33: (1,),
    37: (1,),
    38: (1,),
    39: (1,),
    _WITH_HANDLE: (1, 4),
    42: (1,),
    43: (1,),
}
"""Where the operator's id stands, by the field of the task that holds the rest: field numbers from outside in."""

_KERNEL_NAMES: Mapping[int, tuple[int, ...]] = {_KERNEL: (17, 10), _WITH_HANDLE: (16, 17)}
"""Fields that may name the kernel, the better one first."""


def read_tasks(wire: Wire) -> TaskList:
    """Read a ModelTaskDef. Raises InputError for broken bytes and for more tasks than its size allows."""
    wire.refill()
    tasks, head, begin = [], [], 0
    room = MOST_TASKS + wire.size // BYTES_PER_TASK
    for part in wire.fields(0, wire.size):
        number, kind, start, stop = part
        if number == _TASK and kind == LENGTH:
            wire.refill()
            tasks.append(_task(wire, part))
            if len(tasks) > room:
                raise wire.error("there are more tasks than the size of the list allows", start)
        else:
            head.append(wire.data[begin:stop])
        begin = stop
    return TaskList(tuple(tasks), b"".join(head))


def _task(wire: Wire, field: WireField) -> Task:
    numbers: dict[int, int] = {}
    op_index, kernel = None, ""
    for part in wire.fields(field[2], field[3]):
        number, kind, start, _ = part
        if kind == VARINT:
            numbers[number] = start
        elif kind == LENGTH and number in _OP_INDEX:
            # A kernel's task has both messages, the one that is not its own all but empty.
            op_index = _number_at(wire, part, _OP_INDEX[number]) if op_index is None else op_index
            kernel = kernel or _first_text(wire, part, _KERNEL_NAMES.get(number, ()))
    stream, event, kind_of_task = (numbers.get(number, 0) & 0xFFFFFFFF for number in (_STREAM, _EVENT, _TYPE))
    return Task(kind_of_task, stream, event, op_index, kernel, wire.content(field))


def _number_at(wire: Wire, field: WireField, path: tuple[int, ...]) -> int | None:
    """Follow a path of field numbers to a whole number; 0 when the last one is not said, None when a message is not."""
    for number in path[:-1]:
        inner = [part for part in wire.fields(field[2], field[3]) if part[0] == number and part[1] == LENGTH]
        if not inner:
            return None
        field = inner[-1]
    found = [part[2] for part in wire.fields(field[2], field[3]) if part[0] == path[-1] and part[1] == VARINT]
    return signed(found[-1]) if found else 0


def _first_text(wire: Wire, field: WireField, numbers: tuple[int, ...]) -> str:
    if not numbers:
        return ""
    texts = {part[0]: part for part in wire.fields(field[2], field[3]) if part[1] == LENGTH and part[3] > part[2]}
    return next((wire.text(texts[number]) for number in numbers if number in texts), "")


def tasks_bytes(tasks: TaskList) -> bytes:
    """Write a ModelTaskDef: its own fields, then the tasks."""
    return tasks.head + b"".join(put_content(_TASK, task.content) for task in tasks.tasks)


def kernel_task(kind: int, op_index: int, stream_id: int = 0, kernel: str = "") -> Task:
    """Make a task that launches a kernel: through a handle for dynamic shapes (types 26, 40), else by its name."""
    with_handle = TASK_TYPES[kind] in ("ALL_KERNEL", "VECTOR_ALL_KERNEL")
    context = put_content(1, put_number(4, op_index))
    inner = context + put_text(_KERNEL_NAMES[_WITH_HANDLE if with_handle else _KERNEL][0], kernel)
    content = put_number(_TYPE, kind) + put_number(_STREAM, stream_id)
    content += put_content(_WITH_HANDLE if with_handle else _KERNEL, inner)
    return Task(kind, stream_id, 0, op_index, kernel, content)
