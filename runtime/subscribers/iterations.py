"""The iteration counter of GE's device profiler, which an executor is asked for (spec/execution.md 1.9, 4.6)."""

from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType


class IterationCounter:
    """``CannProfilerV2``'s count: starts at 1, one more for each run of Main that ended well while it listened."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 1

    def __call__(self, graph: GraphType, event: ExecutorEvent, _node: ExecNode | None, _status: int, /) -> None:
        """Take one executor event."""
        if graph is GraphType.MAIN and event is ExecutorEvent.MODEL_END:
            self.count += 1
