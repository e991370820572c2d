"""From a fault of the device to the kernel that was launched.

Best evidence first: a launch that printed the very task, in the same life of the stream, nearest before the fault; then
the node that the exception dumper noted for the task, or the fault name of the runtime; then the family of a compiled
kernel's name. The thread is never asked (spec/kerneltrace.md 3.9 rules 7 and 8).
"""

from collections.abc import Callable, Sequence

import numpy as np

from getrace.analysis.failure.doubts import Doubts
from getrace.analysis.failure.folders import folder_of_row
from getrace.analysis.failure.model import Blamed, How, Told, Witness
from getrace.analysis.failure.phases import is_launch
from getrace.analysis.failure.witnesses import Fault, TaskRecords
from getrace.analysis.kernels import executions
from getrace.analysis.launch_search import LaunchSearch
from getrace.analysis.operators import Family, Operators, family_of_fault
from getrace.analysis.runs import GraphRun, Stage, run_of_row
from getrace.analysis.streams import Launch, StreamLives
from getrace.ids import split_kernel_name
from getrace.store.store import Store


class Blamer:
    """Answers which kernel a fault belongs to. ``faults`` are the rows of all faults."""

    def __init__(self, store: Store, runs: Sequence[GraphRun], faults: Sequence[int]) -> None:
        self._store = store
        self._runs = runs
        self._lives = StreamLives(store)
        self._records = TaskRecords(store, self._lives, faults)
        self._operators: dict[int, Operators] = {}
        self._launches = LaunchSearch(store, self._lives)
        self._doubts = Doubts(store, runs, self._launches)

    def fault(self, row: int) -> Fault | None:
        """Read the fault that a row reports, or None when it reports none."""
        return self._records.fault(row)

    def _operators_of(self, pid: int) -> Operators:
        """Give the operators of a process."""
        if pid not in self._operators:
            self._operators[pid] = Operators(self._store, pid)
        return self._operators[pid]

    def blame(self, fault: Fault) -> Blamed:
        """Find the kernel of a fault; the result says by which evidence."""
        witnesses = tuple(self._records.witnesses(fault))
        ways: tuple[Callable[[Fault, Sequence[Witness]], Blamed | None], ...] = (
            self._by_task,
            self._by_name,
            self._by_family,
        )
        for way in ways:
            found = way(fault, witnesses)
            if found is not None:
                return found
        return Blamed(How.NONE, rt_stream=fault.rt_stream, task=fault.task, witnesses=witnesses)

    def launches_of(self, fault: Fault) -> list[Launch]:
        """Give the launches that printed the fault's task in its life of the stream, the nearest before it last.

        A record of 16 bits fits every launch whose number ends in them; one that prints more fits that number only.
        """
        same = self._launches.before(fault.pid, fault.rt_stream, fault.task, fault.row)
        return [n for n in same if fault.task in n.numbers] if fault.task > 0xFFFF else same

    def last_finished(self, rt_stream: int, row: int) -> Launch | None:
        """Give the last launch on a stream, in its life at ``row``, that the host knew to be done before that row."""
        pid = int(self._store.column("pid")[row])
        return self._launches.last_done(pid, rt_stream, row)

    def _by_task(self, fault: Fault, witnesses: Sequence[Witness]) -> Blamed | None:
        told = self._node_told(fault, witnesses)
        fitting = self.launches_of(fault)
        if told is not None:
            # A launch of another operator had the same number, in a life or on a device that the log does not tell.
            fitting = [launch for launch in fitting if _node(launch) == told]
        folder = folder_of_row(self._store, fault.row)
        fitting = [each for each in fitting if folder_of_row(self._store, each.row) == folder] or fitting
        if not fitting:
            return None
        launch = fitting[-1]
        return Blamed(
            How.TASK_JOIN,
            launch.kernel,
            _node(launch) or None,
            launch.row,
            fault.rt_stream,
            fault.task,
            witnesses=tuple(witnesses),
            rivals=tuple(rival.row for rival in fitting[-2::-1] if rival.kernel != launch.kernel),
            doubt=self._doubts.of(fault, launch, named=told is not None),
        )

    def _node_told(self, fault: Fault, witnesses: Sequence[Witness]) -> str | None:
        """Give the operator that the fault's own record names, if the process is known to have launched it."""
        names = [witness.name for witness in witnesses if witness.told is Told.FAULT]
        nodes = {self._operators_of(fault.pid).node_of_fault(name) for name in names}
        launched = {split_kernel_name(kernel).node for kernel in self._launches.kernels(fault.pid)}
        known = nodes & launched
        return known.pop() if len(known) == 1 else None

    def _by_name(self, fault: Fault, witnesses: Sequence[Witness]) -> Blamed | None:
        operators = self._operators_of(fault.pid)
        for witness in witnesses:
            node = witness.name if witness.exact else operators.node_of_fault(witness.name)
            if node is not None:
                used = (witness, *(other for other in witnesses if other is not witness))
                return self._blame_node(How.FAULT_NAME, node, fault, used)
        return None

    def _by_family(self, fault: Fault, witnesses: Sequence[Witness]) -> Blamed | None:
        """Blame the only node of a compiled kernel's type; a type that no node has is all that is known."""
        for witness in witnesses:
            family = Family(witness.op_type, exact=True) if witness.op_type else family_of_fault(witness.name)
            if family is None:
                continue
            used = (witness, *(other for other in witnesses if other is not witness))
            nodes = self._operators_of(fault.pid).nodes_of_type(family.type)
            if len(nodes) == 1:
                return self._blame_node(How.FAMILY, nodes[0], fault, used)
            if family.exact:
                op = None if nodes else family.type
                ids = (None, fault.rt_stream, fault.task)
                return Blamed(How.FAMILY, None, op, *ids, op_type=family.type, witnesses=used)
        return None

    def _blame_node(self, how: How, node: str, fault: Fault, witnesses: tuple[Witness, ...]) -> Blamed:
        """Blame a node, and the kernel that launched it, where the trace shows one."""
        row = self._launch_row(node, fault)
        kernel = None if row is None else self._store.kernel(row)
        types = [*_exact_families(witnesses), *(w.op_type for w in witnesses if w.name == node and w.op_type)]
        ids = (fault.rt_stream, fault.task)
        return Blamed(how, kernel, node, row, *ids, op_type=next(iter(types), None), witnesses=witnesses)

    def _launch_row(self, node: str, fault: Fault) -> int | None:
        """Give the last launch of a node before the fault, in the run that failed.

        That is the last Main run that each thread began before the fault; a launch of an earlier one is another task.
        """
        store = self._store

        def launches_node(name: str) -> bool:
            parts = split_kernel_name(name)
            return parts.node == node and is_launch(parts.type)

        ran = executions(store)
        named = np.isin(ran.name, store.names.matching(launches_node))
        rows = ran.first[named & (ran.first < fault.row) & (store.column("pid")[ran.first] == fault.pid)]
        own = [run for run in self._runs if run.pid == fault.pid]
        last = {run.tid: run for run in own if run.stage is Stage.MAIN and run.start < fault.row}
        fits = (row for row in rows[::-1].tolist() if not own or run_of_row(store, last.values(), row) is not None)
        return next(fits, None)


def _node(launch: Launch) -> str:
    return split_kernel_name(launch.kernel).node


def _exact_families(witnesses: Sequence[Witness]) -> list[str]:
    """Give the operator types that kernel names say; the dumper's node type may be the name of an API."""
    families = (family_of_fault(witness.name) for witness in witnesses if not witness.exact)
    return [family.type for family in families if family is not None and family.exact]
