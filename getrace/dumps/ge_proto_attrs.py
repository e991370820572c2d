"""Attributes of ge_proto dumps: GE's ``AttrDef`` and tensor descriptors, to and from plain attribute values.

A snapshot has attributes and no descriptors, so what a descriptor says beyond GE's defaults becomes an attribute
``<input|output>_desc_<field>:<index>``, the way GE's own ONNX dumps flatten it (spec/lowering.md 9.4). Reading and
writing stand side by side here; apart, they would drift.

Values: numbers, texts and bytes as they are; a list as a tuple; a list of lists as a tuple of tuples; any other
message (``func``, ``td``, ...) as a tuple of (field, value) pairs.
"""

import re
from collections.abc import Iterator, Mapping

from getrace.dumps.snapshot import AttrValue
from getrace.dumps.text_proto import Field, Syntax, is_name, quote

_LIST_OF_LISTS = {"list_list_int": "list_list_i", "list_list_float": "list_list_f"}
_SCALARS = frozenset({"i", "f", "b", "s", "bt", "dt"})
_ENUM = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_DESC_KEY = re.compile(r"(input|output)_desc_(.+):(\d{1,9})\Z", re.DOTALL)
_BOOLEANS = {"true": True, "false": False}
_EMPTY: AttrValue = ()

DESC_DEFAULTS: Mapping[str, AttrValue] = {"dtype": "DT_FLOAT", "shape": (), "layout": "ND", "device_type": "NPU"}
"""Fields of a descriptor in GE's order, with what an execute graph always says."""

DESC_ATTR_DEFAULTS: Mapping[str, AttrValue] = {
    "format_for_int": 2,
    "origin_format": "ND",
    "origin_format_for_int": 2,
    "origin_shape_initialized": False,
}


OP_FIELDS: Mapping[str, tuple[type[int | str], bool]] = {
    "stream_id": (int, False),
    "input_name": (str, True),
    "src_name": (str, True),
    "src_index": (int, True),
    "dst_name": (str, True),
    "dst_index": (int, True),
    "input_i": (int, True),
    "output_i": (int, True),
    "workspace": (int, True),
    "workspace_bytes": (int, True),
}
"""Fields of ``OpDef`` that nodes and edges do not tell, in GE's order: the type, and whether they are repeated.

They become attributes of the node unless they are zero or empty.
"""


def desc_key(side: str, name: str, index: int) -> str:
    """Name the attribute that holds a descriptor's field: ``output_desc_shape:0``."""
    return f"{side}_desc_{name}:{index}"


def split_desc_key(key: str) -> tuple[str, str, int] | None:
    """Split such a name into side, field and index; None for any other attribute."""
    found = _DESC_KEY.match(key)
    return None if found is None else (found[1], found[2], int(found[3]))


def read_attr(syntax: Syntax, field: Field) -> tuple[str, AttrValue]:
    """Read ``attr { key value }``. Raises InputError when there is no key."""
    key, value = "", _EMPTY
    for part in syntax.fields_of(field):
        if part.name == "key":
            key = syntax.text_of(part)
        elif part.name == "value":
            value = read_value(syntax, part)
    if not key:
        raise syntax.error("an attribute has no key", field.line)
    return key, value


def read_value(syntax: Syntax, field: Field) -> AttrValue:
    """Read the ``value`` message of an attribute; an empty one is an empty tuple."""
    parts = syntax.fields_of(field)
    if len(parts) == 1:
        part = parts[0]
        if part.name in _SCALARS:
            return _scalar(syntax, part)
        if part.name == "list":
            return _read_list(syntax, part)
        if part.name in _LIST_OF_LISTS:
            return tuple(
                tuple(_number(syntax, number) for number in syntax.fields_of(row)) for row in syntax.fields_of(part)
            )
    return tuple((part.name, _any(syntax, part)) for part in parts)


def _read_list(syntax: Syntax, field: Field) -> AttrValue:
    items = [item for item in syntax.fields_of(field) if item.name != "val_type"]
    if any(item.name not in _SCALARS and item.name != "list" for item in items):
        return (("list", _any(syntax, field)),)
    return tuple(_read_list(syntax, item) if item.name == "list" else _scalar(syntax, item) for item in items)


def read_desc(syntax: Syntax, field: Field) -> dict[str, AttrValue]:
    """Read a tensor descriptor; gives what differs from GE's defaults, by field."""
    found: dict[str, AttrValue] = {}
    for part in syntax.fields_of(field):
        if part.name == "attr":
            key, value = read_attr(syntax, part)
            if DESC_ATTR_DEFAULTS.get(key) != value:
                found[key] = value
            continue
        if part.name == "shape":
            value = tuple(syntax.int_of(dim) for dim in syntax.fields_of(part) if dim.name == "dim")
        else:
            value = _any(syntax, part)
        if DESC_DEFAULTS.get(part.name) != value:
            found[part.name] = value
    return found


def _scalar(syntax: Syntax, field: Field) -> AttrValue:
    if field.name == "s":
        return syntax.text_of(field)
    if field.name == "bt":
        return syntax.bytes_of(field)
    if field.name == "i":
        return syntax.int_of(field)
    return syntax.float_of(field) if field.name == "f" else _any(syntax, field)


def _number(syntax: Syntax, field: Field) -> AttrValue:
    return syntax.int_of(field) if field.name == "list_i" else syntax.float_of(field)


def _any(syntax: Syntax, field: Field) -> AttrValue:
    """Read a field whose type only its text tells: a flag, a number, a quoted text, a word, or a message of these."""
    text = field.value
    if not isinstance(text, str):
        return tuple((part.name, _any(syntax, part)) for part in text)
    if text.startswith('"'):
        return syntax.bytes_of(field) if field.name == "bt" else syntax.text_of(field)
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def write_attr(key: str, value: AttrValue, indent: str) -> Iterator[str]:
    """Write one attribute, as lines without their ends."""
    yield f"{indent}attr {{"
    yield f"{indent}  key: {quote(key)}"
    yield f"{indent}  value {{"
    yield from _value_lines(value, indent + "    ")
    yield f"{indent}  }}"
    yield f"{indent}}}"


def _value_lines(value: AttrValue, indent: str) -> Iterator[str]:
    if not isinstance(value, tuple):
        yield indent + _typed(value)
    elif value and _is_message(value):
        yield from _message_lines(value, indent)
    elif value and all(_is_row(row) for row in value):
        yield from _rows_lines(value, indent)
    else:
        yield f"{indent}list {{"
        for item in value:
            yield from _value_lines(item, indent + "  ") if isinstance(item, tuple) else (f"{indent}  {_typed(item)}",)
        yield f"{indent}}}"


def _is_row(row: AttrValue) -> bool:
    return isinstance(row, tuple) and all(type(number) in (int, float) for number in row)


def _rows_lines(rows: tuple[AttrValue, ...], indent: str) -> Iterator[str]:
    numbers = [row if isinstance(row, tuple) else () for row in rows]
    kind = "float" if any(isinstance(number, float) for row in numbers for number in row) else "int"
    letter = kind[0]
    yield f"{indent}list_list_{kind} {{"
    for row in numbers:
        yield f"{indent}  list_list_{letter} {{"
        for number in row:
            yield f"{indent}    list_{letter}: {_token(number)}"
        yield f"{indent}  }}"
    yield f"{indent}}}"


def _is_message(value: AttrValue) -> bool:
    """Whether a value is a message: (field, value) pairs, and messages where a value is a tuple."""
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and is_name(pair[0])
        and (not isinstance(pair[1], tuple) or _is_message(pair[1]))
        for pair in value
    )


def _message_lines(message: tuple[AttrValue, ...], indent: str) -> Iterator[str]:
    for pair in message:
        assert isinstance(pair, tuple)
        name, value = pair
        assert isinstance(name, str)
        if isinstance(value, tuple):
            yield f"{indent}{name} {{"
            yield from _message_lines(value, indent + "  ")
            yield f"{indent}}}"
        else:
            yield f"{indent}{name}: {_token(value)}"


def _typed(value: AttrValue) -> str:
    # bool before int: Python's True is an int.
    for kind, name in ((bool, "b"), (int, "i"), (float, "f"), (bytes, "bt")):
        if isinstance(value, kind):
            return f"{name}: {_token(value)}"
    return f"s: {_token(value)}"


def _token(value: AttrValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote(value) if isinstance(value, str | bytes) else repr(value)


def write_field(name: str, value: AttrValue, indent: str) -> Iterator[str] | None:
    """Write a field of ``OpDef``; None when only an attribute can hold the value."""
    if not is_op_field(name, value):
        return None
    return (f"{indent}{name}: {_token(item)}" for item in (value if isinstance(value, tuple) else (value,)))


def is_op_field(name: str, value: AttrValue) -> bool:
    """Whether an attribute is one of ``OP_FIELDS`` and has its type. Zero and nothing are not written as a field."""
    kind, repeated = OP_FIELDS.get(name, (None, False))
    if kind is None or not value or repeated is not isinstance(value, tuple):
        return False
    return all(type(item) is kind for item in (value if isinstance(value, tuple) else (value,)))


def write_desc(side: str, given: Mapping[str, AttrValue], indent: str) -> Iterator[str]:
    """Write a tensor descriptor from its fields by name, GE's defaults filled in."""
    fields = {**DESC_DEFAULTS, **{name: value for name, value in given.items() if is_desc_field(name, value)}}
    attrs = {**DESC_ATTR_DEFAULTS, **{name: value for name, value in given.items() if not is_desc_field(name, value)}}
    dims = fields["shape"]
    yield f"{indent}{side}_desc {{"
    yield f"{indent}  dtype: {fields['dtype']!s}"
    yield f"{indent}  shape {{"
    for dim in dims if isinstance(dims, tuple) else ():
        yield f"{indent}    dim: {_token(dim)}"
    yield f"{indent}  }}"
    yield f"{indent}  layout: {_token(fields['layout'])}"
    for key in sorted(attrs):
        yield from write_attr(key, attrs[key], indent + "  ")
    yield f"{indent}  device_type: {_token(fields['device_type'])}"
    yield f"{indent}}}"


def is_desc_field(name: str, value: AttrValue) -> bool:
    """Whether a descriptor can hold this as a field of its own; anything else is written as an attribute of it."""
    if name == "shape":
        return isinstance(value, tuple) and all(type(dim) is int for dim in value)
    if name == "dtype":
        return isinstance(value, str) and _ENUM.match(value) is not None
    return name in DESC_DEFAULTS and isinstance(value, str)
