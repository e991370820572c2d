"""From a fault of the device to the kernel that was launched.

Best evidence first: a launch that printed the very task, in the same life of the stream, nearest before the fault; then
the node that the exception dumper noted for the task, or the fault name of the runtime; then the family of a compiled
kernel's name. The thread is never asked (spec/kerneltrace.md 3.9 rules 7 and 8).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from getrace.analysis.failure.model import Blamed, How
from getrace.analysis.kernels import executions
from getrace.analysis.operators import Operators
from getrace.analysis.streams import Launch, StreamLives, fault_names, finished_tasks, launches
from getrace.events.device import DumpPrepared, KernelFault, TaskException
from getrace.ids import split_kernel_name
from getrace.store.store import Store

_LAUNCH_WORDS = ("Launch", "Execute")


@dataclass(frozen=True, slots=True)
class Fault:
    """A task that failed on the device, as the record at ``row`` says; ``life`` is the life of its stream."""

    row: int
    pid: int
    rt_stream: int
    task: int
    life: int

    def same_task(self, other: "Fault") -> bool:
        """Say whether two records speak of one task."""
        return (self.pid, self.rt_stream, self.task, self.life) == (
            other.pid,
            other.rt_stream,
            other.task,
            other.life,
        )


def is_launch(kernel_type: str) -> bool:
    """Say whether kernels of a type put work on the device."""
    return any(word in kernel_type for word in _LAUNCH_WORDS)


class Blamer:
    """Answers which kernel a fault belongs to; reads the launch list once."""

    def __init__(self, store: Store, operators: Operators) -> None:
        self._store = store
        self._operators = operators
        self._lives = StreamLives(store)
        self.launches = launches(store, self._lives)

    def fault(self, row: int) -> Fault | None:
        """Read the fault that a row reports, or None when it reports none."""
        event = self._store.event(row)
        if not isinstance(event, TaskException | KernelFault):
            return None
        pid = int(self._store.column("pid")[row])
        return Fault(row, pid, event.rt_stream, event.task, self._lives.number(pid, event.rt_stream, row))

    def blame(self, fault: Fault) -> Blamed:
        """Find the kernel of a fault; the result says by which evidence."""
        ways: tuple[Callable[[Fault], Blamed | None], ...] = (self._by_task, self._by_name, self._by_family)
        for way in ways:
            found = way(fault)
            if found is not None:
                return found
        return Blamed(How.NONE, rt_stream=fault.rt_stream, task=fault.task)

    def launch_of(self, fault: Fault) -> Launch | None:
        """Give the launch that printed the fault's task, nearest before it in the same life of the stream."""
        wanted = (fault.pid, fault.rt_stream, fault.life)
        before = [n for n in self.launches if n.row < fault.row and (n.pid, n.rt_stream, n.life) == wanted]
        fitting = [n for n in before if n.task == fault.task] or [n for n in before if n.other == fault.task]
        return fitting[-1] if fitting else None

    def last_finished(self, rt_stream: int, row: int) -> Launch | None:
        """Give the last launch on a stream, in its life at ``row``, that the host knew to be done before that row."""
        pid = int(self._store.column("pid")[row])
        life = (pid, rt_stream, self._lives.number(pid, rt_stream, row))
        done = {key for at, key in finished_tasks(self._store, self._lives) if at < row and key[:3] == life}
        good = [n for n in self.launches if n.row < row and (n.pid, n.rt_stream, n.life, n.task) in done]
        return good[-1] if good else None

    def _by_task(self, fault: Fault) -> Blamed | None:
        launch = self.launch_of(fault)
        if launch is None:
            return None
        node = split_kernel_name(launch.kernel).node or None
        return Blamed(How.TASK_JOIN, launch.kernel, node, launch.row, fault.rt_stream, fault.task)

    def _by_name(self, fault: Fault) -> Blamed | None:
        node = self._noted_node(fault)
        for name in self._fault_names(fault):
            node = node or self._operators.node_of_fault(name)
        if node is None:
            return None
        return self._blame_node(How.FAULT_NAME, node, fault)

    def _by_family(self, fault: Fault) -> Blamed | None:
        for name in self._fault_names(fault):
            nodes = self._operators.nodes_of_family(name)
            if len(nodes) == 1:
                return self._blame_node(How.FAMILY, nodes[0], fault)
        return None

    def _noted_node(self, fault: Fault) -> str | None:
        """Give the node that the exception dumper noted for the task, nearest before the fault."""
        store, node = self._store, None
        for row in store.rows_of(DumpPrepared).tolist():
            event = store.event(row)
            if row > fault.row or not isinstance(event, DumpPrepared):
                continue
            pid = int(store.column("pid")[row])
            said = Fault(row, pid, event.rt_stream, event.task, self._lives.number(pid, event.rt_stream, row))
            if said.same_task(fault):
                node = event.node
        return node

    def _fault_names(self, fault: Fault) -> list[str]:
        """Give the names that RUNTIME has for the task: from the fault's own records, then from the launch."""
        names = []
        for row in self._store.rows_of(KernelFault).tolist():
            event, said = self._store.event(row), self.fault(row)
            if isinstance(event, KernelFault) and said is not None and said.same_task(fault):
                names.append(event.fault_name)
        launched = fault_names(self._store, self._lives)
        name = launched.get((fault.pid, fault.rt_stream, fault.life, fault.task))
        return list(dict.fromkeys([*names, *([name] if name else [])]))

    def _blame_node(self, how: How, node: str, fault: Fault) -> Blamed:
        """Blame a node, and the last kernel before the fault that launched it, where the trace shows one."""
        store = self._store

        def launches_node(name: str) -> bool:
            parts = split_kernel_name(name)
            return parts.node == node and is_launch(parts.type)

        ran = executions(store)
        named = np.isin(ran.name, store.names.matching(launches_node))
        before = ran.first[named & (ran.first < fault.row) & (store.column("pid")[ran.first] == fault.pid)].tolist()
        row = before[-1] if before else None
        kernel = None if row is None else store.kernel(row)
        return Blamed(how, kernel, node, row, fault.rt_stream, fault.task)
