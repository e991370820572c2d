"""From a GraphSnapshot to the text of a ge_proto dump.

It writes the graph as it is: neither the extra NetOutput of GE's own dumps nor the unlinked one (spec/lowering.md
9.6). GE's loader and the reader of this room take both forms.
"""

from collections.abc import Iterator
from itertools import groupby

from getrace.dumps.ge_proto_attrs import OP_FIELDS, split_desc_key, write_attr, write_desc, write_field
from getrace.dumps.owners import GUESSED
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.dumps.text_proto import quote

Descs = dict[tuple[str, int], dict[str, AttrValue]]


def lines_of(snapshot: GraphSnapshot) -> Iterator[str]:
    """Write a snapshot, the root first, as lines without their ends."""
    rest = [graph for name, graph in snapshot.graphs.items() if name != snapshot.root]
    for graph in (snapshot.graphs[snapshot.root], *rest):
        yield "graph {"
        yield from _graph_lines(graph)
        yield "}"


def _graph_lines(graph: SnapshotGraph) -> Iterator[str]:
    yield f"  name: {quote(graph.name)}"
    for node in graph.nodes:
        if node.type == "Data":
            yield f"  input: {quote(node.name + ':0')}"
    incoming: dict[int, list[SnapshotEdge]] = {
        target: list(edges)
        for target, edges in groupby(sorted(graph.edges, key=lambda edge: edge.target), key=lambda edge: edge.target)
    }
    for node in graph.nodes:
        yield "  op {"
        yield from _op_lines(graph, node, incoming.get(node.id, []))
        yield "  }"
    for key in sorted(graph.attrs):
        yield from write_attr(key, graph.attrs[key], "  ")


def _op_lines(graph: SnapshotGraph, node: SnapshotNode, incoming: list[SnapshotEdge]) -> Iterator[str]:
    yield f"    name: {quote(node.name)}"
    yield f"    type: {quote(node.type)}"
    feeding = {edge.target_input: edge for edge in incoming if not edge.is_control}
    for slot in range(node.inputs):
        edge = feeding.get(slot)
        yield f"    input: {quote('' if edge is None else f'{graph.nodes[edge.source].name}:{edge.source_output}')}"
    for edge in incoming:
        if edge.is_control:
            yield f"    input: {quote(graph.nodes[edge.source].name + ':-1')}"
    plain, descs = split_attrs(node)
    fields = {key: lines for key in OP_FIELDS if key in plain and (lines := write_field(key, plain[key], "    "))}
    for key in sorted(plain.keys() - fields.keys()):
        yield from write_attr(key, plain[key], "    ")
    yield "    has_out_attr: true"
    if node.topo_id:
        yield f"    id: {node.topo_id}"
    for lines in fields.values():
        yield from lines
    for side, count in (("input", node.inputs), ("output", node.outputs)):
        for index in range(count):
            yield from write_desc(side, descs.get((side, index), {}), "    ")
    for name in node.subgraphs:
        yield f"    subgraph_name: {quote(name)}"


def split_attrs(node: SnapshotNode) -> tuple[dict[str, AttrValue], Descs]:
    """Part the node's own attributes from those of its descriptors; a mark of ours is neither."""
    plain: dict[str, AttrValue] = {}
    descs: Descs = {}
    counts = {"input": node.inputs, "output": node.outputs}
    for key, value in node.attrs.items():
        if key == GUESSED:
            continue
        parts = split_desc_key(key)
        if parts is None or parts[2] >= counts[parts[0]]:
            plain[key] = value
        else:
            descs.setdefault((parts[0], parts[2]), {})[parts[1]] = value
    return plain, descs
