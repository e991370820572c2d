"""The timeline: tasks get their times, and happen in the order of these times.

Timing needs no decision, so it is one sweep over the launches (``sweep``). What happens to the device's bytes does:
whether a task sees what another one wrote depends on which comes first. So tasks that have times wait in a heap and are
worked off by time, those of all streams together.
"""

from collections import deque
from heapq import heapify, heappop, heappush

from runtime.device.errors import code_of
from runtime.device.events import Waiter
from runtime.device.stream import Stream
from runtime.device.sweep import NOTHING, sweep
from runtime.device.tasks import DeviceFault, Finish, Task

_ENDS, _BEGINS = 0, 1
"""At one moment, what ends is put into memory before something else begins."""


class Timeline:
    """All tasks of a device that have not happened. ``free`` has, by lane, from when a stream is idle.

    ``finished`` are tasks that have happened, kept for a report if ``keeps`` says so.
    """

    def __init__(self) -> None:
        self.free: list[int] = []
        self.faults: list[DeviceFault] = []
        self.finished: list[tuple[Task, Stream]] = []
        self.keeps = False
        self._lanes: list[int] = []
        self._ready: list[int] = []
        self._costs: list[int] = []
        self._after: list[int] = []
        self._tasks: list[tuple[Task, Stream]] = []
        self._heap: list[tuple[int, int, int, Task, Stream, Finish | None]] = []
        self._count = 0

    def add_lane(self, time_ns: int) -> int:
        """Give the number of a new stream that is idle from ``time_ns`` on."""
        self.free.append(time_ns)
        return len(self.free) - 1

    @property
    def untimed(self) -> int:
        """How many tasks wait for the next sweep."""
        return len(self._tasks)

    def put(self, stream: Stream, task: Task, ready_ns: int) -> None:
        """Take a task that the host launched; what it was the last to wait for may set other streams going."""
        if task.gate is None and task.signal is None and not stream.queue:
            self._enter(task, stream, ready_ns)
            return
        stream.queue.append((task, ready_ns))
        if len(stream.queue) > 1:
            return
        moving: deque[tuple[Waiter, Task | None]] = deque([(stream, None)])
        while moving:
            waiter, record = moving.popleft()
            assert isinstance(waiter, Stream)
            moving.extend(self._drain(waiter, record))

    def settle(self) -> None:
        """Give every task that can have them its times."""
        if not self._tasks:
            return
        ends = sweep(self._lanes, self._ready, self._costs, self._after, self.free)
        fresh = []
        for number, ((task, stream), end) in enumerate(zip(self._tasks, ends, strict=True), self._count):
            task.end_ns = end
            task.start_ns = start = end - task.cost_ns
            task.place = -1
            fresh.append((start, _BEGINS, number, task, stream, None))
        self._count += len(fresh)
        self._heap.extend(fresh)
        heapify(self._heap)
        for column in (self._lanes, self._ready, self._costs, self._after, self._tasks):
            column.clear()

    def run_until(self, time_ns: int) -> None:
        """Let everything happen that begins or ends by ``time_ns``."""
        self.settle()
        heap = self._heap
        while heap and heap[0][0] <= time_ns:
            _, _, number, task, stream, finish = heappop(heap)
            try:
                if finish is not None:
                    finish()
                else:
                    self._begin(number, task, stream, time_ns)
            except Exception as error:  # noqa: BLE001 - an operator's code dies on the device, not in the host program
                stream.fault = DeviceFault(task, error, code_of(task, error))
                self.faults.append(stream.fault)

    def forget(self, streams: list[Stream]) -> None:
        """Give up what has not begun on some streams."""
        self.settle()
        for stream in streams:
            stream.forget()
        self._heap = [entry for entry in self._heap if not entry[4].drops(entry[3])]
        heapify(self._heap)

    def _drain(self, stream: Stream, record: Task | None) -> list[tuple[Waiter, Task | None]]:
        """Time the tasks of a stream up to one whose gate is shut. ``record`` has opened the gate of the first."""
        queue = stream.queue
        freed: list[tuple[Waiter, Task | None]] = []
        while queue:
            task, ready = queue[0]
            if task.gate is not None:
                task.after = record or task.gate.record()
                if task.after is None:
                    task.gate.wait(stream)
                    break
            record = None
            queue.popleft()
            self._enter(task, stream, ready)
            if task.signal is not None:
                freed += [(waiter, task) for waiter in task.signal.give(task)]
        return freed

    def _enter(self, task: Task, stream: Stream, ready_ns: int) -> None:
        place, after = NOTHING, task.after
        if after is not None:
            place = after.place
            if place < 0 and after.end_ns > ready_ns:
                ready_ns = after.end_ns
        task.place = len(self._tasks)
        self._lanes.append(stream.lane)
        self._ready.append(ready_ns)
        self._costs.append(task.cost_ns)
        self._after.append(place)
        self._tasks.append((task, stream))

    def _begin(self, number: int, task: Task, stream: Stream, now_ns: int) -> None:
        """Let a task happen: at once if it ends by now and nothing else begins before that, else in two halves."""
        if task.after is not None and task.after.fault is not None and not task.after.fault.told:
            stream.fault = stream.fault or task.after.fault
        if stream.drops(task):
            task.fault = stream.fault
            return
        if self.keeps:
            self.finished.append((task, stream))
        overlaps = task.end_ns > now_ns or (self._heap and self._heap[0][0] < task.end_ns)
        if task.begin is not None and overlaps:
            heappush(self._heap, (task.end_ns, _ENDS, number, task, stream, task.begin()))
        else:
            task.run()
