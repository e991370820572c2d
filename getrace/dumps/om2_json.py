"""The visual JSON of an OM2 to a GraphSnapshot and back: a ModelDef whose maps are objects.

The values of attributes are those of the other formats, so a graph is the same in an OM and an OM2, except for what GE
leaves out here: the consumers of a node, and the data of tensors.

Source: spec/formats.md 2, from GE's source alone: no public file is known.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from getrace.dumps.ge_proto_attrs import DESC_ATTR_DEFAULTS, DESC_DEFAULTS, OP_FIELDS, desc_key
from getrace.dumps.ge_proto_writer import split_attrs
from getrace.dumps.linking import Place, RawNode, link_all
from getrace.dumps.om_graphs_writer import input_texts
from getrace.dumps.om_messages import is_message
from getrace.dumps.om_schema import MESSAGES
from getrace.dumps.om_weights import first
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode

_LEFT_OUT = frozenset({"src_name", "src_index", "dst_name", "dst_index"})
_SAID = [name for name in OP_FIELDS if name not in _LEFT_OUT]
_TYPES: Mapping[type, str] = {bool: "bool", int: "int", float: "float", str: "string", bytes: "bytes"}


class Json:
    """Checked access to a JSON document; ``place`` makes the errors."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def mapping(self, value: Any, what: str) -> dict[str, Any]:
        """Give an object. Raises InputError for anything else."""
        if not isinstance(value, dict):
            raise self.place.error(f"{what} is no object", 0)
        return value

    def items(self, value: Any, what: str) -> list[Any]:
        """Give a list, empty when there is none. Raises InputError for anything else."""
        if not isinstance(value, list | None):
            raise self.place.error(f"{what} is no list", 0)
        return value or []

    def text(self, value: Any, what: str) -> str:
        """Give a text. Raises InputError for anything else."""
        if not isinstance(value, str):
            raise self.place.error(f"{what} is no text", 0)
        return value


def read_graphs(json: Json, model: dict[str, Any]) -> GraphSnapshot:
    """Read the graphs of a model. Raises InputError as the reader of an OM does, and for JSON of another shape."""
    graphs = [json.mapping(graph, "a graph") for graph in json.items(model.get("graph"), "graph")]
    groups = [(json.text(graph.get("name", ""), "a graph's name"), _ops(json, graph)) for graph in graphs]
    linked = link_all(json.place, groups, "")
    attrs = {name: read_attrs(json, graph.get("attr")) for (name, _), graph in zip(groups, graphs, strict=True)}
    owned = {name: SnapshotGraph(name, graph.nodes, graph.edges, attrs[name]) for name, graph in linked.graphs.items()}
    return GraphSnapshot("", linked.root, owned)


def _ops(json: Json, graph: dict[str, Any]) -> list[RawNode]:
    return [_op(json, json.mapping(op, "an operator")) for op in json.items(graph.get("op"), "op")]


def _op(json: Json, op: dict[str, Any]) -> RawNode:
    node = RawNode(json.text(op.get("name", ""), "a name"), json.text(op.get("type", ""), "a type"))
    node.inputs = [(json.text(text, "an input"), 0) for text in json.items(op.get("input"), "input")]
    node.subgraphs = [json.text(name, "a sub graph") for name in json.items(op.get("subgraph_name"), "subgraph_name")]
    number = op.get("id", 0)
    node.topo_id = number if type(number) is int else 0
    node.attrs = read_attrs(json, op.get("attr"))
    for side in ("input", "output"):
        for index, desc in enumerate(json.items(op.get(f"{side}_desc"), "descriptors")):
            node.described[side] += 1
            for name, value in _desc(json, json.mapping(desc, "a descriptor")):
                node.attrs[desc_key(side, name, index)] = value
    for name in _SAID:
        value = _plain(json, op.get(name))
        if value not in (None, 0, ()):
            node.attrs[name] = value
    return node


def _desc(json: Json, desc: dict[str, Any]) -> Iterator[tuple[str, AttrValue]]:
    for name, value in read_attrs(json, desc.get("attr")).items():
        if DESC_ATTR_DEFAULTS.get(name) != value:
            yield name, value
    said = {"dtype": "DT_UNDEFINED", "layout": "", "device_type": "", **desc}
    for name, given in said.items():
        if name in _DESC and name != "attr":
            dims = json.mapping(given, "shape").get("dim", []) if name == "shape" else given
            value = _plain(json, dims)
            if DESC_DEFAULTS.get(name) != value:
                yield name, value


_DESC = {row.name for row in MESSAGES["TensorDescriptor"].values()}


def read_attrs(json: Json, attrs: Any) -> dict[str, AttrValue]:
    """Read an object of attributes, nothing when there is none. Raises InputError for JSON of another shape."""
    given = {} if attrs is None else json.mapping(attrs, "attr")
    return {key: _value(json, value) for key, value in given.items()}


def _value(json: Json, value: Any) -> AttrValue:
    if not isinstance(value, dict):
        return _plain(json, value)
    word, inner = json.text(value.get("type"), "the type of an attribute"), value.get("value")
    if word in ("bytes", "list_bytes"):
        return _bytes(json, inner) if word == "bytes" else tuple(_bytes(json, each) for each in json.items(inner, word))
    if word.startswith("list_") and word.removeprefix("list_") not in _MESSAGES:
        return _plain(json, json.items(inner, word))
    if word.startswith("list_"):
        field = _MESSAGES[word.removeprefix("list_")]
        return (("list", tuple((field, _pairs(json, each)) for each in json.items(inner, word))),)
    if word == "expression":
        return (("expression", json.text(inner, word)),)
    if word in _MESSAGES:
        return ((_MESSAGES[word], _pairs(json, inner)),)
    raise json.place.error(f"an attribute has type '{word[:40]}'", 0)


_MESSAGES = {"tensor_desc": "td", "tensor": "t", "graph": "g", "func": "func", "named_attrs": "na"}
_WORDS = {field: word for word, field in _MESSAGES.items()}


def _pairs(json: Json, value: Any) -> tuple[AttrValue, ...]:
    """Read a message as (field, value) pairs, a list as one pair an item."""
    found: list[AttrValue] = []
    for name, given in json.mapping(value, "a message").items():
        if name == "attr":
            found += [_entry(json, key, inner) for key, inner in json.mapping(given, "attr").items()]
            continue
        for each in given if isinstance(given, list) else [given]:
            found.append((name, _pairs(json, each) if isinstance(each, dict) else _plain(json, each)))
    return tuple(found)


def _entry(json: Json, key: str, value: Any) -> AttrValue:
    """Read an attribute inside a message: an entry of protobuf's map, as the other formats keep it."""
    if isinstance(value, dict):
        return ("attr", (("key", key), ("value", _pairs(json, value))))
    return ("attr", (("key", key), ("value", ((_FIELDS.get(type(value), "s"), _plain(json, value)),))))


_FIELDS: Mapping[type, str] = {bool: "b", int: "i", float: "f", str: "s"}


def _bytes(json: Json, text: Any) -> bytes:
    try:
        return base64.b64decode(json.text(text, "bytes"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise json.place.error(f"bytes are not in base 64: {error}", 0) from error


def _plain(json: Json, value: Any) -> AttrValue:
    if isinstance(value, list):
        return tuple(_plain(json, each) for each in value)
    if isinstance(value, str | int | float):
        return value
    if value is None:
        return ()
    raise json.place.error("an object stands where a value belongs", 0)


def model_json(snapshot: GraphSnapshot, name: str, attrs: Mapping[str, AttrValue]) -> dict[str, Any]:
    """Write a model as the JSON that ``read_graphs`` reads. Raises InputError for a value that GE has no type for."""
    rest = [graph for graph in snapshot.graphs.values() if graph.name != snapshot.root]
    graphs = [_graph_json(graph) for graph in (snapshot.graphs[snapshot.root], *rest)]
    return {"name": name, "version": 2, "graph": graphs, "attr": attrs_json(attrs)}


def _graph_json(graph: SnapshotGraph) -> dict[str, Any]:
    inputs = input_texts(graph)
    ops = [_op_json(node, inputs[node.id]) for node in graph.nodes]
    return {"name": graph.name, "op": ops, "attr": attrs_json(graph.attrs)}


def _op_json(node: SnapshotNode, inputs: list[str]) -> dict[str, Any]:
    plain, descs = split_attrs(node)
    op: dict[str, Any] = {"name": node.name, "type": node.type, "input": inputs, "id": node.topo_id}
    op |= {name: plain[name] for name in _SAID if name in plain}
    op["attr"] = attrs_json({name: value for name, value in plain.items() if name not in OP_FIELDS})
    for side, count in (("input", node.inputs), ("output", node.outputs)):
        op[f"{side}_desc"] = [_desc_json(descs.get((side, index), {})) for index in range(count)]
    return op | {"subgraph_name": list(node.subgraphs)}


def _desc_json(given: Mapping[str, AttrValue]) -> dict[str, Any]:
    fields: dict[str, Any] = {**DESC_DEFAULTS, **{name: value for name, value in given.items() if name in _DESC}}
    attrs = {name: value for name, value in given.items() if name not in _DESC}
    return {**fields, "shape": {"dim": fields["shape"]}, "attr": attrs_json(attrs)}


def attrs_json(attrs: Mapping[str, AttrValue]) -> dict[str, Any]:
    """Write attributes as an object, sorted by name."""
    return {key: _value_json(attrs[key]) for key in sorted(attrs)}


def _value_json(value: AttrValue) -> Any:
    if isinstance(value, bytes):
        return {"type": "bytes", "value": base64.b64encode(value).decode()}
    if not isinstance(value, tuple):
        return value
    if is_message(value, "AttrDef"):
        return _message_json(value)
    if value and isinstance(value[0], tuple):
        return {"type": "list_list_int", "value": value}
    kind = _TYPES.get(type(value[0]), "int") if value else "int"
    items = [base64.b64encode(each).decode() if isinstance(each, bytes) else each for each in value]
    return {"type": f"list_{kind}", "value": items}


def _message_json(value: tuple[AttrValue, ...]) -> Any:
    field, inner = value[0] if isinstance(value[0], tuple) else ("", ())
    if field == "expression":
        return {"type": "expression", "value": inner}
    if field == "list" and isinstance(inner, tuple):
        pairs = [each for each in inner if isinstance(each, tuple) and each[0] in _WORDS]
        word = _WORDS[str(pairs[0][0])] if pairs else "int"
        return {"type": f"list_{word}", "value": [_object(each[1]) for each in pairs]}
    return {"type": _WORDS[str(field)], "value": _object(inner)}


def _object(pairs: AttrValue) -> dict[str, Any]:
    """Write pairs as an object: a field that is there more than once, or may be, as a list; data is left out."""
    found: dict[str, Any] = {}
    attrs: dict[str, Any] = {}
    for pair in pairs if isinstance(pairs, tuple) else ():
        assert isinstance(pair, tuple)
        name, value = str(pair[0]), pair[1]
        if name == "attr":
            key, inner = first(value, "key"), first(value, "value")
            attrs[str(key)] = _bare(inner)
        elif name != "data":
            found.setdefault(name, []).append(_object(value) if isinstance(value, tuple) else value)
    made = {name: values[0] if len(values) == 1 else values for name, values in found.items()}
    return {**made, "attr": attrs} if attrs else made


def _bare(value: AttrValue) -> Any:
    """Write an attribute inside a message: a number, flag or text as it is, anything else as a message."""
    match value:
        case (("i" | "b" | "f" | "s", int() | float() | str() as bare),):
            return bare
        case _:
            return _object(value)
