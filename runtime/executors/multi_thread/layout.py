"""How many workers and threads a number of threads makes, and who gets which task (spec/execution.md 2.5)."""

from collections.abc import Iterator, Mapping
from typing import Final

from getrace.errors import ModelError
from getrace.events import Level
from getrace.events.text import LogLine
from runtime.executors.multi_thread.task import TaskType
from runtime.executors.multi_thread.worker import QUEUE_SIZE, TaskThread, TaskWorker, capacity_of
from runtime.executors.options import LEAST_THREADS, MultiThreadExecutorOption
from runtime.executors.queues import RingQueue
from runtime.memory.journal import Journal

HOST_CORES: Final = 64
"""Cores of the simulated host (assumed); the real host's number would make logs differ from machine to machine."""

_WARNING = ("GE", "task_scheduler_factory.cc", 33, "ConfigWorkers")
_SCHEDULER_THREAD = 1


def thread_counts(thread_num: int) -> Mapping[TaskType, int]:
    """Threads per kind of task: one for memory, from three on one for launches, the others for all the rest.

    Raises ModelError for fewer than two.
    """
    if thread_num < LEAST_THREADS:
        raise ModelError(
            f"new thread num is less than least {LEAST_THREADS}",
            "one thread is for ordinary kernels and one for memory; with one thread choose another executor",
        )
    launch = int(thread_num > LEAST_THREADS)
    return {TaskType.NORMAL: thread_num - 1 - launch, TaskType.MEMORY: 1, TaskType.LAUNCH: launch}


def make_workers(option: MultiThreadExecutorOption, journal: Journal) -> dict[TaskType, TaskWorker]:
    """Make the workers, with GE's warning when the host has fewer cores; threads are numbered behind the process."""
    counts = thread_counts(option.thread_num)
    if (total := option.thread_num + _SCHEDULER_THREAD) > HOST_CORES:
        text = f"Thread count {total} exceeds the hardware concurrentcy {HOST_CORES}"
        journal.say(LogLine(*_WARNING, text), level=Level.WARNING)
    tids = _tids(journal.origin.tid)
    workers: dict[TaskType, TaskWorker] = {}
    for kind, count in counts.items():
        if count:
            worker = TaskWorker(kind, option.mode, RingQueue(capacity_of(QUEUE_SIZE, count)))
            worker.threads = [TaskThread(worker, next(tids)) for _ in range(count)]
            workers[kind] = worker
    return workers


def _tids(main: int) -> Iterator[int]:
    """Thread ids of a process, behind that of its main thread."""
    while True:
        main += 1
        yield main
