"""Sorting: the order in which the nodes of an execute graph stand once it is lowered.

It owns the list order and the ids that follow from it. Executors that sorted again would number nodes differently
from GE's dumps and logs.

Source: spec/lowering.md 8.1 (ExecuteGraph::TopologicalSorting).
"""

from collections import deque
from collections.abc import Callable, Iterator

from getrace.errors import ModelError
from runtime.engines.options import TopoSortingMode
from runtime.graph.execute_graph import ExecuteGraph, FastNode

_FED = frozenset({"Data"})


def sort_graph(root: ExecuteGraph, mode: TopoSortingMode = TopoSortingMode.DFS) -> None:
    """Sort a root and all sub graphs, register these in the new order and number the nodes from 0 over all graphs.

    Raises ModelError when a graph has a circle.
    """
    for graph in (root, *root.all_subgraphs):
        sort_nodes(graph, mode)
    root.register_again(_below(root))
    for number, node in enumerate(root.all_nodes()):
        node.id = number


def sort_nodes(graph: ExecuteGraph, mode: TopoSortingMode = TopoSortingMode.DFS) -> None:
    """Sort the nodes of one graph. Raises ModelError when it has a circle."""
    order = _SORTS[mode](graph)
    if len(order) < len(graph.nodes):
        raise ModelError(
            f"Failed to do topo sorting total {len(graph.nodes)}, itered {len(order)}, "
            f"exist closed loop in graph:{graph.name}",
            "break the circle of control or data edges",
        )
    graph.nodes = order


def _below(root: ExecuteGraph) -> Iterator[ExecuteGraph]:
    """All sub graphs, each before those below it; those of one node from the last to the first, as GE lists them."""
    pending = [root]
    while pending:
        graph = pending.pop()
        if graph is not root:
            yield graph
        children = [child for node in graph.nodes if node.subgraph_names for child in reversed(node.subgraphs)]
        pending.extend(reversed(children))


def _degrees(graph: ExecuteGraph) -> list[int]:
    """How many edges each node waits for, by id; ids become the positions in the list that is to be sorted."""
    for place, node in enumerate(graph.nodes):
        node.id = place
    return [len(node.in_control) + len(node.in_data) - node.in_data.count(None) for node in graph.nodes]


def _roots(graph: ExecuteGraph, degrees: list[int]) -> list[FastNode]:
    """Nodes that wait for nothing, Data first."""
    free = [node for node, degree in zip(graph.nodes, degrees, strict=True) if not degree]
    return sorted(free, key=lambda node: node.type not in _FED)


def _released(node: FastNode, degrees: list[int]) -> list[FastNode]:
    """Nodes that become free when a node has run: by output, then those that waited without data."""
    free = []
    for group in (*node.out_data, node.out_control):
        for edge in group:
            target = edge.target
            left = degrees[target.id] = degrees[target.id] - 1
            if not left:
                free.append(target)
    return free


def _depth_first(graph: ExecuteGraph) -> list[FastNode]:
    degrees = _degrees(graph)
    stack = _roots(graph, degrees)[::-1]
    order: list[FastNode] = []
    while stack:
        node = stack.pop()
        order.append(node)
        stack += _released(node, degrees)
    return order


def _breadth_first(graph: ExecuteGraph) -> list[FastNode]:
    degrees = _degrees(graph)
    queue = deque(_roots(graph, degrees))
    order: list[FastNode] = []
    while queue:
        node = queue.popleft()
        order.append(node)
        queue += _released(node, degrees)
    return order


def _reverse_depth_first(graph: ExecuteGraph) -> list[FastNode]:
    """Walk from the nodes nobody waits for back to what they need; needs come first."""
    order: list[FastNode] = []
    left: dict[FastNode, Iterator[FastNode]] = {}
    done: set[FastNode] = set()
    for last in graph.nodes:
        if any(last.out_data) or last.out_control or last in done:
            continue
        path = [last]
        left[last] = _needs(last)
        while path:
            following = next((node for node in left[path[-1]] if node not in done), None)
            if following is None:
                done.add(path[-1])
                order.append(path.pop())
            elif following not in left:
                left[following] = _needs(following)
                path.append(following)
            else:
                return order
    return order


def _needs(node: FastNode) -> Iterator[FastNode]:
    yield from (edge.source for edge in node.in_data if edge is not None)
    yield from (edge.source for edge in node.in_control)


_SORTS: dict[TopoSortingMode, Callable[[ExecuteGraph], list[FastNode]]] = {
    TopoSortingMode.BFS: _breadth_first,
    TopoSortingMode.DFS: _depth_first,
    TopoSortingMode.REVERSE_DFS: _reverse_depth_first,
}
