"""Streams that wait for one another, made by hand: each call puts a task on a stream, as RUNTIME and GE tell of it."""

from collections import Counter

from handmade import PID, TID, HandLog

from getrace.analysis.hangs import Hang, Hangs, find_hangs
from getrace.events import Level
from getrace.events.device import SyncFailed, SyncStarted, TaskFinished, TaskListed, TaskSubmitted
from getrace.events.launch import TaskIds
from getrace.events.streams import EventSent, EventWaited
from getrace.store.ordered import in_time_order

SECOND = 1_000_000_000
RECORD, WAIT, KERNEL = (2, "EVENT_RECORD"), (3, "STREAM_WAIT_EVENT"), (0, "KERNEL_AICORE")


class WaitLog(HandLog):
    """A log of one process or more. Logical stream n is RT stream 20 + n; event n has the handle 0xe00 + n."""

    def __init__(self) -> None:
        super().__init__()
        self._tasks: Counter[tuple[int, int]] = Counter()

    def launch(self, stream: int, kernel: str, pid: int = PID, tid: int = TID) -> int:
        """Put a kernel on a logical stream; gives the line that names the kernel."""
        task = self._put(stream, KERNEL, pid, tid)
        return self.say(TaskIds(20 + stream, task, 0, task), kernel, pid=pid, tid=tid)

    def record(self, event: int, stream: int, kernel: str, pid: int = PID, tid: int = TID) -> int:
        """Record an event on a logical stream; gives GE's line."""
        self._put(stream, RECORD, pid, tid)
        return self.say(EventSent(event, 0xE00 + event, stream), kernel, pid=pid, tid=tid)

    def wait(self, event: int, stream: int, kernel: str, pid: int = PID, tid: int = TID) -> int:
        """Let a logical stream wait for an event; gives GE's line."""
        self._put(stream, WAIT, pid, tid)
        return self.say(EventWaited(event, 0xE00 + event, stream), kernel, pid=pid, tid=tid)

    def done(self, stream: int, *tasks: int, pid: int = PID) -> None:
        """Let the host learn that tasks are done, by the numbers that they have on their stream."""
        for task in tasks:
            self.say(TaskFinished(0, 20 + stream, task, 0, "", 1), module="RUNTIME", pid=pid)

    def sync(self, stream: int, pid: int = PID) -> int:
        """Let the host wait for a stream."""
        return self.say(SyncStarted(20 + stream), module="RUNTIME", pid=pid)

    def gave_up(self, stream: int, seconds: int = 10, pid: int = PID) -> int:
        """Let the host's wait run out of time."""
        event = SyncFailed(20 + stream, 0x711000F, "stream sync timeout")
        return self.say(event, level=Level.ERROR, module="RUNTIME", pid=pid, step_ns=seconds * SECOND)

    def _put(self, stream: int, kind: tuple[int, str], pid: int, tid: int) -> int:
        task = self._tasks[pid, stream]
        self._tasks[pid, stream] += 1
        self.say(TaskSubmitted(20 + stream, task, *kind), module="RUNTIME", pid=pid, tid=tid)
        self.say(TaskListed(20 + stream, task, *kind, 0, task + 1), module="RUNTIME", pid=pid, tid=tid)
        return task


def hangs_of(log: HandLog) -> Hangs:
    return find_hangs(in_time_order(log.store()))


def stream_of(log: HandLog, rt_stream: int, pid: int = PID) -> Hang:
    """Give the hang of an RT stream."""
    (hang,) = [h for h in hangs_of(log).streams if h.waiter == "stream" and (h.pid, h.stream.rt) == (pid, rt_stream)]
    return hang


def host_of(log: HandLog) -> Hang:
    (hang,) = [hang for hang in hangs_of(log).streams if hang.waiter == "host"]
    return hang


def roots_of(log: HandLog) -> set[int | None]:
    return {hang.stream.rt for hang in hangs_of(log).streams if hang.root}
