"""The attributes of one node in a ge_onnx dump: everything GE knows of it as one sorted, flat list.

What the format has no place for is left out here and nowhere else: bytes, nested messages, empty lists, lists of mixed
types, and the words that ge_proto adds (spec/lowering.md 9.4).
"""

import json
from collections.abc import Iterator, Mapping

from getrace.dumps.ge_onnx_fields import (
    CONST_FLAGS,
    COUNTS,
    DESC_FIELDS,
    LOST,
    LOST_OF_DESC,
    MANY,
    TYPE_FIELDS,
    TYPE_WORDS,
)
from getrace.dumps.ge_proto_attrs import OP_FIELDS, is_op_field
from getrace.dumps.ge_proto_writer import split_attrs
from getrace.dumps.level import Level
from getrace.dumps.snapshot import AttrValue, SnapshotNode
from getrace.dumps.text_proto import quote

_KINDS: Mapping[type, str] = {bool: "INT", int: "INT", float: "FLOAT", str: "STRING"}
_KEYS: Mapping[str, str] = {"INT": "i", "FLOAT": "f", "STRING": "s"}
_DESC_NAMES = {field.name for field in DESC_FIELDS.values()}
_TENSOR_FIELDS: Mapping[str, AttrValue] = {"device_type": "NPU", "dtype": "DT_FLOAT", "layout": "ND", "shape": ()}

Typed = tuple[str, str, AttrValue]
"""Name, type and value of an attribute."""


def attribute_lines(node: SnapshotNode, level: Level, indent: str) -> Iterator[str]:
    """Write the attributes of a node, as lines without their ends; none at level 3."""
    if level is Level.STRUCTURE:
        return
    for name, kind, value in sorted(_attributes(node, level), key=lambda typed: typed[0]):
        yield f"{indent}attribute {{"
        yield f"{indent}  name: {quote(name)}"
        single = kind.removesuffix("S")
        if kind != single and isinstance(value, tuple):
            yield from (f"{indent}  {single.lower()}s: {_token(item)}" for item in value)
        elif value:
            yield f"{indent}  {_KEYS[single]}: {_token(value)}"
        yield f"{indent}  type: {kind}"
        yield f"{indent}}}"


def _attributes(node: SnapshotNode, level: Level) -> Iterator[Typed]:
    plain, descs = split_attrs(node)
    yield "id", "INT", node.topo_id
    yield CONST_FLAGS, "INTS", plain.get(CONST_FLAGS, ())
    for name, (kind, repeated) in OP_FIELDS.items():
        value = plain.pop(name) if is_op_field(name, plain.get(name, 0)) else () if repeated else 0
        yield name, _KINDS[kind] + "S" * repeated, value
    for side, count in (("input", node.inputs), ("output", node.outputs)):
        yield COUNTS[side], "INT", count
        for index in range(count):
            given = descs.get((side, index), {})
            if count >= MANY:
                yield f"{side}_desc_{index}", "STRING", _as_json(given)
            else:
                yield from _desc_attributes(given, f"{side}_desc_", f":{index}")
    for name, value in plain.items():
        if name not in LOST:
            yield from _own(name, value, level)


def _own(name: str, value: AttrValue, level: Level) -> Iterator[Typed]:
    """Give an attribute of the operator itself; nothing when the format or the level leaves it out."""
    tensor = _tensor_desc(value)
    if tensor is not None:
        for field, default in _TENSOR_FIELDS.items():
            kind = "INTS" if field == "shape" else "STRING"
            yield f"{name}_desc_{field}", kind, _spelled(field, tensor.get(field, default))
        return
    kind = _kind_of(value)
    if kind and (level.has_data or not kind.startswith("STRING") or name.startswith("_input_name_")):
        yield name, kind, value


def _kind_of(value: AttrValue) -> str:
    """Give ONNX's word for the type of a value, "" when it has none."""
    if not isinstance(value, tuple):
        return _KINDS.get(type(value), "")
    kinds = {_KINDS.get(type(item), "") for item in value}
    return kinds.pop() + "S" if len(kinds) == 1 and "" not in kinds else ""


def _desc_fields(given: Mapping[str, AttrValue]) -> Iterator[tuple[str, AttrValue]]:
    for name, field in DESC_FIELDS.items():
        yield name, _spelled(name, given.get(field.name, field.default))


def _desc_attributes(given: Mapping[str, AttrValue], before: str, after: str) -> Iterator[Typed]:
    for name, value in _desc_fields(given):
        kind = _kind_of(value) or "INTS"
        yield before + name + after, kind, value
    for name, value in given.items():
        if name in _DESC_NAMES or name in LOST_OF_DESC:
            continue
        if isinstance(value, tuple) and value and all(_kind_of(row) == "INTS" for row in value):
            yield from ((f"{before}attr_{name}{after}_{number}", "INTS", row) for number, row in enumerate(value))
        elif kind := _kind_of(value):
            yield f"{before}attr_{name}{after}", kind, value


def _as_json(given: Mapping[str, AttrValue]) -> str:
    fields = dict(_desc_fields(given))
    for name, value in given.items():
        if name not in _DESC_NAMES and name not in LOST_OF_DESC and not isinstance(value, bytes):
            fields[f"attr_{name}"] = value
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), default=str)


def _spelled(name: str, value: AttrValue) -> AttrValue:
    return TYPE_WORDS.get(value, value) if name in TYPE_FIELDS and isinstance(value, str) else value


def _tensor_desc(value: AttrValue) -> dict[str, AttrValue] | None:
    """Give the fields of the descriptor when a value is a tensor message, None for any other value."""
    match value:
        case (("t", message),):
            descs = [desc for name, desc in _pairs(message) if name == "desc"]
            return {
                field: tuple(dim for _, dim in _pairs(given)) if field == "shape" else given
                for desc in descs
                for field, given in _pairs(desc)
            }
        case _:
            return None


def _pairs(message: AttrValue) -> Iterator[tuple[str, AttrValue]]:
    for pair in message if isinstance(message, tuple) else ():
        if isinstance(pair, tuple) and len(pair) == 2:
            yield str(pair[0]), pair[1]


def _token(value: AttrValue) -> str:
    if isinstance(value, float):
        short = f"{value:.6g}"
        return short if float(short) == value else repr(value)
    return quote(value) if isinstance(value, str) else str(int(value) if isinstance(value, int) else 0)
