"""The loops that run a graph. Which one runs is decided once per run, never once per kernel.

The plain loop is all that stands between two kernels when nobody listens: no event, no text, no test but the status.
"""

from collections.abc import Sequence
from typing import Protocol

from runtime.kernels.context import KernelContext
from runtime.kernels.registry import RunFunc
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType, Subscriber
from runtime.subscribers.stamps import Stamps

Plan = Sequence[tuple[RunFunc, KernelContext]]


class Loop(Protocol):
    """One executor over one graph, three ways: for nobody, for a clock, for subscribers. Each gives the raw status."""

    def plain(self) -> int:
        """Run and tell nobody."""

    def stamped(self, stamps: Stamps) -> int:
        """Run and note when."""

    def traced(self, graph: GraphType, subscriber: Subscriber, *, starts: bool) -> int:
        """Run and tell a subscriber; without ``starts`` of ends only."""

    def close(self) -> None:
        """Give back what the executor holds beside its graph."""


class StraightLoop:
    """``SequentialExecutor``: the order was decided when the graph was built."""

    def __init__(self, nodes: Sequence[ExecNode]) -> None:
        self._nodes = nodes
        self._plan: Plan = tuple((node.run, node.context) for node in nodes)

    def plain(self) -> int:
        """``SequentialExecute``."""
        return run_plain(self._plan)

    def stamped(self, stamps: Stamps) -> int:
        """The same with times."""
        return run_stamped(self._plan, stamps)

    def traced(self, graph: GraphType, subscriber: Subscriber, *, starts: bool) -> int:
        """``SequentialExecuteWithCallback``."""
        return run_traced(self._nodes, graph, subscriber, starts=starts)

    def close(self) -> None:
        """It holds nothing."""


def run_plain(plan: Plan) -> int:
    """Run kernel after kernel; the first status that is not 0 ends the run and is returned."""
    for run, context in plan:
        status = run(context)
        if status:
            return status
    return 0


def run_stamped(plan: Plan, stamps: Stamps) -> int:
    """Do the same and note when each kernel ran; the arrays have room for all of them."""
    now, starts, ends, kernels = stamps.now, stamps.starts, stamps.ends, stamps.kernels
    number = 0
    for run, context in plan:
        kernels[number] = number
        starts[number] = now()
        status = run(context)
        ends[number] = now()
        number += 1
        if status:
            stamps.count = number
            return status
    stamps.count = number
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
