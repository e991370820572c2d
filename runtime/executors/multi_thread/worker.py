"""Workers: a queue of tasks and the threads that take them from it (spec/execution.md 2.5).

What a thread does is a step: take a task, or run one kernel, or find that it has to wait. Who calls ``step`` and when
is the crew's business, so the same code runs in real threads and in turns drawn from a seed.
"""

from dataclasses import dataclass, field
from typing import Final, Protocol

from getrace.events import Origin
from runtime.executors.multi_thread.task import Done, ExecTask, TaskType
from runtime.executors.options import TaskThreadMode
from runtime.executors.queues import RingQueue
from runtime.kernels.status import Status

QUEUE_SIZE: Final = 1 << 20
"""Slots of a worker's queue."""


def capacity_of(slots: int, threads: int) -> int:
    """A queue for one thread (SPSC) keeps one slot free, one for several (MPMC) uses all."""
    return slots - 1 if threads == 1 else slots


class Run(Protocol):
    """What a thread needs of the run it works for."""

    @property
    def force_quit(self) -> bool:
        """Whether kernels are not to be begun any more."""

    def must_wait(self, number: int) -> bool:
        """Whether a kernel still waits for another one."""

    def execute(self, number: int, thread: "TaskThread") -> int:
        """Run a kernel and give its status."""

    def finished(self, done: Done) -> None:
        """Take a task that is through."""

    def prepare(self, thread: "TaskThread") -> bool:
        """Bind what a thread needs before it works; whether there was anything to do."""


class TaskThread:
    """``TaskThread``: one thread of a worker; ``tid`` is what its lines in a log carry."""

    def __init__(self, worker: "TaskWorker", tid: int) -> None:
        self.worker = worker
        self.tid = tid
        self.origin: Origin | None = None
        self.bound_stream = 0
        self.running = False
        self.succeeded = self.failed = self.idle = self.awaited = 0
        self._task: ExecTask | None = None
        self._at = 0

    def step(self, run: Run) -> bool:
        """Do one thing for a run; False when there is nothing to do now."""
        if run.prepare(self):
            return True
        task = self._task or self._fetch()
        if task is None:
            self.idle += 1
            return False
        if run.force_quit:
            self._finish(run, task, Status.FAILED)
            return True
        if self._at >= len(task.kernels):
            self._finish(run, task, 0)
            return True
        number = task.kernels[self._at]
        if run.must_wait(number):
            self.awaited += 1
            return False
        self.running = True
        try:
            status = run.execute(number, self)
        finally:
            self.running = False
        self._at += 1
        if status or self._at == len(task.kernels):
            self._finish(run, task, status)
        return True

    def forget(self) -> None:
        """Drop a task that was begun."""
        self._task = None

    def _fetch(self) -> ExecTask | None:
        self._task, self._at = self.worker.pending.pop(), 0
        if self._task is not None:
            self.worker.fetched += 1
        return self._task

    def _finish(self, run: Run, task: ExecTask, status: int) -> None:
        self._task = None
        self.succeeded += not status
        self.failed += bool(status)
        self.worker.completed += 1
        run.finished(Done(task, status))


@dataclass(slots=True)
class TaskWorker:
    """``TaskWorker``: one queue for one kind of tasks."""

    type: TaskType
    mode: TaskThreadMode
    pending: RingQueue[ExecTask]
    threads: list[TaskThread] = field(default_factory=list)
    submitted: int = 0
    fetched: int = 0
    refused: int = 0
    completed: int = 0

    @property
    def name(self) -> str:
        """``memory_task_worker``, as GE prints it."""
        return f"{self.type}_task_worker"

    def submit(self, task: ExecTask) -> int:
        """Put a task into the queue; QUEUE_FULL when there is no room."""
        status = self.pending.push(task)
        self.refused += bool(status)
        self.submitted += not status
        return status

    def forget(self) -> None:
        """Drop all tasks of a run that was broken off, or they would run in the next one."""
        self.pending.clear()
        for thread in self.threads:
            thread.forget()
