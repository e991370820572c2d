"""A GraphSnapshot to a MODEL_DEF: what ``om_graphs`` reads, written.

Names are written plain, without the dictionary of the compiler; GE's loader takes both forms.

Source: spec/formats.md 1.7.
"""

from collections.abc import Callable, Mapping

from getrace.dumps.ge_proto_attrs import DESC_ATTR_DEFAULTS, DESC_DEFAULTS, OP_FIELDS, is_op_field
from getrace.dumps.ge_proto_writer import split_attrs
from getrace.dumps.om_attrs import attrs_bytes
from getrace.dumps.om_messages import value_bytes
from getrace.dumps.om_schema import BOOL, BYTES, ENUM, ENUMS, INT, MESSAGE, MESSAGES, TEXT, number_of
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.dumps.wire import put_content, put_number, put_numbers, put_text
from getrace.errors import InputError


def model_def_bytes(
    snapshot: GraphSnapshot, name: str, attrs: Mapping[str, AttrValue], version: int = 2, custom_version: str = ""
) -> bytes:
    """Write a model, the root graph first.

    Raises InputError, naming the node, for an attribute that GE's messages cannot hold.
    """
    rest = [graph for graph in snapshot.graphs.values() if graph.name != snapshot.root]
    written = [put_text(1, name), put_number(2, version), put_text(3, custom_version)]
    number = number_of("ModelDef", "graph")
    written += [put_content(number, _graph_bytes(graph)) for graph in (snapshot.graphs[snapshot.root], *rest)]
    written.append(_said(lambda: attrs_bytes(number_of("ModelDef", "attr"), attrs), f"model '{name}'"))
    return b"".join(written)


def _said(write: Callable[[], bytes], owner: str) -> bytes:
    try:
        return write()
    except ValueError as error:
        raise InputError(f"{owner} cannot be written to an OM: {error}", "GE has no field for such a value") from error


def _graph_bytes(graph: SnapshotGraph) -> bytes:
    inputs = input_texts(graph)
    written = [put_text(1, graph.name)]
    written += [put_text(4, f"{node.name}:0") for node in graph.nodes if node.type == "Data"]
    for node in graph.nodes:
        written.append(put_content(number_of("GraphDef", "op"), _op_bytes(node, inputs[node.id])))
    attrs = _said(lambda: attrs_bytes(number_of("GraphDef", "attr"), graph.attrs), f"graph '{graph.name}'")
    return b"".join((*written, attrs))


def _op_bytes(node: SnapshotNode, inputs: list[str]) -> bytes:
    plain, descs = split_attrs(node)
    fields = {key: value for key, value in plain.items() if is_op_field(key, value) and _fits(value)}
    rest = {key: value for key, value in plain.items() if key not in fields}
    owner = f"node '{node.name}'"
    written = [put_text(1, node.name), put_text(2, node.type)]
    written += [put_text(number_of("OpDef", "input"), text) for text in inputs]
    written.append(_said(lambda: attrs_bytes(number_of("OpDef", "attr"), rest), owner))
    written.append(put_number(number_of("OpDef", "has_out_attr"), 1))
    if node.topo_id:
        written.append(put_number(number_of("OpDef", "id"), node.topo_id))
    written += [_own_bytes(key, fields[key]) for key in OP_FIELDS if key in fields]
    for side, count in (("input", node.inputs), ("output", node.outputs)):
        for index in range(count):
            given = descs.get((side, index), {})
            desc = _said(lambda given=given: _desc_bytes(given), owner)  # type: ignore[misc]
            written.append(put_content(number_of("OpDef", f"{side}_desc"), desc))
    written += [put_text(number_of("OpDef", "subgraph_name"), name) for name in node.subgraphs]
    return b"".join(written)


def input_texts(graph: SnapshotGraph) -> list[list[str]]:
    """Give what each node of a graph names as its inputs: one text a slot, then the nodes that must run before it."""
    names = [node.name for node in graph.nodes]
    found = [[""] * node.inputs for node in graph.nodes]
    for edge in graph.edges:
        if not edge.is_control:
            found[edge.target][edge.target_input] = f"{names[edge.source]}:{edge.source_output}"
    for edge in graph.edges:
        if edge.is_control:
            found[edge.target].append(f"{names[edge.source]}:-1")
    return found


def _fits(value: AttrValue) -> bool:
    """Whether every whole number has 64 bits."""
    items = value if isinstance(value, tuple) else (value,)
    return all(not isinstance(item, int) or -_LIMIT <= item < _LIMIT for item in items)


_LIMIT = 1 << 63


def _own_bytes(key: str, value: AttrValue) -> bytes:
    number = number_of("OpDef", key)
    items = value if isinstance(value, tuple) else (value,)
    if OP_FIELDS[key][0] is str:
        return b"".join(put_text(number, str(item)) for item in items)
    whole = [item for item in items if isinstance(item, int)]
    return put_numbers(number, whole) if isinstance(value, tuple) else put_number(number, whole[0])


def _desc_bytes(given: Mapping[str, AttrValue]) -> bytes:
    """Write a descriptor, GE's defaults filled in; what is no field of one is an attribute of it."""
    fields = {**DESC_DEFAULTS, **{name: value for name, value in given.items() if _is_desc_field(name, value)}}
    rest = {name: value for name, value in given.items() if name not in fields or fields[name] is not value}
    attrs = attrs_bytes(number_of("TensorDescriptor", "attr"), {**DESC_ATTR_DEFAULTS, **rest})
    written = []
    for number, row in MESSAGES["TensorDescriptor"].items():
        if row.name == "attr":
            written.append(attrs)
        elif row.name == "shape":
            dims = fields["shape"]
            whole = [dim for dim in dims if isinstance(dim, int)] if isinstance(dims, tuple) else []
            written.append(put_content(number, put_numbers(1, whole)))
        elif row.name in fields:
            written.append(value_bytes(number, row, fields[row.name]))
    return b"".join(written)


_KINDS: Mapping[int, type] = {INT: int, BOOL: bool, TEXT: str, BYTES: bytes}


def _is_desc_field(name: str, value: AttrValue) -> bool:
    if name == "attr" or name not in _DESC:
        return False
    row = _DESC[name]
    if row.kind == MESSAGE:
        return isinstance(value, tuple) and all(type(dim) is int for dim in value) and _fits(value)
    if row.kind == ENUM:
        return value in ENUMS[row.of] or (type(value) is int and len(ENUMS[row.of]) <= value < _LIMIT)
    return type(value) is _KINDS[row.kind] and _fits(value)


_DESC = {row.name: row for row in MESSAGES["TensorDescriptor"].values()}
