"""Which stream's limits a worker's thread works under (spec/execution.md 2.5, stream binding).

A thread keeps its binding over executions; only another main stream makes it bind again.
"""

from collections.abc import Sequence
from typing import Final, Protocol

from getrace.events import Level
from getrace.events.failures import SchedulerLine
from getrace.events.text import LogLine
from runtime.device.stream import Stream
from runtime.executors.arguments import APPENDED_INPUTS
from runtime.executors.multi_thread.worker import TaskThread
from runtime.kernels.context import Cell
from runtime.memory.journal import Journal

_PLACE = ("GE", "task_scheduler.cc")
_UNBIND = ("GE", "task_worker_impl.h", 256, "RebindStreamResLimitIfNeeded")
_FUNC: Final = "GetExecuteStream"


class StreamLimits(Protocol):
    """``aclrtUseStreamResInCurrentThread`` and its opposite."""

    def use(self, tid: int, stream: int) -> None:
        """Let a thread work under the limits of a stream."""

    def leave(self, tid: int, stream: int) -> None:
        """Let a thread leave them."""


class NoLimits:
    """A device whose streams have no limits on the host's threads."""

    def use(self, tid: int, stream: int) -> None:
        """Nothing is limited."""

    def leave(self, tid: int, stream: int) -> None:
        """Nothing is limited."""


def main_stream(inputs: Sequence[Cell], journal: Journal) -> int:
    """Find the handle of the first stream among the arguments a caller appends; 0, with GE's warning, without one."""
    count = len(inputs)
    if count < APPENDED_INPUTS:
        return _without(journal, 359, f"Invalid input num {count}, less than execute arg count {APPENDED_INPUTS}.")
    index = count - APPENDED_INPUTS
    streams = inputs[index].value
    if streams is None:
        return _without(journal, 375, f"Stream vector is nullptr at input index {index}.")
    if not streams:
        return _without(journal, 379, f"Stream vector is empty at input index {index}.")
    return int(streams[0])


def _without(journal: Journal, line: int, text: str) -> int:
    journal.say(LogLine(*_PLACE, line, _FUNC, text), level=Level.WARNING)
    return 0


def dispatched(stream: int, known: dict[int, Stream], groups: int) -> SchedulerLine:
    """Say that a main stream was given to the workers."""
    number = known[stream].rt_id if stream in known else 0
    return SchedulerLine("Scheduler dispatch stream ", f"{pointer(stream)} (id={number}) to {groups} worker groups.")


def bind(thread: TaskThread, stream: int, limits: StreamLimits, journal: Journal) -> None:
    """Bind a thread to a stream, from another one if it has one."""
    if thread.bound_stream:
        limits.leave(thread.tid, thread.bound_stream)
        text = f"Worker[{thread.worker.name}] unbind old stream {pointer(thread.bound_stream)} success."
        journal.say(LogLine(*_UNBIND, text))
    thread.bound_stream = stream
    if stream:
        limits.use(thread.tid, stream)
        journal.say(SchedulerLine("Worker[", f"{thread.worker.name}] bind stream {pointer(stream)} success."))


def release(thread: TaskThread, limits: StreamLimits) -> None:
    """Take the binding of a thread that ends."""
    if thread.bound_stream:
        limits.leave(thread.tid, thread.bound_stream)
        thread.bound_stream = 0


def pointer(value: int) -> str:
    """Spell a pointer as ``%p`` does."""
    return f"0x{value:x}" if value else "(nil)"
