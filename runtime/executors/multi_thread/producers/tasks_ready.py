"""Tasks of several kernels that are handed out when all that their kernels wait for has run.

CHAIN and OP cut a graph differently and do the rest alike; the counting is here once.
"""

from collections.abc import Sequence

from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.task import Done, ExecTask
from runtime.executors.options import TaskProducerType
from runtime.executors.queues import RingQueue


class WholeTaskProducer:
    """Hands out tasks first in, first out. ``groups`` are the kernels of each task, in the order in which they run.

    No group depends on another one that depends on it, and all kernels of a group run equally often.
    """

    waits: list[int] | None = None

    def __init__(self, kind: TaskProducerType, plan: ThreadPlan, groups: Sequence[ExecTask], thread_num: int) -> None:
        self.kind = kind
        self.tasks = groups
        self._plan = plan
        self._thread_num = thread_num
        self._task_of = {number: task for task in groups for number in task.kernels}
        self._full = self._indegrees()
        self._left: list[int] = []
        self._ready: RingQueue[ExecTask] = RingQueue(len(groups))

    def start_up(self) -> int:
        """Begin with the tasks that wait for nothing."""
        self._ready.clear()
        self._left = list(self._full)
        status = 0
        for task in self.tasks:
            if not self._full[task.id]:
                status = status or self._ready.push(task)
        return status

    def produce(self) -> Sequence[ExecTask]:
        """Give up to a task per thread."""
        given: list[ExecTask] = []
        while len(given) < self._thread_num and (task := self._ready.pop()) is not None:
            given.append(task)
        return given

    def put_back(self, tasks: Sequence[ExecTask]) -> None:
        """Keep what no worker had room for."""
        for task in reversed(tasks):
            self._ready.push_front(task)

    def recycle(self, done: Sequence[Done]) -> int:
        """Count each kernel that has run for those that wait for it."""
        for each in done:
            if each.status:
                return each.status
            for number in each.task.kernels:
                for watcher in self._plan.topology.watchers[number]:
                    self._arrive(self._task_of[watcher], each.task)
        return 0

    def end_up(self) -> None:
        """Forget what was not handed out."""
        self._ready.clear()

    def _arrive(self, task: ExecTask, source: ExecTask) -> None:
        if task is source:
            return
        self._left[task.id] -= 1
        if not self._left[task.id]:
            self._left[task.id] = self._full[task.id]
            self._ready.push(task)

    def _indegrees(self) -> list[int]:
        """Count the kernels outside that a task waits for. A WaitAnyone, alone in its task, waits for one."""
        counts = [0] * len(self.tasks)
        topology, inside = self._plan.topology, [0] * len(self.tasks)
        for number, behind in enumerate(topology.watchers):
            for watcher in behind:
                if self._task_of[watcher] is self._task_of[number]:
                    inside[self._task_of[number].id] += 1
        for task in self.tasks:
            counts[task.id] = sum(topology.indegrees[number] for number in task.kernels) - inside[task.id]
        return counts
