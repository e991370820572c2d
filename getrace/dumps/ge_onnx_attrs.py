"""Attributes of ge_onnx dumps, to and from the attributes of a snapshot.

GE flattens operators and tensor descriptors into one list of typed attributes (spec/lowering.md 9.4). What the list
repeats of nodes and edges is left out here; what it cannot say is named in ``ge_onnx_fields``.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping

from getrace.dumps.ge_onnx_fields import (
    CONST_FLAGS,
    DESC_FIELDS,
    REPEATED,
    TYPE_FIELDS,
    TYPE_WORDS,
)
from getrace.dumps.ge_proto_attrs import OP_FIELDS, desc_key
from getrace.dumps.snapshot import AttrValue
from getrace.dumps.text_proto import Field, Syntax

_DESC = re.compile(r"(input|output)_desc_(attr_)?(.+):(\d{1,9})(?:_(\d{1,9}))?\Z", re.DOTALL)
_JSON_DESC = re.compile(r"(input|output)_desc_(\d{1,9})\Z")
_GE_TYPES = {spelled: word for word, spelled in TYPE_WORDS.items()}
_SINGLE: Mapping[str, tuple[str, AttrValue]] = {"INT": ("i", 0), "FLOAT": ("f", 0.0), "STRING": ("s", "")}

Given = tuple[str, AttrValue]


def read_attribute(syntax: Syntax, given: Field) -> Iterator[Given]:
    """Read one attribute; gives nothing for a type that GE does not write."""
    parts = syntax.fields_of(given)
    named = {part.name: part for part in parts}
    name = syntax.text_of(named["name"]) if "name" in named else ""
    kind = named["type"].value if "type" in named else ""
    readers: dict[str, Callable[[Field], AttrValue]] = {
        "INT": syntax.int_of,
        "FLOAT": syntax.float_of,
        "STRING": syntax.text_of,
    }
    single = kind.removesuffix("S") if isinstance(kind, str) else ""
    if not name or single not in readers:
        return
    read = readers[single]
    if kind == single:
        key, zero = _SINGLE[single]
        yield name, read(named[key]) if key in named else zero
    else:
        key = single.lower() + "s"
        yield name, tuple(read(part) for part in parts if part.name == key)


def kept_attrs(syntax: Syntax, given: list[Given], line: int) -> dict[str, AttrValue]:
    """Give the attributes a snapshot keeps, in its words."""
    kept: dict[str, AttrValue] = {}
    rows: dict[str, dict[int, AttrValue]] = {}
    flags = 0
    for name, value in given:
        desc, many = _DESC.match(name), _JSON_DESC.match(name)
        if many is not None and isinstance(value, str):
            kept.update(_from_json(syntax, many[1], int(many[2]), value, line))
        elif desc is not None and desc[2] and desc[5]:
            rows.setdefault(desc_key(desc[1], desc[3], int(desc[4])), {})[int(desc[5])] = value
        elif desc is not None:
            kept.update(_from_field(desc[1], (desc[2] or "") + desc[3], int(desc[4]), value))
        elif name == CONST_FLAGS:
            flags += 1
            if flags > 1:
                kept[name] = tuple(bool(flag) for flag in value) if isinstance(value, tuple) else value
        elif name not in REPEATED and (name not in OP_FIELDS or value):
            kept[name] = value
    for key, by_number in rows.items():
        kept[key] = tuple(by_number[number] for number in sorted(by_number))
    return kept


def _from_field(side: str, name: str, index: int, value: AttrValue) -> Iterator[Given]:
    """Give what a field of a descriptor says beyond its default."""
    if name.startswith("attr_"):
        yield desc_key(side, name.removeprefix("attr_"), index), value
    elif name in DESC_FIELDS:
        field = DESC_FIELDS[name]
        word = _GE_TYPES.get(value, value) if name in TYPE_FIELDS and isinstance(value, str) else value
        if word != field.default:
            yield desc_key(side, field.name, index), word


def _from_json(syntax: Syntax, side: str, index: int, text: str, line: int) -> Iterator[Given]:
    try:
        given = json.loads(text)
        fields = {name: _frozen(value) for name, value in given.items()}
    except (ValueError, AttributeError, RecursionError):  # AttributeError: JSON, but no object
        raise syntax.error(f"'{side}_desc_{index}' is no JSON object", line) from None
    for name, value in fields.items():
        yield from _from_field(side, name, index, value)


def _frozen(value: object) -> AttrValue:
    """Give a JSON value as an attribute value."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return value if isinstance(value, int | float | str) else str(value)
