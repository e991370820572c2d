"""What GE prints of a scheduler when it is asked to: ``Dump`` of scheduler, producer, groups, workers and threads.

Only numbers that this executor has are given; GE's counters of yields and of nanoseconds slept have no counterpart and
stand at 0, and the same for tasks that leaked.
"""

from collections.abc import Iterator

from getrace.events import Level
from getrace.events.failures import SchedulerLine
from runtime.executors.multi_thread.crew import THREAD_NAME
from runtime.executors.multi_thread.scheduler import TaskScheduler
from runtime.executors.multi_thread.worker import TaskThread, TaskWorker
from runtime.memory.journal import Journal


def dump(scheduler: TaskScheduler, journal: Journal) -> None:
    """Say the state of a scheduler, line by line."""
    for what, text in _lines(scheduler):
        journal.say(SchedulerLine(what, text), level=Level.EVENT)


def _lines(scheduler: TaskScheduler) -> Iterator[tuple[str, str]]:
    running = "running" if scheduler.running else "stopped"
    yield "|-- Task Scheduler [", f"{running}]"
    yield "    |-- scheduled count = ", f"{scheduler.scheduled}, completed count = {scheduler.completed}"
    yield "|-- Producer [type : ", f"{scheduler.producer.kind}]"
    for worker in scheduler.workers.values():
        yield from _group(worker, scheduler.running)


def _group(worker: TaskWorker, running: bool) -> Iterator[tuple[str, str]]:
    state = str(running).lower()
    yield "|-- Worker Group [type : ", f"{worker.type}, size : 1, running : {state}]"
    counts = f"{worker.submitted}, completed count = {worker.completed}, submit task failed = {worker.refused}"
    yield "    |-- submitted count = ", counts
    yield "    |-- Worker [", f"{worker.name} : running({state})]"
    yield "        |-- pendding queue size = ", f"{len(worker.pending)}, completed queue size = 0"
    yield (
        "        |-- submitted = ",
        f"{worker.submitted}, fetched = {worker.fetched}, submit failed = {worker.refused}",
    )
    for thread in worker.threads:
        yield from _thread(thread, worker)


def _thread(thread: TaskThread, worker: TaskWorker) -> Iterator[tuple[str, str]]:
    yield "        |-- Task Thread [ name : ", f"{THREAD_NAME}, mode : {worker.mode.value} ]"
    yield "            |-- exec succ = ", f"{thread.succeeded}, exec failed = {thread.failed}"
    yield "            |-- pop none = ", f"{thread.idle}, push none = 0, has leak task = false"
    yield "            |-- await count = ", f"{thread.awaited}, yield count = 0, sleep ns = 0, sleep ms = 0"
