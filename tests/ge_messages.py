"""GE's text dumps as protobuf's own parser sees them: the judge of our readers.

The messages are declared here field by field (spec/formats.md 1.7, 3.3), with only the types that a text tells apart,
so nothing of our readers is used to judge them. What a test does not count is kept all the same: an unknown field would
be an error of the parser.
"""

import gzip
from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, text_format
from google.protobuf.message import Message

from getrace.dumps.snapshot import GraphSnapshot

# Numbers of protobuf's types. A text is bytes for the text format, so that any byte is let through; JSON has no bytes.
_KINDS = {"int": 3, "uint": 13, "bool": 8, "float": 2, "bytes": 12}

# message -> "field number kind[ *]"; any other kind is an enum or a message; * is repeated.
_PROTO = {
    "ModelDef": "name 1 text, version 2 uint, custom_version 3 text, graph 7 GraphDef *, attr 11 Entry *",
    "GraphDef": "name 1 text, input 4 text *, output 5 text *, op 6 OpDef *, attr 11 Entry *",
    "OpDef": "name 1 text, type 2 text, input 5 text *, attr 10 Entry *, has_out_attr 20 bool, id 21 int, "
    "stream_id 22 int, input_name 23 text *, src_name 24 text *, src_index 25 int *, dst_name 26 text *, "
    "dst_index 27 int *, input_i 28 int *, output_i 29 int *, workspace 30 int *, workspace_bytes 31 int *, "
    "is_input_const 32 bool *, input_desc 33 Desc *, output_desc 34 Desc *, subgraph_name 35 text *",
    "Desc": "name 1 text, dtype 2 DataType, shape 3 Shape, layout 4 text, attr 5 Entry *, has_out_attr 9 bool, "
    "size 10 int, weight_size 11 int, reuse_input 12 bool, output_tensor 13 bool, device_type 14 text, "
    "input_tensor 15 bool, real_dim_cnt 16 int, reuse_input_index 17 int, data_offset 18 int, cmps_size 19 int, "
    "cmps_tab 20 text, cmps_tab_offset 21 int",
    "Shape": "dim 1 int *",
    "Tensor": "desc 1 Desc, data 2 bytes",
    "Entry": "key 1 text, value 2 Attr",
    "Attr": "list 1 List, s 2 text, i 3 int, f 4 float, b 5 bool, bt 7 bytes, func 10 Named, td 11 Desc, t 12 Tensor, "
    "g 13 GraphDef, list_list_int 14 Ints, dt 15 DataType, list_list_float 16 Floats, expression 17 text",
    "List": "s 2 text *, i 3 int *, f 4 float *, b 5 bool *, bt 7 bytes *, td 8 Desc *, t 9 Tensor *, "
    "g 10 GraphDef *, na 11 Named *, dt 12 DataType *, val_type 20 ListType",
    "Named": "name 1 text, attr 2 Entry *",
    "Ints": "list_list_i 1 IntRow *",
    "IntRow": "list_i 1 int *",
    "Floats": "list_list_f 1 FloatRow *",
    "FloatRow": "list_f 1 float *",
}
_ONNX = {
    "Model": "ir_version 1 int, producer_name 2 text, model_version 5 int, graph 7 Graph",
    "Graph": "node 1 Node *, name 2 text, input 11 ValueInfo *, output 12 ValueInfo *",
    "ValueInfo": "name 1 text, type 2 ValueType",
    "ValueType": "tensor_type 1 TensorType",
    "TensorType": "elem_type 1 int, shape 2 Dims",
    "Dims": "dim 1 Dim *",
    "Dim": "dim_value 1 int, dim_param 2 text",
    "Node": "input 1 text *, output 2 text *, name 3 text, op_type 4 text, attribute 5 Attribute *",
    "Attribute": "name 1 text, f 2 float, i 3 int, s 4 text, g 6 Graph, floats 7 float *, ints 8 int *, "
    "strings 9 text *, type 20 AttributeType",
}
_ENUMS = {
    "DataType": "DT_UNDEFINED DT_FLOAT DT_FLOAT16 DT_INT8 DT_UINT8 DT_INT16 DT_UINT16 DT_INT32 DT_INT64 DT_UINT32 "
    "DT_UINT64 DT_BOOL DT_DOUBLE DT_STRING DT_DUAL_SUB_INT8 DT_DUAL_SUB_UINT8 DT_COMPLEX64 DT_COMPLEX128 DT_QINT8 "
    "DT_QINT16 DT_QINT32 DT_QUINT8 DT_QUINT16 DT_RESOURCE DT_STRING_REF DT_DUAL DT_VARIANT DT_BF16 DT_INT4",
    "ListType": "VT_LIST_NONE VT_LIST_STRING VT_LIST_INT VT_LIST_FLOAT VT_LIST_BOOL VT_LIST_BYTES VT_LIST_TENSOR_DESC "
    "VT_LIST_TENSOR VT_LIST_GRAPH VT_LIST_NAMED_ATTRS VT_LIST_DATA_TYPE",
    "AttributeType": "UNDEFINED FLOAT INT STRING TENSOR GRAPH FLOATS INTS STRINGS TENSORS GRAPHS",
}


def _pool(text_kind: int) -> descriptor_pool.DescriptorPool:
    kinds = {**_KINDS, "text": text_kind}
    file = descriptor_pb2.FileDescriptorProto(name="ge.proto", package="ge", syntax="proto3")
    for name, words in _ENUMS.items():
        enum = file.enum_type.add(name=name)
        for code, word in enumerate(words.split()):
            enum.value.add(name=word, number=code)
    for name, fields in {**_PROTO, **_ONNX}.items():
        message = file.message_type.add(name=name)
        for row in fields.split(", "):
            field, number, kind, *repeated = row.split()
            made = message.field.add(name=field, number=int(number), label=3 if repeated else 1)
            made.type = kinds.get(kind, 14 if kind in _ENUMS else 11)
            if kind not in kinds:
                made.type_name = f".ge.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


_TEXT, _JSON = _pool(12), _pool(9)


def _message(pool: descriptor_pool.DescriptorPool, name: str) -> Message:
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"ge.{name}"))()


def parse_content(content: bytes) -> Message:
    """Parse a ge_proto or ge_onnx dump, plain or gzip. Raises text_format.ParseError."""
    text = (gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content).decode("utf-8", "surrogateescape")
    return text_format.Parse(text, _message(_TEXT, "Model" if text.startswith("ir_version") else "ModelDef"))


def parse_json(content: bytes) -> Message:
    """Parse the JSON of atc, whose maps are lists of entries (spec/formats.md 4). Raises json_format.ParseError."""
    return json_format.Parse(content.decode(), _message(_JSON, "ModelDef"))


def parse_model(content: bytes) -> Message:
    """Parse the MODEL_DEF of an offline model; what is not declared here is left aside."""
    made = _message(_TEXT, "ModelDef")
    made.ParseFromString(content)
    return made


class Node(NamedTuple):
    """An operator: name, type, how many inputs and outputs it has at least, and the graphs it owns."""

    name: str
    type: str
    inputs: int
    outputs: int
    subgraphs: tuple[str, ...]


class Graph(NamedTuple):
    """A graph: operators in order, and edges as ``source:output > target:input``, ordered; control edges alike."""

    nodes: tuple[Node, ...]
    edges: tuple[str, ...]
    control: tuple[str, ...]


def graphs_of(message: Message) -> dict[str, Graph]:
    """Give the graphs of a dump by name, without what GE adds while it dumps and with what it takes."""
    return {
        _text(graph.name): _graph([node for node in _nodes(graph) if not _is_added(node)]) for graph in _graphs(message)
    }


def graphs_in(snapshot: GraphSnapshot, *, owners: bool = True) -> dict[str, Graph]:
    """Say the same of a snapshot; without ``owners`` for ge_onnx, which does not tell them."""
    found = {}
    for name, graph in snapshot.graphs.items():
        names = [node.name for node in graph.nodes]
        data = [
            f"{names[edge.source]}:{edge.source_output} > {names[edge.target]}:{edge.target_input}"
            for edge in graph.edges
            if not edge.is_control
        ]
        control = [f"{names[edge.source]}:-1 > {names[edge.target]}" for edge in graph.edges if edge.is_control]
        nodes = (Node(node.name, node.type, node.inputs, node.outputs, node.subgraphs * owners) for node in graph.nodes)
        found[name] = Graph(tuple(nodes), tuple(sorted(data)), tuple(sorted(control)))
    return found


def _graph(nodes: list[Any]) -> Graph:
    texts = {_text(node.name): [_text(text) for text in node.input] for node in nodes}
    slots = {name: [text for text in given if not text.endswith(":-1")] for name, given in texts.items()}
    edges = [f"{text} > {name}:{slot}" for name, given in slots.items() for slot, text in enumerate(given) if text]
    control = [f"{text} > {name}" for name, given in texts.items() for text in given if text.endswith(":-1")]
    found = tuple(
        Node(
            name := _text(node.name),
            _text(node.type if node.DESCRIPTOR.name == "OpDef" else node.op_type).removeprefix("ge:"),
            max(len(slots[name]), _descs(node, "input")),
            _descs(node, "output"),
            tuple(map(_text, node.subgraph_name)) if node.DESCRIPTOR.name == "OpDef" else (),
        )
        for node in nodes
    )
    return Graph(found, tuple(sorted({*edges, *_taken(found, slots)})), tuple(sorted(control)))


def _taken(nodes: tuple[Node, ...], slots: dict[str, list[str]]) -> Iterator[str]:
    """Give the edges to the NetOutput of Main that a dump leaves open (spec/lowering.md 9.6)."""
    givers, takers = ([node for node in nodes if node.type == kind] for kind in ("OutputData", "NetOutput"))
    if len(givers) == len(takers) == 1:
        given = slots[takers[0].name]
        for slot in range(min(givers[0].outputs, takers[0].inputs)):
            if slot >= len(given) or not given[slot]:
                yield f"{givers[0].name}:{slot} > {takers[0].name}:{slot}"


def _graphs(message: Any) -> Iterator[Any]:
    """Give the graphs of a dump: those of ge_onnx lie in attributes of nodes of the root."""
    if message.DESCRIPTOR.name == "ModelDef":
        yield from message.graph
        return
    yield message.graph
    for node in message.graph.node:
        yield from (attribute.g for attribute in node.attribute if attribute.HasField("g"))


def _nodes(graph: Any) -> list[Any]:
    if graph.DESCRIPTOR.name == "GraphDef":
        return list(graph.op)
    return [node for node in graph.node if _text(node.op_type) != "subgraph"]


def _is_added(node: Any) -> bool:
    """Whether it is the NetOutput that GE gives to a graph without one while it dumps (spec/lowering.md 9.6)."""
    if node.DESCRIPTOR.name == "OpDef":
        attrs = {_text(entry.key): entry.value.b for entry in node.attr}
        return _text(node.type) == "NetOutput" and bool(attrs.get("_inner_net_output"))
    numbers = {_text(attribute.name): attribute.i for attribute in node.attribute}
    return _text(node.op_type) == "ge:NetOutput" and bool(numbers.get("_inner_net_output"))


def _descs(node: Any, side: str) -> int:
    """Count the descriptors of a side; ge_onnx has their number, and no lower one than the outputs in use."""
    if node.DESCRIPTOR.name == "OpDef":
        return len(getattr(node, f"{side}_desc"))
    told: int = sum(attribute.i for attribute in node.attribute if _text(attribute.name) == f"{side}_desc_nums")
    used = [int(_text(text).rpartition(":")[2]) + 1 for text in node.output] if side == "output" else []
    return max(told, *used, 0)


def _text(value: bytes | str) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
