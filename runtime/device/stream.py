"""A stream: an ordered queue of tasks, and what the runtime knows of it.

A launch returns at once; what a task computes happens when the device reaches it, on the bytes that lie in memory
then. That is why a block that is freed too early gives wrong numbers here, as on the hardware.
"""

from collections import deque

from runtime.device.tasks import FLIP_TASKS, DeviceFault, Task, TaskId


class Stream:
    """A stream of a device. ``handle`` is the pointer programs hold, ``rt_id`` the runtime's number.

    ``lane`` is its number in the timeline. ``queue`` holds tasks that have no times yet, because the first of them
    waits for something that nobody has promised. ``head`` is the number of the first task that the host has not
    heard of. ``is_settled`` says whether the host has waited for everything launched so far.
    """

    def __init__(self, handle: int, rt_id: int, lane: int) -> None:
        self.handle = handle
        self.rt_id = rt_id
        self.lane = lane
        self.busy_ns = 0
        self.last_task: TaskId | None = None
        self.fault: DeviceFault | None = None
        self.queue: deque[tuple[Task, int]] = deque()
        self.head = 0
        self.dropped_below = 0
        self.is_settled = True
        self._next_task = 0

    @property
    def is_stuck(self) -> bool:
        """Whether it waits for something that nobody has promised so far."""
        return bool(self.queue)

    def number(self, task: Task) -> TaskId:
        """Give a task its number. A stream whose fault the host has heard of works again, without the old tasks."""
        if self.fault is not None and self.fault.told:
            self.forget()
        task.id = self.last_task = TaskId(self.rt_id, self._next_task)
        self._next_task = (self._next_task + 1) % FLIP_TASKS
        self.busy_ns += task.cost_ns
        self.is_settled = False
        return task.id

    def forget(self) -> None:
        """Drop every task launched so far and the fault (``rtStreamAbort``)."""
        self.fault = None
        self.queue.clear()
        self.dropped_below = self._next_task

    def drops(self, task: Task) -> bool:
        """Say whether a task is none that will run: the stream died before it, or it was given up."""
        assert task.id is not None
        return self.fault is not None or task.id.flip_task < self.dropped_below
