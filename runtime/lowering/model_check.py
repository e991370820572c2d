"""What must be true of a model before a single kernel is written.

A fault found here names the model; found half way through a lowering it would name a kernel.
"""

from collections.abc import Collection, Sequence

from getrace.errors import ModelError
from runtime.graph.compute_graph import ComputeGraph, ComputeNode

MAX_DEPTH = 30
"""Graphs below each other. A person nests three or four; each level takes a dozen calls of the walk."""

_SHOWN = 10
"""Nodes of a circle that are named."""


def check_model(graph: ComputeGraph) -> None:
    """Raise ModelError for a graph, at any depth, without exactly one NetOutput, or with a circle.

    Also for one that is owned twice or named as another, which no dump could tell apart, and for graphs deeper below
    each other than a walk that calls itself can go.
    """
    owners: dict[str, ComputeGraph] = {}
    for each in graph.all_graphs():
        if each.name in owners:
            text = f"two graphs of the model are named '{each.name}': {_place(owners[each.name])} and {_place(each)}"
            raise ModelError(text, "give each graph its own name")
        owners[each.name] = each
        net_output_of(each)
        _refuse_circle(each)
    _check_nesting(graph)


def _check_nesting(graph: ComputeGraph) -> None:
    level, depth = [graph], 0
    while level:
        if depth > MAX_DEPTH:
            raise ModelError(f"graph '{level[0].name}' stands more than {MAX_DEPTH} graphs deep", "nest less")
        level = [inner for each in level for node in each.nodes for inner in node.subgraphs]
        depth += 1


def _place(graph: ComputeGraph) -> str:
    return "the model itself" if graph.parent_node is None else f"one of node '{graph.parent_node.name}'"


def net_output_of(graph: ComputeGraph) -> ComputeNode:
    """Give the node that ends a graph. Raises ModelError when there is none, or more than one."""
    found = graph.of_type(["NetOutput"])
    if len(found) != 1:
        owner = f" of node '{graph.parent_node.name}'" if graph.parent_node is not None else ""
        raise ModelError(f"graph '{graph.name}'{owner} has {len(found)} NetOutput nodes", "a graph ends in exactly one")
    return found[0]


def _refuse_circle(graph: ComputeGraph) -> None:
    """Follow the inputs alone: they are what the walk follows, whatever ``consumers`` of a hand-made graph say."""
    before = {node: _waits_for(node) for node in graph.nodes}
    after: dict[ComputeNode, list[ComputeNode]] = {node: [] for node in graph.nodes}
    for node, sources in before.items():
        for source in sources:
            after.setdefault(source, []).append(node)
    waiting = {node: len(sources) for node, sources in before.items()}
    ready = [node for node, count in waiting.items() if count == 0]
    ready += [source for source in after if source not in waiting]
    while ready:
        node = ready.pop()
        waiting.pop(node, None)
        for later in after[node]:
            waiting[later] -= 1
            if waiting[later] == 0:
                ready.append(later)
    if waiting:
        total, done = len(graph.nodes), len(graph.nodes) - len(waiting)
        raise ModelError(
            f"Failed to do topo sorting total {total}, itered {done}, exist closed loop in graph:{graph.name}",
            f"these nodes wait for each other: {_named(_circle(waiting))}",
        )


def _waits_for(node: ComputeNode) -> list[ComputeNode]:
    return [*(source for source, _ in filter(None, node.inputs)), *node.control_inputs]


def _circle(waiting: Collection[ComputeNode]) -> list[ComputeNode]:
    """Give one circle among nodes that all wait for one of them, in the order of the edges."""
    path: dict[ComputeNode, None] = {}
    node = next(iter(waiting))
    while node not in path:
        path[node] = None
        node = next(source for source in _waits_for(node) if source in waiting)
    nodes = list(path)
    return nodes[nodes.index(node) :][::-1]


def _named(nodes: Sequence[ComputeNode]) -> str:
    rest = len(nodes) - _SHOWN
    return ", ".join(node.name for node in nodes[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
