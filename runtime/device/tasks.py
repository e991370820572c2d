"""Tasks: what stands in the queue of a stream.

A task computes on the bytes that lie in memory when the device begins it, and what it wrote is there when the device
ends it. With both at one moment, a stream that does not wait for another would never be seen to read too early.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from runtime.device.events import Gate, Signal

_TASK_BITS = 16

Finish = Callable[[], None]
"""What is left to do when a task ends: put the results into memory."""


class TaskKind(NamedTuple):
    """A kind of task as RUNTIME numbers and names it, the unit that works it off (``units.COSTS``), its call."""

    number: int
    name: str
    unit: str
    call: str


# Numbers and names of the first, third and fifth are in cases/real/01; the rest follow the table they are from
# (tagTsTaskType of the task scheduler), of which 146 in cases/real shows the 13.
AICORE: Final = TaskKind(0, "KERNEL_AICORE", "aicore", "rtKernelLaunchWithHandleV2")
VECTOR: Final = TaskKind(0, "KERNEL_AICORE", "vector", "rtKernelLaunchWithHandleV2")
AICPU: Final = TaskKind(1, "KERNEL_AICPU", "aicpu", "rtAicpuKernelLaunchExWithArgs")
EVENT_RECORD: Final = TaskKind(2, "EVENT_RECORD", "scheduler", "rtEventRecord")
EVENT_WAIT: Final = TaskKind(3, "STREAM_WAIT_EVENT", "scheduler", "rtStreamWaitEvent")
MEMCPY: Final = TaskKind(5, "MEMCPY_ASYNC", "copy", "rtMemcpyAsync")
NOTIFY_WAIT: Final = TaskKind(14, "NOTIFY_WAIT", "scheduler", "rtNotifyWait")
NOTIFY_RECORD: Final = TaskKind(15, "NOTIFY_RECORD", "scheduler", "rtNotifyRecord")

KERNELS: Final = frozenset({AICORE.name, AICPU.name})


@dataclass(frozen=True, slots=True)
class TaskId:
    """The number of a task on its stream; ``task`` has 16 bits, ``flip`` counts how often it started again."""

    rt_stream: int
    flip_task: int

    @property
    def task(self) -> int:
        """The low 16 bits, which the RUNTIME module calls task id."""
        return self.flip_task & ((1 << _TASK_BITS) - 1)

    @property
    def flip(self) -> int:
        """The high 16 bits."""
        return self.flip_task >> _TASK_BITS


FLIP_TASKS: Final = 1 << (2 * _TASK_BITS)
"""How many numbers there are before they start again."""


def _nothing() -> None:
    """Compute nothing: the task only orders others."""


@dataclass(slots=True, eq=False)
class Task:
    """One piece of work: ``run`` computes, the device takes ``cost_ns``. The device fills in number and times.

    ``begin``, where a task has it, does the same in two halves: it computes on what is in memory now and gives what
    writes the results later. ``names`` are the operator, its type, the kernel and its type, as far as there are any;
    ``writes`` says where the results go (address and bytes), for who wants to spoil them. ``gate`` is what the task
    waits for, ``signal`` what it tells others when it ends. ``after`` is the record behind a gate that opened;
    ``fault`` what the stream had died of when the device came to the task; ``place`` its number among tasks without
    times, or -1.
    """

    name: str
    run: Callable[[], object] = _nothing
    cost_ns: int = 0
    kind: TaskKind = AICORE
    begin: Callable[[], Finish] | None = None
    names: tuple[str, ...] = ()
    writes: tuple[tuple[int, int], ...] = ()
    gate: "Gate | None" = None
    signal: "Signal | None" = None
    id: TaskId | None = None
    after: "Task | None" = None
    fault: "DeviceFault | None" = None
    place: int = -1
    start_ns: int = 0
    end_ns: int = 0


@dataclass(slots=True, eq=False)
class DeviceFault:
    """What a task died of; ``code`` is what the synchronise gives. ``told`` once the host has heard of it."""

    task: Task
    error: Exception
    code: int
    told: bool = False
