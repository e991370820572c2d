"""The topological executors: a kernel runs when all it waits for have run (spec/execution.md 2.4).

Only they can run control flow: a switch changes who waits for it, and a loop lets the same kernel become ready again.
The plain and the told loop are two functions, so that a run without subscribers pays for none.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runtime.executors.loops import Plan
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType, Subscriber


@dataclass(frozen=True, slots=True)
class Topology:
    """Who waits for whom, by the number of a kernel in the plan. A switch rewrites the first entry of its watchers.

    ``priorities`` are there for the executor that asks for them; without, what became ready first runs first.
    """

    watchers: tuple[list[int], ...]
    indegrees: tuple[int, ...]
    starts: tuple[int, ...]
    priorities: tuple[int, ...] | None = None

    def queue(self) -> "ReadyQueue":
        """Give the queue of ready kernels, with the start nodes in it."""
        return FirstInFirstOut(self.starts) if self.priorities is None else ByPriority(self.starts, self.priorities)


class FirstInFirstOut:
    """``TopologicalExecute``'s ring queue."""

    def __init__(self, starts: Sequence[int]) -> None:
        ready = deque(starts)
        self.push: Callable[[int], None] = ready.append
        self.pop: Callable[[], int] = ready.popleft


class ByPriority:
    """``TopologicalExecutePriority``'s binary heap. Equals keep GE's order, too: nothing swaps them.

    That order shows in GE's logs, since all kernels of one operator have one priority.
    """

    def __init__(self, starts: Sequence[int], priorities: Sequence[int]) -> None:
        self._priorities = priorities
        self._heap: list[int] = []
        for start in starts:
            self.push(start)

    def push(self, node: int) -> None:
        """Add a ready kernel: it rises as long as it is more urgent than what is above it."""
        heap, priorities = self._heap, self._priorities
        heap.append(node)
        at = len(heap) - 1
        while at and priorities[node] < priorities[heap[above := (at - 1) >> 1]]:
            heap[at], at = heap[above], above
        heap[at] = node

    def pop(self) -> int:
        """Take the next kernel; the last one fills its place and sinks. Raises IndexError when none is ready."""
        heap, priorities = self._heap, self._priorities
        last = heap.pop()
        if not heap:
            return last
        first, at, below = heap[0], 0, 1
        while below < len(heap):
            if below + 1 < len(heap) and priorities[heap[below + 1]] < priorities[heap[below]]:
                below += 1
            if priorities[heap[below]] >= priorities[last]:
                break
            heap[at], at, below = heap[below], below, 2 * below + 1
        heap[at] = last
        return first


ReadyQueue = FirstInFirstOut | ByPriority


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
    queue = topology.queue()
    done, pop = _Waiting(topology, queue).done, queue.pop
    while True:
        try:
            number = pop()
        except IndexError:
            return 0
        run, context = plan[number]
        status = run(context)
        if status:
            return status
        done(number)


def run_traced(
    nodes: Sequence[ExecNode], topology: Topology, graph: GraphType, subscriber: Subscriber, *, starts: bool = True
) -> int:
    """Do the same, telling a subscriber. After a failure MODEL_END is not told; without ``starts``, ends only."""
    queue = topology.queue()
    done, pop = _Waiting(topology, queue).done, queue.pop
    subscriber(graph, ExecutorEvent.MODEL_START, None, 0)
    while True:
        try:
            number = pop()
        except IndexError:
            subscriber(graph, ExecutorEvent.MODEL_END, None, 0)
            return 0
        node = nodes[number]
        if starts:
            subscriber(graph, ExecutorEvent.EXECUTE_START, node, 0)
        status = node.run(node.context)
        subscriber(graph, ExecutorEvent.EXECUTE_END, node, status)
        if status:
            return status
        done(number)
