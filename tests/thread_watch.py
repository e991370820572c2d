"""Watches a run of several threads from its events alone: who ran before whom, and who ran beside whom.

Each thread has a clock that counts its kernels. What a kernel may know when it starts is the vector of all clocks then;
a kernel that it depends on must be in it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from runtime.executors.topological import Topology
from runtime.memory.journal import Journal
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType


class ThreadWatch:
    """A subscriber that lists what went wrong. ``joins`` run once for each that they wait for, not once for all.

    ``sections`` are the critical sections by kernel, "" for none. ``beside`` counts the kernels that started while
    another one was running.
    """

    def __init__(self, journal: Journal, topology: Topology, sections: Sequence[str], joins: frozenset[int]) -> None:
        self.wrong: list[str] = []
        self.beside = 0
        self.ran: Counter[str] = Counter()
        self._journal = journal
        self._sections = sections
        self._joins = joins
        self._before = _before(topology)
        self._clear()

    def __call__(self, _graph: GraphType, event: ExecutorEvent, node: ExecNode | None, _status: int, /) -> None:
        """Take one event of the executor."""
        if node is None:
            self._clear()
        elif event is ExecutorEvent.EXECUTE_START:
            self._start(node)
        else:
            self._end(node)

    def _clear(self) -> None:
        self._clocks: Counter[int] = Counter()
        self._ends: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._starts: Counter[int] = Counter()
        self._open: Counter[str] = Counter()

    def _start(self, node: ExecNode) -> None:
        number = node.number
        self._starts[number] += 1
        self.ran[node.name] += 1
        turn, vector = self._starts[number], Counter(self._clocks)
        known = [self._seen(before, vector) for before in self._before[number]]
        enough = sum(known) >= turn if number in self._joins else all(times >= turn for times in known)
        if self._before[number] and not enough:
            self.wrong.append(f"{node.name} started before what it waits for")
        section = self._sections[number]
        if section and self._open[section]:
            self.wrong.append(f"{node.name} started inside another kernel of section {section}")
        self.beside += self._open.total() > 0
        self._open[section] += 1

    def _end(self, node: ExecNode) -> None:
        thread = self._journal.origin.tid
        self._clocks[thread] += 1
        self._ends[node.number].append((thread, self._clocks[thread]))
        self._open[self._sections[node.number]] -= 1

    def _seen(self, before: int, vector: Counter[int]) -> int:
        """How many runs of a kernel lie before a vector."""
        return sum(vector[thread] >= place for thread, place in self._ends[before])


def _before(topology: Topology) -> list[list[int]]:
    before: list[list[int]] = [[] for _ in topology.indegrees]
    for number, watchers in enumerate(topology.watchers):
        for watcher in dict.fromkeys((*watchers, *topology.switches.get(number, ()))):
            before[watcher].append(number)
    return before
