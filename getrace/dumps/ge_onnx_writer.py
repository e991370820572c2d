"""From a GraphSnapshot to the text of a ge_onnx dump.

It writes the graph as it is, as the writer of ge_proto does: without the extra NetOutput of GE's own dumps, and with
the edges into NetOutput that those leave out (spec/lowering.md 9.6).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from getrace.dumps.ge_onnx_attr_writer import attribute_lines
from getrace.dumps.ge_onnx_fields import GRAPH_TYPE, PREFIX
from getrace.dumps.level import Level
from getrace.dumps.snapshot import CONTROL, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.dumps.text_proto import quote

_ELEMENT_TYPES: Mapping[str, int] = {
    "DT_FLOAT": 1,
    "DT_UINT8": 2,
    "DT_INT8": 3,
    "DT_UINT16": 4,
    "DT_INT16": 5,
    "DT_INT32": 6,
    "DT_INT64": 7,
    "DT_STRING": 8,
    "DT_BOOL": 9,
    "DT_FLOAT16": 10,
    "DT_DOUBLE": 11,
    "DT_UINT32": 12,
    "DT_UINT64": 13,
    "DT_COMPLEX64": 14,
    "DT_COMPLEX128": 15,
    "DT_BF16": 16,
}
"""ONNX's numbers of the types that it has, too."""


def lines_of(snapshot: GraphSnapshot, level: Level) -> Iterator[str]:
    """Write a snapshot, as lines without their ends; each sub graph is a node of the root, whoever owns it."""
    root = snapshot.graphs[snapshot.root]
    yield "ir_version: 6"
    yield 'producer_name: "GE"'
    yield "graph {"
    yield from _nodes(root, level, "  ")
    for name, graph in snapshot.graphs.items():
        if name != snapshot.root:
            yield from _sub_graph(graph, level)
    yield f"  name: {quote(root.name)}"
    yield "}"


def _sub_graph(graph: SnapshotGraph, level: Level) -> Iterator[str]:
    yield "  node {"
    yield f"    name: {quote(graph.name)}"
    yield f"    op_type: {quote(GRAPH_TYPE)}"
    yield "    attribute {"
    yield '      name: "graph"'
    yield "      g {"
    yield from _nodes(graph, level, "        ")
    yield f"        name: {quote(graph.name)}"
    for node in graph.nodes:
        if node.type == "Data":
            yield from _graph_input(node, "        ")
    yield "      }"
    yield "      type: GRAPH"
    yield "    }"
    yield "  }"


def _graph_input(node: SnapshotNode, indent: str) -> Iterator[str]:
    element = _ELEMENT_TYPES.get(str(node.attrs.get("output_desc_dtype:0", "DT_FLOAT")), 0)
    shape = node.attrs.get("output_desc_shape:0", ())
    yield f"{indent}input {{"
    yield f"{indent}  name: {quote(node.name)}"
    yield f"{indent}  type {{"
    yield f"{indent}    tensor_type {{"
    if element:
        yield f"{indent}      elem_type: {element}"
    yield f"{indent}      shape {{"
    for dim in shape if isinstance(shape, tuple) else ():
        yield f"{indent}        dim {{"
        yield f"{indent}          dim_value: {dim!r}"
        yield f"{indent}        }}"
    yield f"{indent}      }}"
    for closing in ("    }", "  }", "}"):
        yield indent + closing


def _nodes(graph: SnapshotGraph, level: Level, indent: str) -> Iterator[str]:
    incoming: dict[int, list[SnapshotEdge]] = defaultdict(list)
    used: dict[int, set[int]] = defaultdict(set)
    for edge in graph.edges:
        incoming[edge.target].append(edge)
        used[edge.source].add(edge.source_output)
    for node in graph.nodes:
        yield f"{indent}node {{"
        for text in _inputs(graph, node, incoming[node.id]):
            yield f"{indent}  input: {quote(text)}"
        for output in sorted(used[node.id], key=lambda output: (output == CONTROL, output)):
            yield f"{indent}  output: {quote(f'{node.name}:{output}')}"
        yield f"{indent}  name: {quote(node.name)}"
        yield f"{indent}  op_type: {quote(PREFIX + node.type)}"
        yield from attribute_lines(node, level, indent + "  ")
        yield f"{indent}}}"


def _inputs(graph: SnapshotGraph, node: SnapshotNode, incoming: list[SnapshotEdge]) -> Iterator[str]:
    feeding = {edge.target_input: edge for edge in incoming if not edge.is_control}
    for slot in range(node.inputs):
        edge = feeding.get(slot)
        yield "" if edge is None else f"{graph.nodes[edge.source].name}:{edge.source_output}"
    for edge in incoming:
        if edge.is_control:
            yield f"{graph.nodes[edge.source].name}:{CONTROL}"
