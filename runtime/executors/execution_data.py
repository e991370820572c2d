"""What an executor runs: nodes in order, and the cells that the caller fills and reads (spec/execution.md 2.1)."""

from dataclasses import dataclass, replace

from runtime.executors import loops, topological
from runtime.executors.loops import Plan
from runtime.executors.topological import Topology
from runtime.kernels.context import Cell, KernelContext
from runtime.kernels.registry import RunFunc, TracePrinter
from runtime.subscribers.phase import GraphType
from runtime.subscribers.scheduler import SubscribersScheduler


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """One kernel of the plan; what a tracer needs is looked up once, when the executor is built."""

    name: str
    run: RunFunc
    context: KernelContext
    trace_printer: TracePrinter | None


@dataclass(frozen=True, slots=True)
class ExecutionData:
    """``SequentialExecutionData`` of one graph: inputs are the caller's values, then what the executor adds.

    With a ``topology`` it is ``TopologicalExecutionData``: nodes stand in the graph's order and are numbered so.
    """

    graph: str
    type: GraphType
    nodes: tuple[PlannedNode, ...]
    inputs: tuple[Cell, ...]
    outputs: tuple[Cell, ...]
    topology: Topology | None = None

    @property
    def plan(self) -> Plan:
        """The nodes as pairs of function and context."""
        return tuple((node.run, node.context) for node in self.nodes)


class GraphExecutor:
    """``ExeGraphExecutor``: runs one graph, with or without telling its subscribers."""

    def __init__(self, data: ExecutionData) -> None:
        self.data = data
        self._plan = data.plan

    def emptied(self) -> "GraphExecutor":
        """Give the graph of a closed executor: no kernels and no places for values, so any argument is refused."""
        return GraphExecutor(replace(self.data, nodes=(), inputs=(), outputs=(), topology=None))

    def execute(self, subscribers: SubscribersScheduler) -> int:
        """Run the graph once and give the raw status of the kernel that ended it, or 0."""
        graph, topology = self.data.type, self.data.topology
        if not subscribers.is_enabled():
            return loops.run_plain(self._plan) if topology is None else topological.run_plain(self._plan, topology)
        subscriber, starts = subscribers.subscriber_for(graph), subscribers.hears_starts(graph)
        if topology is None:
            return loops.run_traced(self.data.nodes, graph, subscriber, starts=starts)
        return topological.run_traced(self.data.nodes, topology, graph, subscriber, starts=starts)
