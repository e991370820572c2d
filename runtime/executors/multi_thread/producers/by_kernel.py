"""KERNEL, the usual producer: a task per kernel, handed out before what it waits for has run (spec/execution.md 2.5).

It assumes that everything succeeds and gives the workers kernels in an order in which nobody waits for a later one; a
worker waits in front of a kernel until its turn has come. Where the way is not known (behind a switch, behind a loop)
or would not be in order of priority, production stops until the kernel in front has run.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from getrace.events import Level
from getrace.events.text import LogLine
from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.producers.walk import walk
from runtime.executors.multi_thread.task import Done, ExecTask
from runtime.executors.options import TaskProducerType
from runtime.memory.journal import Journal

MAX_GENERATED = 60
"""``kMaxGenerateTaskNum``: how far ahead one round of recycling may look."""

_PLACE = ("GE", "kernel_task_producer.cc")


class KernelTaskProducer:
    """``KernelTaskProducer``."""

    kind = TaskProducerType.KERNEL

    def __init__(self, plan: ThreadPlan, thread_num: int) -> None:
        self._plan = plan
        self._thread_num = thread_num
        self._tasks = [ExecTask(number, kind, (number,)) for number, kind in enumerate(plan.types)]
        self._stops = frozenset((*plan.switches, *(pre for pre, _ in self._out_of_order()), *self._into_loops()))
        self._ahead: list[int] = []
        self._start: list[int] = []
        self._collect_start()
        self._left: list[int] = []
        self._late: list[int] = []
        self._ready: list[tuple[int, int, int]] = []
        self._back: deque[ExecTask] = deque()
        self._turn = 0
        self._paused_at: int | None = None
        self.waits: list[int] | None = []

    @property
    def start_size(self) -> int:
        """How many kernels are known to run before any has."""
        return len(self._start)

    def tell(self, journal: Journal) -> None:
        """Say what GE says when the producer is prepared."""
        nodes, priorities = self._plan.nodes, self._plan.priorities
        for pre, watcher in self._out_of_order():
            text = (
                f"pre node {nodes[pre].name} priority {priorities[pre]} greater than watcher node "
                f"{nodes[watcher].name} priority {priorities[watcher]}, pre node stop gen watcher"
            )
            journal.say(LogLine(*_PLACE, 93, "Prepare", text), level=Level.INFO)
        text = f"start tasks size: {self.start_size}, total kernel num: {len(nodes)}"
        journal.say(LogLine(*_PLACE, 119, "Prepare", text), level=Level.INFO)

    def start_up(self) -> int:
        """Begin with the start tasks; all counters are as they were when the producer was made."""
        self._left = list(self._ahead)
        self._late = [0] * len(self._tasks)
        self.waits = list(self._plan.topology.indegrees)
        self._ready.clear()
        self._back.clear()
        self._turn = 0
        self._paused_at = None
        self._push(self._start)
        return 0

    def produce(self) -> Sequence[ExecTask]:
        """Give up to a task per thread, the most urgent first; nothing comes behind a switch that has not run."""
        given: list[ExecTask] = []
        while len(given) < self._thread_num and (self._back or (self._ready and self._paused_at is None)):
            if self._back:
                given.append(self._back.popleft())
                continue
            _, _, number = heappop(self._ready)
            given.append(self._tasks[number])
            if number in self._plan.switches:
                self._paused_at = number
        return given

    def put_back(self, tasks: Sequence[ExecTask]) -> None:
        """Keep what no worker had room for."""
        self._back.extendleft(reversed(tasks))

    def recycle(self, done: Sequence[Done]) -> int:
        """Look further behind the kernels at which production had stopped."""
        room = MAX_GENERATED
        for each in done:
            if each.status:
                return each.status
            (number,) = each.task.kernels
            if number == self._paused_at:
                self._paused_at = None
            if number in self._stops or self._late[number]:
                self._late[number] = max(self._late[number] - 1, 0)
                room -= self._collect_behind(number, room)
        return 0

    def end_up(self) -> None:
        """Forget what was not handed out."""
        self._ready.clear()
        self._back.clear()

    def _push(self, numbers: Iterable[int]) -> None:
        """A kernel comes behind all it waits for: those are as urgent at least, and were found before it."""
        for number in numbers:
            heappush(self._ready, (self._plan.priorities[number], self._turn, number))
            self._turn += 1

    def _collect_start(self) -> None:
        """``CollectStartTasks``: all that will run if nothing fails, up to the kernels at which production stops."""
        self._ahead = list(self._plan.topology.indegrees)
        self._start = self._walk(self._plan.topology.starts, self._ahead, len(self._tasks))

    def _collect_behind(self, number: int, room: int) -> int:
        """``CollectChain``: go on behind a kernel that has run; gives how many kernels were found."""
        first = [watcher for watcher in self._plan.topology.watchers[number] if self._arrive(watcher, self._left)]
        found = self._walk(first, self._left, max(room, 0))
        self._push(found)
        return len(found)

    def _walk(self, first: Sequence[int], left: list[int], room: int) -> list[int]:
        """Follow the watchers; what no room was left for is looked at when the kernel has run."""
        found: list[int] = []

        def behind(number: int) -> Sequence[int]:
            found.append(number)
            if number in self._stops:
                return ()
            if len(found) > room:
                self._late[number] += 1
                return ()
            return self._plan.topology.watchers[number]

        return list(walk(first, behind, lambda watcher: self._arrive(watcher, left)))

    def _arrive(self, number: int, left: list[int]) -> bool:
        """Count one that a kernel waits for as known; whether it was the last one. It is armed again at once."""
        left[number] -= 1
        if left[number]:
            return False
        left[number] = self._plan.topology.indegrees[number]
        return True

    def _out_of_order(self) -> list[tuple[int, int]]:
        """Pairs of which the later kernel is more urgent: handed out early it would stand in front of the other."""
        priorities = self._plan.priorities
        watchers = enumerate(self._plan.topology.watchers)
        return [(pre, after) for pre, behind in watchers for after in behind if priorities[pre] > priorities[after]]

    def _into_loops(self) -> frozenset[int]:
        """Kernels that a loop comes back through."""
        heads = self._plan.loop_heads
        watchers = enumerate(self._plan.topology.watchers)
        return frozenset(pre for pre, behind in watchers if heads.intersection(behind))
