"""What must be true of a model before a single kernel is written.

A fault found here names the model; found half way through a lowering it would name a kernel.
"""

from getrace.errors import ModelError
from runtime.graph.compute_graph import ComputeGraph, ComputeNode

MAX_DEPTH = 30
"""Graphs below each other. A person nests three or four; each level takes a dozen calls of the walk."""


def check_model(graph: ComputeGraph) -> None:
    """Raise ModelError for a graph, at any depth, without exactly one NetOutput, with a circle, or owned twice.

    And for graphs deeper below each other than a walk that calls itself can go.
    """
    for each in graph.all_graphs():
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


def net_output_of(graph: ComputeGraph) -> ComputeNode:
    """Give the node that ends a graph. Raises ModelError when there is none, or more than one."""
    found = graph.of_type(["NetOutput"])
    if len(found) != 1:
        owner = f" of node '{graph.parent_node.name}'" if graph.parent_node is not None else ""
        raise ModelError(f"graph '{graph.name}'{owner} has {len(found)} NetOutput nodes", "a graph ends in exactly one")
    return found[0]


def _refuse_circle(graph: ComputeGraph) -> None:
    waiting = {node: len([*filter(None, node.inputs), *node.control_inputs]) for node in graph.nodes}
    ready = [node for node, count in waiting.items() if count == 0]
    while ready:
        node = ready.pop()
        del waiting[node]
        for after in (*(consumer for _, consumer, _ in node.consumers), *node.control_consumers):
            if after in waiting:
                waiting[after] -= 1
                if waiting[after] == 0:
                    ready.append(after)
    if waiting:
        total, done = len(graph.nodes), len(graph.nodes) - len(waiting)
        stuck = ", ".join(node.name for node in list(waiting)[:3])
        raise ModelError(
            f"Failed to do topo sorting total {total}, itered {done}, exist closed loop in graph:{graph.name}",
            f"these nodes wait for each other: {stuck}",
        )
