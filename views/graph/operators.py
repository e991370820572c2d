"""Which operator of the compute graph a node of an execute graph was made for.

The name says it, and where a pass made the name the attribute ``ComputeNodeIndex`` does. Frames and the collapsed
picture must agree on the answer, so it is given in one place.
"""

from getrace.dumps.snapshot import SnapshotGraph, SnapshotNode
from getrace.ids import split_kernel_name
from views.graph.style import family_of

_INDEX = "ComputeNodeIndex"
_FOLLOWERS = frozenset({"constant", "io", "handed"})


def operators_of(graph: SnapshotGraph) -> list[str]:
    """Give the operator's name of each node, "" for a node without one; a compute graph has none at all.

    A constant or a value from outside that carries no operator is drawn with the only operator that reads it.
    """
    if not is_execute_graph(graph):
        return [""] * len(graph.nodes)
    named = [_named(node) for node in graph.nodes]
    by_index = _names_by_index(graph, named)
    owners = [name or by_index.get(_index(node), "") for node, name in zip(graph.nodes, named, strict=True)]
    return _adopted(graph, owners)


def is_execute_graph(graph: SnapshotGraph) -> bool:
    """Whether a graph was lowered: its nodes carry kernel names or the index of a compute node."""
    return any(node.type in {"InnerData", "InnerNetOutput"} or _INDEX in node.attrs for node in graph.nodes)


def _named(node: SnapshotNode) -> str:
    """Read the operator out of a name; ``CEM_Main_30_InnerData_0`` has the shape of a kernel's name and is none."""
    name = split_kernel_name(node.name)
    return "" if node.type == "InnerData" and name.type != node.type else name.node


def _index(node: SnapshotNode) -> int:
    value = node.attrs.get(_INDEX, -1)
    return value if isinstance(value, int) else -1


def _names_by_index(graph: SnapshotGraph, named: list[str]) -> dict[int, str]:
    names: dict[int, str] = {}
    for node, name in zip(graph.nodes, named, strict=True):
        if name and _index(node) >= 0:
            names.setdefault(_index(node), name)
    return names


def _adopted(graph: SnapshotGraph, owners: list[str]) -> list[str]:
    readers: dict[int, set[str]] = {}
    for edge in graph.edges:
        if not edge.is_control and edge.target < len(owners):
            readers.setdefault(edge.source, set()).add(owners[edge.target])
    adopted = list(owners)
    for node, owner in enumerate(owners):
        wanted = readers.get(node, set())
        if not owner and len(wanted) == 1 and family_of(graph.nodes[node].type) in _FOLLOWERS:
            adopted[node] = next(iter(wanted))
    return adopted
