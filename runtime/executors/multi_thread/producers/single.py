"""SINGLE: the whole graph is one task for one worker (spec/execution.md 2.5)."""

from collections.abc import Sequence

from getrace.errors import ModelError
from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.producers.walk import arrivals, depth_first
from runtime.executors.multi_thread.task import Done, ExecTask, TaskType
from runtime.executors.options import TaskProducerType


class SingleTaskProducer:
    """``SingleTaskProducer``. It fills its task at each start and never empties it, so run n has all kernels n times.

    That is GE's, too: its logs show 16, 32, 48 launches in the three steps of 16 operators (spec/kerneltrace.md 2).
    Raises ModelError for a graph with control flow, of which GE would run all branches.
    """

    kind = TaskProducerType.SINGLE
    waits: list[int] | None = None

    def __init__(self, plan: ThreadPlan, _thread_num: int) -> None:
        if plan.has_control_flow:
            raise ModelError("a single task cannot run control flow", "split the graph by kernel or by chain")
        topology = plan.topology
        self._numbers = depth_first(topology.starts, topology.watchers, arrivals(topology.indegrees))
        self._kernels: list[int] = []
        self._ready: list[ExecTask] = []

    def start_up(self) -> int:
        """Add all kernels to the task, once more."""
        self._kernels.extend(self._numbers)
        self._ready = [ExecTask(0, TaskType.NORMAL, self._kernels)] if self._kernels else []
        return 0

    def produce(self) -> Sequence[ExecTask]:
        """Give the task, once."""
        given, self._ready = self._ready, []
        return given

    def put_back(self, tasks: Sequence[ExecTask]) -> None:
        """Keep it for later."""
        self._ready = list(tasks)

    def recycle(self, done: Sequence[Done]) -> int:
        """Nothing waits for it; its status is the run's."""
        return next((each.status for each in done if each.status), 0)

    def end_up(self) -> None:
        """Forget it, but not what is in it."""
        self._ready = []
