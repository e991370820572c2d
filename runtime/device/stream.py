"""A stream: an ordered queue of tasks that the device works off in virtual time.

A launch returns at once; what a task computes happens when the device reaches it, on the bytes that lie in memory
then. That is why a block that is freed too early gives wrong numbers here, as on the hardware.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from runtime.device.virtual_clock import VirtualClock

AICORE_EXCEPTION = 507015
"""``ACL_ERROR_RT_AICORE_EXCEPTION``: a kernel died on the device."""

_TASK_BITS = 16


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


@dataclass(slots=True)
class Task:
    """One piece of work: ``run`` computes, the device takes ``cost_ns``. The stream fills in when."""

    name: str
    run: Callable[[], None]
    cost_ns: int
    id: TaskId | None = None
    start_ns: int = 0
    end_ns: int = 0


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """What a task died of."""

    task: Task
    error: Exception


class Stream:
    """A stream of a device. ``handle`` is the pointer programs hold, ``rt_id`` the runtime's number."""

    def __init__(self, handle: int, rt_id: int, clock: VirtualClock, *, latency_ns: int) -> None:
        self.handle = handle
        self.rt_id = rt_id
        self.busy_ns = 0
        self.free_ns = clock.ns
        self.last_task: TaskId | None = None
        self.fault: DeviceFault | None = None
        self._clock = clock
        self._latency_ns = latency_ns
        self._queue: deque[Task] = deque()
        self._next_task = 0

    def launch(self, task: Task) -> TaskId:
        """Put a task at the end and give its number; the task runs later."""
        task.id = TaskId(self.rt_id, self._next_task)
        self._next_task = (self._next_task + 1) % (1 << (2 * _TASK_BITS))
        task.start_ns = max(self._clock.ns + self._latency_ns, self.free_ns)
        task.end_ns = task.start_ns + task.cost_ns
        self.free_ns = task.end_ns
        self.busy_ns += task.cost_ns
        self.last_task = task.id
        self._queue.append(task)
        return task.id

    def advance(self, time_ns: int) -> None:
        """Run the tasks that the device has begun by ``time_ns``."""
        while self._queue and self._queue[0].start_ns <= time_ns:
            self._run(self._queue.popleft())

    def synchronize(self) -> int:
        """Wait for everything launched so far. Gives 0, or the code of the fault of this stream."""
        self._clock.wait_until(self.free_ns)
        while self._queue:
            self._run(self._queue.popleft())
        return AICORE_EXCEPTION if self.fault else 0

    def _run(self, task: Task) -> None:
        if self.fault is not None:
            return
        try:
            task.run()
        except Exception as error:  # noqa: BLE001 - an operator's code dies on the device, not in the host program
            self.fault = DeviceFault(task, error)
