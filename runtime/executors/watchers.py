"""Who waits for whom in a topological run: the edges of the graph, and those no graph holds (spec/execution.md 2.4).

Relations between a guard and the nodes of its graph cross graphs, so they cannot be edges: they are made here, each
time an executor is built.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from getrace.errors import ModelError
from runtime.executors.key_nodes import branches_of, end_of, loop_entry, start_of
from runtime.executors.node_class import NodeClass, class_of
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.kernels.control import NotifySignal

_WAITS_FOR_ONE = "WaitAnyone"


@dataclass(slots=True)
class Relations:
    """``watchers[i]``: the nodes that wait for node i, by number; ``indegrees[i]``: how many node i waits for."""

    watchers: list[list[int]] = field(default_factory=list)
    indegrees: list[int] = field(default_factory=list)


def relations_of(nodes: Sequence[FastNode], numbers: dict[FastNode, int]) -> Relations:
    """Find the relations of the kernels in ``numbers``; ``nodes`` are all nodes of the graph and of those below it."""
    found = Relations([[] for _ in numbers], [0] * len(numbers))
    for before, after in (*_edges(nodes), *_around_control_flow(nodes)):
        found.watchers[numbers[before]].append(numbers[after])
        found.indegrees[numbers[after]] += 1
    for node, number in numbers.items():
        if node.type == _WAITS_FOR_ONE:
            found.indegrees[number] = min(found.indegrees[number], 1)
    return found


def attach_signal(switch: FastNode, numbers: dict[FastNode, int], watchers: list[int]) -> NotifySignal:
    """Make the signal of a switch: of its data consumers the one in front is told, and all that wait for its end.

    ``watchers`` is rewritten: the consumer of output 0 only keeps the place that the signal fills.
    """
    _, *receivers = (numbers[target] for _, target, _ in switch.data_successors)
    ends = [numbers[after] for after in map(_first_kernel, switch.control_successors) if after is not None]
    watchers[:] = [*receivers[:1], *ends]
    return NotifySignal(watchers, tuple(receivers))


def _edges(nodes: Iterable[FastNode]) -> Iterator[tuple[FastNode, FastNode]]:
    """Follow the edges between kernels in the order in which they leave: by output, oldest first, then by control."""
    for node in nodes:
        if class_of(node) is NodeClass.EXECUTED:
            for target in _successors(node):
                if class_of(target) is NodeClass.EXECUTED:
                    yield node, target


def _around_control_flow(nodes: Iterable[FastNode]) -> Iterator[tuple[FastNode, FastNode]]:
    """Give what a control-flow node waits for, what waits for it, and what its guards hold.

    They come behind all edges between kernels, as the logs show: what feeds a loop tells the loop last.
    """
    for node in nodes:
        if class_of(node) is not NodeClass.CONTROL_FLOW:
            continue
        before = [kernel for kernel in map(_last_kernel, _predecessors(node)) if kernel is not None]
        after = [target for target in _successors(node) if class_of(target) is NodeClass.EXECUTED]
        yield from ((kernel, start_of(node)) for kernel in before)
        yield from ((end_of(node), target) for target in after)
        for branch in branches_of(node):
            yield from ((branch.pivot, first) for first in _first_kernels(branch.graph))
            yield from ((last, branch.done) for last in _last_kernels(node, branch.graph))
            if node.type == "While":
                yield branch.done, loop_entry(node)


def _first_kernels(graph: ExecuteGraph) -> Iterator[FastNode]:
    """Give what nothing but the pivot holds back."""
    for node in graph.nodes:
        first = _first_kernel(node)
        if first is not None and not any(_last_kernel(source) for source in _predecessors(node)):
            yield first


def _last_kernels(owner: FastNode, graph: ExecuteGraph) -> Iterator[FastNode]:
    """Give what makes an output of the graph, and what nobody waits for."""
    outputs = [node for node in graph.nodes if node.type == "InnerNetOutput"]
    if not outputs:
        number = owner.subgraph_names.index(graph.name)
        raise ModelError(f"No InnerNetOutput node in subgraph {number} from node {owner.name}")
    makers = set(_predecessors(outputs[0]))
    for node in graph.nodes:
        last = _last_kernel(node)
        if last is not None and (node in makers or not _successors(node)):
            yield last


def _first_kernel(node: FastNode) -> FastNode | None:
    kind = class_of(node)
    if kind is NodeClass.CONTROL_FLOW:
        return start_of(node)
    return node if kind is NodeClass.EXECUTED else None


def _last_kernel(node: FastNode) -> FastNode | None:
    kind = class_of(node)
    if kind is NodeClass.CONTROL_FLOW:
        return end_of(node)
    return node if kind is NodeClass.EXECUTED else None


def _successors(node: FastNode) -> list[FastNode]:
    return [*(target for _, target, _ in node.data_successors), *node.control_successors]


def _predecessors(node: FastNode) -> list[FastNode]:
    data = [edge.source for edge in node.in_data if edge is not None]
    return [*data, *(edge.source for edge in node.in_control)]
