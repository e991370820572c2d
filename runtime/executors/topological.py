"""The topological executors: a kernel runs when all it waits for have run (spec/execution.md 2.4).

Only they can run control flow: a switch changes who waits for it, and a loop lets the same kernel become ready again.
The loops are one function each, so that a run without subscribers pays for none.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runtime.executors.loops import Plan
from runtime.executors.queues import PriorityQueue, RingQueue
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType, Subscriber
from runtime.subscribers.stamps import Stamps

ReadyQueue = RingQueue[int] | PriorityQueue


@dataclass(frozen=True, slots=True)
class Topology:
    """Who waits for whom, by the number of a kernel in the plan. A switch rewrites the first entry of its watchers.

    ``priorities`` are there for the executor that asks for them; without, what became ready first runs first.
    ``switches`` are the receivers of each switch, of which it chooses one while it runs.
    """

    watchers: tuple[list[int], ...]
    indegrees: tuple[int, ...]
    starts: tuple[int, ...]
    priorities: tuple[int, ...] | None = None
    switches: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def queue(self) -> ReadyQueue:
        """Make the queue of ready kernels: each kernel fits once, and one more into GE's heap."""
        count = len(self.indegrees)
        return RingQueue(count) if self.priorities is None else PriorityQueue(self.priorities, count + 1)


class TopologicalLoop:
    """``TopologicalExecutor`` and ``PriorityTopologicalExecutor``; which of them, the topology's queue says."""

    def __init__(self, nodes: Sequence[ExecNode], topology: Topology) -> None:
        self._nodes = nodes
        self._topology = topology
        self._plan: Plan = tuple((node.run, node.context) for node in nodes)

    def plain(self) -> int:
        """``TopologicalExecute``."""
        return run_plain(self._plan, self._topology)

    def stamped(self, stamps: Stamps) -> int:
        """The same with times."""
        return run_stamped(self._plan, self._topology, stamps)

    def traced(self, graph: GraphType, subscriber: Subscriber, *, starts: bool) -> int:
        """``TopologicalExecuteWithCallback``."""
        return run_traced(self._nodes, self._topology, graph, subscriber, starts=starts)

    def close(self) -> None:
        """It holds nothing."""


class _Waiting:
    """How many each kernel still waits for. A kernel that became ready is armed again at once, for the next turn."""

    __slots__ = ("_full", "_left", "_push", "_watchers")

    def __init__(self, topology: Topology, queue: ReadyQueue) -> None:
        self._watchers = topology.watchers
        self._full = topology.indegrees
        self._left = list(topology.indegrees)
        self._push = queue.push

    def done(self, number: int) -> None:
        """Count one kernel as run."""
        left = self._left
        for watcher in self._watchers[number]:
            left[watcher] -= 1
            if not left[watcher]:
                self._push(watcher)
                left[watcher] = self._full[watcher]


def run_plain(plan: Plan, topology: Topology) -> int:
    """Run what is ready until nothing is; the first status that is not 0 ends the run and is returned.

    A run starts from full counts, so one after a failed one starts clean.
    """
    if topology.priorities is None:
        return _run_in_turn(plan, topology)
    return _run_by_priority(plan, topology, topology.priorities)


def _run_in_turn(plan: Plan, topology: Topology) -> int:
    """``TopologicalExecute``, written out: a call per kernel would cost more than all the rest.

    The queue has no limit here. A kernel is armed again when it becomes ready, so it stands in the queue once and GE's
    ring, which has room for each, is never full.
    """
    watchers, full = topology.watchers, topology.indegrees
    left = list(full)
    ready = deque(topology.starts)
    push, pop = ready.append, ready.popleft
    while ready:
        number = pop()
        run, context = plan[number]
        status = run(context)
        if status:
            return status
        for watcher in watchers[number]:
            count = left[watcher] - 1
            if count:
                left[watcher] = count
            else:
                left[watcher] = full[watcher]
                push(watcher)
    return 0


def _run_by_priority(plan: Plan, topology: Topology, priorities: Sequence[int]) -> int:
    """``TopologicalExecutePriority``: a kernel that is the only one ready runs without going through the heap."""
    watchers, full = topology.watchers, topology.indegrees
    left = list(full)
    queue = PriorityQueue(priorities, len(full) + 1)
    push, pop, heap = queue.push, queue.pop, queue.heap
    for start in topology.starts:
        push(start)
    number = pop()
    while number is not None:
        run, context = plan[number]
        status = run(context)
        if status:
            return status
        alone = None
        for watcher in watchers[number]:
            count = left[watcher] - 1
            if count:
                left[watcher] = count
                continue
            left[watcher] = full[watcher]
            if heap:
                push(watcher)
            elif alone is None:
                alone = watcher
            else:
                push(alone)
                push(watcher)
                alone = None
        number = pop() if alone is None else alone
    return 0


def run_stamped(plan: Plan, topology: Topology, stamps: Stamps) -> int:
    """Do the same and note when each kernel ran, as often as it did."""
    queue = topology.queue()
    stamps.count = 0
    if status := _fill(queue, topology.starts):
        return status
    done, pop = _Waiting(topology, queue).done, queue.pop
    begin, now = stamps.begin, stamps.now
    while (number := pop()) is not None:
        run, context = plan[number]
        at = begin(number)
        status = run(context)
        stamps.ends[at] = now()
        if status:
            return status
        done(number)
    return 0


def run_traced(
    nodes: Sequence[ExecNode], topology: Topology, graph: GraphType, subscriber: Subscriber, *, starts: bool = True
) -> int:
    """Do the same, telling a subscriber. After a failure MODEL_END is not told; without ``starts``, ends only."""
    queue = topology.queue()
    subscriber(graph, ExecutorEvent.MODEL_START, None, 0)
    if status := _fill(queue, topology.starts):
        return status
    done, pop = _Waiting(topology, queue).done, queue.pop
    while (number := pop()) is not None:
        node = nodes[number]
        if starts:
            subscriber(graph, ExecutorEvent.EXECUTE_START, node, 0)
        status = node.run(node.context)
        subscriber(graph, ExecutorEvent.EXECUTE_END, node, status)
        if status:
            return status
        done(number)
    subscriber(graph, ExecutorEvent.MODEL_END, None, 0)
    return 0


def _fill(queue: ReadyQueue, starts: Sequence[int]) -> int:
    for start in starts:
        if status := queue.push(start):
            return status
    return 0
