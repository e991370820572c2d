"""What producers and workers know of a graph: its topology, and what kind of kernel each number is.

Built once when the executor is built. Producers see numbers only; names are for texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runtime.executors.multi_thread.task import TaskType
from runtime.executors.topological import Topology
from runtime.subscribers.phase import ExecNode


@dataclass(frozen=True, slots=True)
class ThreadPlan:
    """One graph for several threads. All sequences are by the number of a kernel.

    ``loop_heads`` are the WaitAnyone of a While, ``joins`` all WaitAnyone. ``operators`` is (graph, compute node) for a
    kernel that belongs to an operator, None for the others and for kernels of control flow.
    """

    nodes: Sequence[ExecNode]
    topology: Topology
    priorities: Sequence[int]
    types: Sequence[TaskType]
    operators: Sequence[tuple[str, int] | None]
    loop_heads: frozenset[int]
    joins: frozenset[int]

    @property
    def switches(self) -> Mapping[int, Sequence[int]]:
        """Kernels that choose their watchers while they run, each with all it may choose."""
        return self.topology.switches

    @property
    def has_control_flow(self) -> bool:
        """Whether some kernels may run more or less often than once."""
        return bool(self.switches or self.joins)

    def possible_watchers(self) -> list[list[int]]:
        """Give all that may ever wait for each kernel, whatever a switch chooses."""
        return [
            [*watchers, *(each for each in self.switches.get(number, ()) if each not in watchers)]
            for number, watchers in enumerate(self.topology.watchers)
        ]
