"""What a converter wrote for one operator, one line a kernel, so that a test can state all of it.

A line reads ``Main Launch(Alloc, Split.1, 3) after Update``: the graph the kernel lives in, its type, its inputs by the
kernel that makes them (followed through sub graphs; output 0 goes without its number), and what it waits for. Constants
stand as values in the inputs that read them; records among them by their names.
"""

from collections.abc import Iterator
from enum import IntEnum

from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.values import Shape, StorageShape

_SKIPPED = frozenset({"Const", "InnerData", "NetOutput"})
"""The end of Main belongs to whatever operator stands last in a model."""


def kernels_of(root: ExecuteGraph, *compute_nodes: str) -> list[str]:
    """List the kernels of operators, by name, on Init, then Main, then DeInit, in order of creation."""
    wanted = {index for index, node in enumerate(root.compute_nodes) if node.name in compute_nodes}
    return [
        _line(part, node)
        for part in ("Init", "Main", "DeInit")
        for node in root.owned_by(part).nodes
        if node.attrs.get("ComputeNodeIndex") in wanted and node.type not in _SKIPPED
    ]


def kernels_of_type(root: ExecuteGraph, *types: str) -> list[str]:
    """List the kernels of some types, whoever they belong to."""
    return [
        _line(part, node)
        for part in ("Init", "Main", "DeInit")
        for node in root.owned_by(part).nodes
        if node.type in types
    ]


def _line(part: str, node: FastNode) -> str:
    waited = ", ".join(edge.source.type for edge in node.in_control)
    return f"{part} {node.type}({', '.join(_inputs(node))})" + (f" after {waited}" if waited else "")


def _inputs(node: FastNode) -> Iterator[str]:
    for source in node.inputs:
        if source is None:
            yield "nothing"
            continue
        producer, output = _followed(*source)
        if producer.type == "Const":
            yield _value(producer.attrs["value"])
        else:
            yield producer.type if output == 0 else f"{producer.type}.{output}"


def _followed(node: FastNode, output: int) -> tuple[FastNode, int]:
    """Follow an input out of sub graphs, and into Init, to the kernel that makes it."""
    while True:
        if node.type == "InnerData":
            parent = node.graph.parent_node
            index = node.attrs["index"]
            assert parent is not None
            assert isinstance(index, int)
            source = parent.inputs[index]
        elif node.type == "Init":
            exits = next(inner for inner in node.subgraphs[0].nodes if inner.type == "InnerNetOutput")
            source = exits.inputs[output]
        else:
            return node, output
        assert source is not None
        node, output = source


def _value(value: object) -> str:
    if isinstance(value, IntEnum):
        return value.name
    if isinstance(value, StorageShape):
        return str(value.origin)
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if value is None or isinstance(value, int | str | Shape | tuple):
        return repr(value)
    return type(value).__name__
