"""What an executor runs: nodes in order, and the cells that the caller fills and reads (spec/execution.md 2.1)."""

from dataclasses import dataclass, replace

from runtime.executors.loops import Loop, Plan, StraightLoop
from runtime.executors.multi_thread.loop import ThreadedLoop
from runtime.executors.multi_thread.scheduler import TaskScheduler
from runtime.executors.topological import TopologicalLoop, Topology
from runtime.kernels.context import Cell, KernelContext
from runtime.kernels.registry import RunFunc, TracePrinter
from runtime.kernels.status import Status
from runtime.subscribers.phase import GraphType, Subscriber
from runtime.subscribers.scheduler import SubscribersScheduler


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """One kernel of the plan; what a tracer needs is looked up once, when the executor is built.

    ``number`` is its place in the plan, ``section`` its critical section, "" for none.
    """

    name: str
    run: RunFunc
    context: KernelContext
    trace_printer: TracePrinter | None
    number: int = 0
    section: str = ""


@dataclass(frozen=True, slots=True)
class ExecutionData:
    """``SequentialExecutionData`` of one graph: inputs are the caller's values, then what the executor adds.

    With a ``topology`` it is ``TopologicalExecutionData``: nodes stand in the graph's order and are numbered so. With a
    ``scheduler`` it is ``ScheduleData``, which several threads run.
    """

    graph: str
    type: GraphType
    nodes: tuple[PlannedNode, ...]
    inputs: tuple[Cell, ...]
    outputs: tuple[Cell, ...]
    topology: Topology | None = None
    scheduler: TaskScheduler | None = None

    @property
    def plan(self) -> Plan:
        """The nodes as pairs of function and context."""
        return tuple((node.run, node.context) for node in self.nodes)

    def loop(self) -> Loop:
        """Give what runs these data."""
        if self.scheduler is not None:
            return ThreadedLoop(self.scheduler)
        return StraightLoop(self.nodes) if self.topology is None else TopologicalLoop(self.nodes, self.topology)


class GraphExecutor:
    """``ExeGraphExecutor``: runs one graph, with or without telling its subscribers."""

    def __init__(self, data: ExecutionData) -> None:
        self.data = data
        self._loop = data.loop()

    def emptied(self) -> "GraphExecutor":
        """Give the graph of a closed executor: no kernels and no places for values, so any argument is refused."""
        self._loop.close()
        return GraphExecutor(replace(self.data, nodes=(), inputs=(), outputs=(), topology=None, scheduler=None))

    def execute(self, subscribers: SubscribersScheduler) -> int:
        """Run the graph once and give the raw status of the kernel that ended it, or 0."""
        graph = self.data.type
        if not subscribers.is_enabled():
            return self._loop.plain()
        stamps = subscribers.stamps_for(graph, len(self.data.nodes))
        if stamps is not None:
            return self._loop.stamped(stamps)
        return self.execute_with(subscribers.subscriber_for(graph), starts=subscribers.hears_starts(graph))

    def execute_with(self, subscriber: Subscriber | None, *, starts: bool = True) -> int:
        """``Execute(type, es)``: run the graph once and tell a subscriber; FAILED, and nothing runs, without one."""
        return Status.FAILED if subscriber is None else self._loop.traced(self.data.type, subscriber, starts=starts)
