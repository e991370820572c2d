"""What the RUNTIME module says of streams and tasks, in the order of a real log (spec/kerneltrace.md 6.2).

It owns that order and nothing else: the device calls it, a journal prints. Without a listener nobody pays for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from getrace.events import Event, Level, Place
from getrace.events.device import (
    ApiFailed,
    CoreError,
    ErrorDetected,
    KernelFault,
    KernelLaunched,
    StreamCreated,
    StreamDestroyed,
    SyncFailed,
    SyncStarted,
    TaskException,
    TaskFinished,
    TaskListed,
    TaskSubmitted,
)
from runtime.device.errors import AICORE_TIMEOUT, SYNC_TIMEOUT, row_of
from runtime.device.stream import Stream
from runtime.device.tasks import AICPU, KERNELS, DeviceFault, Task

_ARGUMENTS: Final = 336
"""``arg_size`` of a launch; the argument block is the kernel's own matter, so the number is that of a real log."""
_CORE_ERROR: Final = 0x10
_CODE: Final = 0x1000000000000
_AGAIN: Final = Place("stream.cc", 1193, "GetError")
"""Where the synchronise repeats what died."""
_GRAPH: Final = "1_0"
"""Model and graph in a kernel's name as RUNTIME prints it (``2_0_11_GatherV2`` in a real log)."""


@dataclass(slots=True)
class Listener:
    """Who hears of it.

    ``tell`` takes an event of RUNTIME, and where it stands if not at its usual place; ``admits`` says whether a level
    is printed now.
    """

    tell: Callable[[Event, Level, Place | None], None]
    admits: Callable[[Level], bool]


class Reporter:
    """RUNTIME of one device."""

    def __init__(self, device_id: int) -> None:
        self.listener: Listener | None = None
        self._device_id = device_id
        self._serial = 0
        self._finished = 0

    @property
    def is_verbose(self) -> bool:
        """Whether single tasks are worth a line."""
        return self.listener is not None and self.listener.admits(Level.INFO)

    def created(self, stream: Stream) -> None:
        """A stream came into being."""
        self._say(StreamCreated(stream.rt_id, 0))

    def destroyed(self, stream: Stream) -> None:
        """A stream is gone."""
        self._say(StreamDestroyed(stream.rt_id))

    def launched(self, stream: Stream, task: Task) -> None:
        """A task was put into the queue of a stream."""
        if not self.is_verbose:
            return
        number, kind = _number(task), task.kind
        if kind.name in KERNELS:
            self._say(KernelLaunched(stream.rt_id, number, kind.number, kernel_name(task), _ARGUMENTS))
        self._say(TaskSubmitted(stream.rt_id, number, kind.number, kind.name))
        self._say(TaskListed(stream.rt_id, number, kind.number, kind.name, stream.head, number + 1))

    def waits(self, stream: Stream) -> None:
        """The host begins to wait for a stream."""
        self._say(SyncStarted(stream.rt_id))

    def synchronized(self, stream: Stream, finished: list[tuple[Task, Stream]]) -> None:
        """Tell what has ended by now on any stream, and of what this stream died. ``finished`` is emptied."""
        fault = stream.fault
        if fault is not None and not any(task is fault.task for task, _ in finished):
            self._died(stream, fault, None)
        for task, owner in finished:
            if fault is not None and task is fault.task:
                self._died(stream, fault, owner)
            else:
                self._end(task, owner)
        finished.clear()
        if fault is not None:
            row = row_of(fault.code)
            self._say(SyncFailed(stream.rt_id, row.ret, row.reason), Level.ERROR)
            self._fault(stream, fault, _AGAIN)
            self._say(ApiFailed(fault.code, row.reason, row.inner), Level.ERROR)

    def timed_out(self, stream: Stream) -> None:
        """A synchronise waited in vain."""
        row = row_of(SYNC_TIMEOUT)
        self._say(SyncFailed(stream.rt_id, row.ret, row.reason), Level.ERROR)
        self._say(ApiFailed(SYNC_TIMEOUT, row.reason, row.inner), Level.ERROR)

    def call_failed(self, code: int, call: str) -> None:
        """A call of the API (its name in RUNTIME) came back with an error at once."""
        row = row_of(code)
        self._say(ApiFailed(code, row.reason, row.inner), Level.ERROR, Place("api_c.cc", 0, call))

    def _died(self, stream: Stream, fault: DeviceFault, owner: Stream | None) -> None:
        """Print the story of a task's death: first sign, exception, what the core says, under which name it ran.

        ``owner`` is the stream on which the task counts as finished; None if that was told before.
        """
        task, row = fault.task, row_of(fault.code)
        assert task.id is not None
        rt_stream, number = task.id.rt_stream, task.id.task
        self._say(ErrorDetected("First", rt_stream, number, row.ret))
        kind = task.kind
        dead = TaskException(self._device_id, rt_stream, number, kind.number, kind.name, 0, row.ret, row.reason)
        self._say(dead, Level.ERROR)
        self._serial += 1
        if kind != AICPU and fault.code != AICORE_TIMEOUT:  # a core whose time was over caught nothing
            self._say(self._core(fault, number), Level.ERROR)
        if owner is not None:
            self._end(task, owner)
        self._fault(stream, fault)
        self._say(ErrorDetected("Last", rt_stream, number, row.ret))

    def _core(self, fault: DeviceFault, number: int) -> CoreError:
        text = f"pc start: 0x{_CODE + (number << 12):x}, {type(fault.error).__name__}: {fault.error}"
        return CoreError(self._device_id, self._serial, "aicore", 0, _CORE_ERROR, text)

    def _end(self, task: Task, owner: Stream) -> None:
        self._finished += 1
        number, kind = _number(task), task.kind
        owner.head = number + 1
        self._say(TaskFinished(self._device_id, owner.rt_id, number, kind.number, kind.name, self._finished))

    def _fault(self, stream: Stream, fault: DeviceFault, place: Place | None = None) -> None:
        task = fault.task
        assert task.id is not None
        aicpu = task.kind == AICPU
        said = KernelFault(
            "Aicpu" if aicpu else "Aicore",
            self._device_id,
            task.id.rt_stream,
            stream.rt_id,
            task.id.task,
            task.id.flip,
            kernel_name(task),
            f"fault op_name={task.name}, {fault.error}" if aicpu else "program id=1.",
        )
        self._say(said, Level.ERROR, place)

    def _say(self, event: Event, level: Level = Level.INFO, place: Place | None = None) -> None:
        if self.listener is not None:
            self.listener.tell(event, level, place)


def kernel_name(task: Task) -> str:
    """Give the name under which RUNTIME knows a kernel: model, graph, number and operator."""
    return f"{_GRAPH}_{_number(task)}_{task.name}"


def _number(task: Task) -> int:
    assert task.id is not None
    return task.id.task
