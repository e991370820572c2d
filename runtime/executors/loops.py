"""The loops that run a graph. Which one runs is decided once per run, never once per kernel.

The plain loop is all that stands between two kernels when nobody listens: no event, no text, no test but the status.
"""

from collections.abc import Sequence

from runtime.kernels.context import KernelContext
from runtime.kernels.registry import RunFunc
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType, Subscriber

Plan = Sequence[tuple[RunFunc, KernelContext]]


def run_plain(plan: Plan) -> int:
    """Run kernel after kernel; the first status that is not 0 ends the run and is returned."""
    for run, context in plan:
        status = run(context)
        if status:
            return status
    return 0


def run_traced(nodes: Sequence[ExecNode], graph: GraphType, subscriber: Subscriber, *, starts: bool = True) -> int:
    """``SequentialExecuteWithCallback``: the same, telling a subscriber. After a failure MODEL_END is not told.

    Without ``starts`` the subscriber is told of ends only: the tracer, alone, has nothing to do when a kernel starts.
    """
    subscriber(graph, ExecutorEvent.MODEL_START, None, 0)
    status = _tell_both(nodes, graph, subscriber) if starts else _tell_ends(nodes, graph, subscriber)
    if not status:
        subscriber(graph, ExecutorEvent.MODEL_END, None, 0)
    return status


def _tell_both(nodes: Sequence[ExecNode], graph: GraphType, subscriber: Subscriber) -> int:
    start, end = ExecutorEvent.EXECUTE_START, ExecutorEvent.EXECUTE_END
    for node in nodes:
        subscriber(graph, start, node, 0)
        status = node.run(node.context)
        subscriber(graph, end, node, status)
        if status:
            return status
    return 0


def _tell_ends(nodes: Sequence[ExecNode], graph: GraphType, subscriber: Subscriber) -> int:
    end = ExecutorEvent.EXECUTE_END
    for node in nodes:
        status = node.run(node.context)
        subscriber(graph, end, node, status)
        if status:
            return status
    return 0
