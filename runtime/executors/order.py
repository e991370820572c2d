"""The order in which the sequential executor runs a graph (spec/execution.md 2.3)."""

from heapq import heappop, heappush
from itertools import count

from getrace.errors import ModelError
from runtime.graph.execute_graph import ExecuteGraph, FastNode

_LOWEST_PRIORITY = (1 << 63) - 1


def priority_of(node: FastNode) -> int:
    """Give a node's priority; a smaller number runs earlier, a node without one runs last."""
    priority = node.attrs.get("priority", _LOWEST_PRIORITY)
    assert isinstance(priority, int)
    return priority


def execution_order(graph: ExecuteGraph) -> list[FastNode]:
    """Sort by Kahn's algorithm over a queue per priority: among equals, the node that became ready first runs first.

    Raises ModelError when the graph has a circle.
    """
    waiting = {node: len(node.in_control) + sum(edge is not None for edge in node.in_data) for node in graph.nodes}
    turn = count()
    ready: list[tuple[int, int, FastNode]] = []
    for node in graph.nodes:
        if not waiting[node]:
            heappush(ready, (priority_of(node), next(turn), node))
    order: list[FastNode] = []
    while ready:
        _, _, node = heappop(ready)
        order.append(node)
        for after in (*(consumer for _, consumer, _ in node.data_successors), *node.control_successors):
            waiting[after] -= 1
            if not waiting[after]:
                heappush(ready, (priority_of(after), next(turn), after))
    if len(order) < len(graph.nodes):
        stuck = next(node.name for node in graph.nodes if waiting[node])
        raise ModelError(f"graph {graph.name} has a circle through node {stuck}")
    return order
