"""The multi-thread executor three ways: for nobody, for a clock, for subscribers (spec/execution.md 2.5).

Subscribers are told of kernels from the workers' threads, one at a time, and of the model by the thread that calls.
"""

from runtime.executors.multi_thread.scheduler import TaskScheduler
from runtime.subscribers.phase import ExecutorEvent, GraphType, Subscriber
from runtime.subscribers.stamps import Stamps


class ThreadedLoop:
    """``MultiThreadTopologicalExecutor`` over one graph."""

    def __init__(self, scheduler: TaskScheduler) -> None:
        self._scheduler = scheduler
        self._nodes = scheduler.plan.nodes
        self._plan = tuple((node.run, node.context) for node in self._nodes)

    def plain(self) -> int:
        """Run and tell nobody."""

        def run(number: int) -> int:
            function, context = self._plan[number]
            return function(context)

        return self._scheduler.schedule(run, _nothing, _nothing)

    def stamped(self, stamps: Stamps) -> int:
        """Run and note when each kernel ran."""

        def run(number: int) -> int:
            function, context = self._plan[number]
            at = stamps.begin(number)
            status = function(context)
            stamps.ends[at] = stamps.now()
            return status

        stamps.count = 0
        return self._scheduler.schedule(run, _nothing, _nothing)

    def traced(self, graph: GraphType, subscriber: Subscriber, *, starts: bool) -> int:
        """``ScheduleWithCallback``: MODEL_START is told before the workers wake, MODEL_END only after success."""

        def run(number: int) -> int:
            node = self._nodes[number]
            if starts:
                subscriber(graph, ExecutorEvent.EXECUTE_START, node, 0)
            status = node.run(node.context)
            subscriber(graph, ExecutorEvent.EXECUTE_END, node, status)
            return status

        return self._scheduler.schedule(
            run,
            lambda: subscriber(graph, ExecutorEvent.MODEL_START, None, 0),
            lambda: subscriber(graph, ExecutorEvent.MODEL_END, None, 0),
            told=True,
        )

    def close(self) -> None:
        """End the workers' threads."""
        self._scheduler.close()


def _nothing() -> None:
    """Nobody is told."""
