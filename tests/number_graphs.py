"""Execute graphs whose kernels compute with plain numbers, for tests of executors and of nothing below them."""

from collections.abc import Callable
from itertools import pairwise

from standin_kernels import bare_machine

from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import GraphExecutor
from runtime.executors.graph_builder import GraphBuilder
from runtime.executors.options import ExecutorOption
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.kernels.context import KernelContext
from runtime.kernels.machine import Machine
from runtime.kernels.registry import Kernel, KernelRegistry
from runtime.subscribers.phase import GraphType
from runtime.subscribers.scheduler import SubscribersScheduler
from runtime.subscribers.tracer import ExecutorTracer

Compute = Callable[..., int]


class NumberGraph:
    """A Main graph under construction. ``calls`` are the kernels that ran; ``statuses`` are those that fail, by name.

    A status is given once: the next run of the kernel succeeds.
    """

    def __init__(self, machine: Machine | None = None) -> None:
        self.machine = machine or bare_machine()
        self.graph = ExecuteGraph("Main_30")
        self.calls: list[str] = []
        self.threads: list[int] = []
        self.statuses: dict[str, int] = {}
        self._kernels = KernelRegistry()
        self._types: set[str] = set()
        self.executor: GraphExecutor

    def data(self, index: int) -> FastNode:
        """An input of the model."""
        node = self.graph.add_node(f"Data_{index}", "Data", 0, 1)
        node.attrs["index"] = index
        return node

    def kernel(
        self,
        name: str,
        compute: Compute = lambda *_: 0,
        *feeds: FastNode,
        priority: int | None = None,
        section: str = "",
        operator: int | None = None,
    ) -> FastNode:
        """A kernel of a type of its own, ``name`` up to the first underscore."""
        kernel_type = name.partition("_")[0]
        node = self.graph.add_node(name, kernel_type, len(feeds), 1)
        for slot, feed in enumerate(feeds):
            self.graph.add_edge(feed, 0, node, slot)
        if priority is not None:
            node.attrs["priority"] = priority
        if operator is not None:
            node.attrs["ComputeNodeIndex"] = operator
        if kernel_type not in self._types:
            self._types.add(kernel_type)
            self._kernels.add(Kernel(kernel_type, self._runner(compute), critical_section=section))
        return node

    def order(self, *nodes: FastNode) -> None:
        """Let each node wait for the one before."""
        for before, after in pairwise(nodes):
            self.graph.add_control_edge(before, after)

    def output(self, *feeds: FastNode) -> None:
        """The outputs of the model."""
        node = self.graph.add_node("NetOutput", "NetOutput", len(feeds))
        for slot, feed in enumerate(feeds):
            self.graph.add_edge(feed, 0, node, slot)

    def build(self, option: ExecutorOption) -> GraphExecutor:
        """Build an executor; this graph's ``run`` goes to the one that was built last."""
        builder = GraphBuilder(self.graph, self.machine, self._kernels, Cells(self.graph))
        self.executor = GraphExecutor(builder.build(self.graph, GraphType.MAIN, option))
        return self.executor

    def run(self, *inputs: object, subscribers: SubscribersScheduler | None = None) -> tuple[int, list[object]]:
        """Execute once: the status, and the outputs of a run that succeeded."""
        data = self.executor.data
        for cell, value in zip(data.inputs, inputs, strict=True):
            cell.value = value
        status = self.executor.execute(subscribers or self.silent())
        return status, [] if status else [cell.value for cell in data.outputs]

    def silent(self) -> SubscribersScheduler:
        """Subscribers of which none works, as long as GE does not print INFO."""
        return SubscribersScheduler(ExecutorTracer(self.machine.journal))

    def take(self) -> list[str]:
        """Give the kernels that ran since the last time."""
        taken = list(self.calls)
        self.calls.clear()
        return taken

    def _runner(self, compute: Compute) -> Callable[[KernelContext], int]:
        def run(context: KernelContext) -> int:
            self.calls.append(context.name)
            self.threads.append(context.journal.origin.tid)
            if status := self.statuses.pop(context.name, 0):
                return status
            context.set(0, compute(*(cell.value for cell in context.inputs)))
            return 0

        return run
