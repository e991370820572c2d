"""From one execute graph to execution data (spec/execution.md 2.1, 2.2).

Names, contexts and trace printers are looked up here, once; an executor that asked a node for anything while running
would pay for it on every run.
"""

from collections.abc import Iterable, Sequence

from getrace.errors import ModelError
from getrace.events.markers import ExecutorSelected, NodesOrdered
from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import ExecutionData, PlannedNode
from runtime.executors.multi_thread.build import build_scheduler, checked_option
from runtime.executors.multi_thread.launch_order import order_launches, restore_waits
from runtime.executors.node_class import NodeClass, class_of, nodes_below
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.executors.order import execution_order, priority_of
from runtime.executors.selection import select
from runtime.executors.topological import Topology
from runtime.executors.watchers import attach_signal, relations_of
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.kernels.context import Cell, ComputeNodeInfo, IoDesc, KernelContext
from runtime.kernels.machine import Machine
from runtime.kernels.registry import KernelRegistry
from runtime.subscribers.phase import GraphType


class GraphBuilder:
    """Builds the execution data of a model's graphs; the cells are shared by all three."""

    def __init__(self, root: ExecuteGraph, machine: Machine, kernels: KernelRegistry, cells: Cells) -> None:
        self._infos = [compute_node_info(node) for node in root.compute_nodes]
        self._machine = machine
        self._kernels = kernels
        self._cells = cells

    def build(self, graph: ExecuteGraph, graph_type: GraphType, option: ExecutorOption) -> ExecutionData:
        """Build one graph and run its outputs creators; ``option`` is the user's choice.

        Raises ModelError for a graph that cannot be executed, and for one with control flow on the sequential executor.
        """
        below = list(nodes_below(graph))
        kind = option.kind or select(below)
        threads = checked_option(option) if kind is ExecutorKind.MULTI_THREAD else None
        self._machine.journal.say(ExecutorSelected(kind, graph.name))
        straight = kind is ExecutorKind.SEQUENTIAL
        if straight:
            _refuse_control_flow(graph)
        order = execution_order(graph) if straight else below
        self._machine.journal.say(NodesOrdered("with" if straight else "without", graph.name))
        self._create_cells(graph.nodes if straight else below)
        kernels = [node for node in order if class_of(node) is NodeClass.EXECUTED or _runs_as_constant(node, straight)]
        topology = None if straight else self._topology(below, kernels, kind)
        nodes = tuple(self._planned(node, number) for number, node in enumerate(kernels))
        inputs = self._inputs(graph)
        scheduler = None
        if topology is not None and threads is not None:
            scheduler = build_scheduler(kernels, nodes, topology, threads, self._machine, inputs)
        outputs = self._outputs(graph)
        for cell in outputs:
            cell.value = None
        return ExecutionData(graph.name, graph_type, nodes, inputs, outputs, topology, scheduler)

    def _create_cells(self, nodes: Iterable[FastNode]) -> None:
        for node in nodes:
            for index in range(node.output_count):
                cell = self._cells.of_output(node, index)
                if class_of(node) is NodeClass.CONSTANT:
                    cell.value = node.attrs["value"]

    def _topology(self, below: Sequence[FastNode], kernels: Sequence[FastNode], kind: ExecutorKind) -> Topology:
        numbers = {node: number for number, node in enumerate(kernels)}
        found = relations_of(below, numbers)
        threaded = kind is ExecutorKind.MULTI_THREAD
        if threaded:
            order_launches(numbers, found)
        if not threaded or any(class_of(node) is NodeClass.CONTROL_FLOW for node in below):
            restore_waits(numbers, found)
        switches: dict[int, tuple[int, ...]] = {}
        for node, number in numbers.items():
            if node.attrs.get("_request_watcher"):
                signal = attach_signal(node, numbers, found.watchers[number])
                self._cells.of_output(node, 0).own(signal)
                switches[number] = signal.receivers
        return Topology(
            tuple(found.watchers),
            tuple(found.indegrees),
            tuple(number for number, degree in enumerate(found.indegrees) if not degree),
            tuple(priority_of(node) for node in kernels) if kind is ExecutorKind.PRIORITY else None,
            switches,
        )

    def _planned(self, node: FastNode, number: int) -> PlannedNode:
        kernel = self._kernels.find(node.type, node.name)
        index = node.attrs.get("ComputeNodeIndex")
        context = KernelContext(
            node.name,
            node.type,
            tuple(self._cells.of_input(node, slot) for slot in range(len(node.in_data))),
            tuple(self._cells.of_output(node, slot) for slot in range(node.output_count)),
            self._infos[index] if isinstance(index, int) else None,
            self._machine,
            node.attrs,
        )
        if kernel.outputs_creator is not None and kernel.outputs_creator(context):
            raise ModelError(f"Failed to create output for node {node.name} type {node.type}")
        return PlannedNode(node.name, kernel.run, context, kernel.trace_printer, number, kernel.critical_section)

    def _inputs(self, graph: ExecuteGraph) -> tuple[Cell, ...]:
        feeds = [node for node in graph.nodes if class_of(node) is NodeClass.INPUT]
        order = _input_order((_index_of(node), node) for node in feeds)
        return tuple(self._cells.of_output(node, 0) for node in order)

    def _outputs(self, graph: ExecuteGraph) -> tuple[Cell, ...]:
        for node in graph.nodes:
            if class_of(node) is NodeClass.OUTPUT:
                return tuple(self._cells.of_input(node, slot) for slot in range(len(node.in_data)))
        return ()


def compute_node_info(node: ComputeNode) -> ComputeNodeInfo:
    """Give what kernels may know of an operator: types, formats and attributes."""
    return ComputeNodeInfo(
        node.name,
        node.type,
        tuple(IoDesc(desc.dtype, desc.format, desc.shape) for desc in node.op.inputs),
        tuple(IoDesc(desc.dtype, desc.format, desc.shape) for desc in node.op.outputs),
        node.op.attrs,
    )


def _index_of(node: FastNode) -> int:
    index = node.attrs.get("index")
    if not isinstance(index, int):
        raise ModelError(f"Failed to get index from data node {node.name}")
    return index


def _input_order(feeds: Iterable[tuple[int, FastNode]]) -> list[FastNode]:
    by_index: dict[int, FastNode] = {}
    for index, node in feeds:
        if index in by_index:
            raise ModelError(f"Failed to load exe graph, duplicated input data index {index}")
        by_index[index] = node
    inputs = sorted(index for index in by_index if index >= 0)
    appended = sorted((index for index in by_index if index < 0), reverse=True)
    for expected, index in enumerate(inputs):
        if index != expected:
            raise ModelError(f"Failed to load exe graph, input data index {index}, expect {expected}")
    for expected, index in enumerate(appended, 1):
        if index != -expected:
            raise ModelError(f"Failed to load exe graph, append input data index {index}, expect {-expected}")
    return [by_index[index] for index in (*inputs, *appended)]


def _runs_as_constant(node: FastNode, straight: bool) -> bool:
    """GE's logs show a line for each constant of Init; no node of a topological run waits for one."""
    return straight and class_of(node) is NodeClass.CONSTANT


def _refuse_control_flow(graph: ExecuteGraph) -> None:
    for node in graph.nodes:
        if class_of(node) is NodeClass.CONTROL_FLOW:
            hint = "the sequential executor runs straight graphs only"
            raise ModelError(f"node {node.name} of graph {graph.name} is control flow ({node.type})", hint)
