"""Kernels of a lowered graph as short lines, to be written out in a test: type, what it reads, what it waits for."""

from runtime.graph.execute_graph import ExecuteGraph, FastNode


def home(root: ExecuteGraph, stem: str) -> ExecuteGraph:
    """Find the one graph whose name starts with a stem, such as ``Main`` or ``then_graph``."""
    (found,) = [graph for graph in root.all_subgraphs if graph.name.rpartition("_")[0].startswith(stem)]
    return found


def lines(graph: ExecuteGraph, compute_node: str | None = None) -> list[str]:
    """Spell the kernels of a graph, sorted; those of one operator only when it is named.

    ``If <- GenIndexForIf, InnerData[0] | Launch`` reads: an If with two inputs that waits for a Launch. The output
    follows a dot where a kernel has several; an InnerData shows the input it stands for.
    """
    return sorted(_line(node) for node in graph.nodes if node.type != "InnerData" and _is_of(graph, node, compute_node))


def types(graph: ExecuteGraph) -> set[str]:
    """Give the types of the kernels of a graph."""
    return {node.type for node in graph.nodes}


def _is_of(graph: ExecuteGraph, node: FastNode, compute_node: str | None) -> bool:
    if compute_node is None:
        return True
    index = node.attrs.get("ComputeNodeIndex")
    return isinstance(index, int) and graph.root.compute_nodes[index].name == compute_node


def _line(node: FastNode) -> str:
    read = ", ".join(_source(*source) for source in node.inputs if source is not None)
    waited = " ".join(sorted(edge.source.type for edge in node.in_control))
    text = node.type + (f" <- {read}" if read else "")
    return text + (f" | {waited}" if waited else "")


def _source(node: FastNode, output: int) -> str:
    if node.type == "InnerData":
        return f"InnerData[{node.attrs['index']}]"
    return f"{node.type}.{output}" if node.output_count > 1 else node.type
