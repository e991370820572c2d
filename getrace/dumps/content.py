"""What a dump of a lower level leaves out: the data of constants (spec/lowering.md 9.3)."""

from dataclasses import replace

from getrace.dumps.level import Level
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode

_CONSTANTS = frozenset({"Const", "Constant"})
_VALUE = "value"


def without_data(snapshot: GraphSnapshot, level: Level) -> GraphSnapshot:
    """Give the snapshot as a ge_proto dump of a level shows it: at 1 as it is, else constants without their data."""
    if level.has_data:
        return snapshot
    return replace(snapshot, graphs={name: _graph(graph) for name, graph in snapshot.graphs.items()})


def _graph(graph: SnapshotGraph) -> SnapshotGraph:
    return replace(graph, nodes=tuple(_node(node) for node in graph.nodes))


def _node(node: SnapshotNode) -> SnapshotNode:
    if node.type not in _CONSTANTS or _VALUE not in node.attrs:
        return node
    attrs = {name: value for name, value in node.attrs.items() if name != _VALUE}
    described = _description(node.attrs[_VALUE])
    return replace(node, attrs={**attrs, _VALUE: described} if described else attrs)


def _description(value: AttrValue) -> AttrValue:
    """Give a tensor message without its data, nothing for a value that is data as a whole."""
    match value:
        case (("t", tuple(fields)),):
            return (("t", tuple(part for part in fields if not (isinstance(part, tuple) and part[:1] == ("data",)))),)
        case _:
            return ()
