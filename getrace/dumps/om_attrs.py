"""Attributes in a model: GE's ``AttrDef`` to and from the plain values of a snapshot.

Values are those of the text dumps: numbers, texts and bytes as they are, a list as a tuple, a list of lists as a tuple
of tuples, any other message as (field, value) pairs. Reading and writing stand side by side; apart, they would drift.

Source: spec/formats.md 1.7.
"""

import struct
from collections.abc import Callable, Mapping

from getrace.dumps.om_messages import enum_name, is_message, message_bytes, pairs_of, shortest, values_of
from getrace.dumps.om_schema import DATA_TYPE, ENUMS, LIST_TYPE, MESSAGE, MESSAGES, number_of
from getrace.dumps.snapshot import AttrValue
from getrace.dumps.wire import (
    FIXED32,
    LENGTH,
    VARINT,
    Wire,
    WireField,
    put_content,
    put_float,
    put_number,
    put_numbers,
    put_text,
    signed,
)

_ATTR, _LIST = MESSAGES["AttrDef"], MESSAGES["ListValue"]
_KIND = {1: LENGTH, 2: LENGTH, 3: VARINT, 4: FIXED32, 5: VARINT, 7: LENGTH, 15: VARINT, 17: LENGTH}
_ROW_OF = {14: MESSAGES["ListInt"][1], 16: MESSAGES["ListFloat"][1]}
_EMPTY: AttrValue = ()


def read_entry(wire: Wire, field: WireField) -> tuple[str, AttrValue]:
    """Read ``attr { key value }``. Raises InputError when there is no key, or the bytes are broken."""
    key, value = "", None
    if field[1] == LENGTH:
        for part in wire.fields(field[2], field[3]):
            if part[1] == LENGTH:
                if part[0] == 1:
                    key = wire.text(part)
                elif part[0] == 2:
                    value = part
    if not key:
        raise wire.error("an attribute has no key", field[2])
    return key, _EMPTY if value is None else read_value(wire, value[2], value[3])


def read_value(wire: Wire, start: int, end: int) -> AttrValue:
    """Read an ``AttrDef``; of several values the last one counts, and an empty message is an empty tuple."""
    field = None
    for part in wire.fields(start, end):
        if part[0] in _ATTR and part[1] == _KIND.get(part[0], LENGTH):
            field = part
    if field is None:
        return _EMPTY
    number = field[0]
    plain = _PLAIN.get(number)
    if plain is not None:
        return plain(wire, field)
    row = _ATTR[number]
    inner = pairs_of(wire, field[2], field[3], row.of, 1) if row.kind == MESSAGE else wire.text(field)
    return ((row.name, inner),)


def _read_list(wire: Wire, field: WireField) -> AttrValue:
    items: list[AttrValue] = []
    for part in wire.fields(field[2], field[3]):
        row = _LIST.get(part[0])
        if row is None or row.of == LIST_TYPE:
            continue
        if row.kind == MESSAGE:
            return (("list", pairs_of(wire, field[2], field[3], "ListValue", 1)),)
        items += values_of(wire, part, row)
    return tuple(items)


def _read_rows(wire: Wire, field: WireField) -> AttrValue:
    number = _ROW_OF[field[0]]
    return tuple(
        tuple(value for part in wire.fields(row[2], row[3]) if part[0] == 1 for value in values_of(wire, part, number))
        for row in wire.fields(field[2], field[3])
        if row[0] == 1 and row[1] == LENGTH
    )


_PLAIN: Mapping[int, Callable[[Wire, WireField], AttrValue]] = {
    1: _read_list,
    2: Wire.text,
    3: lambda _, field: signed(field[2]),
    4: lambda wire, field: shortest(wire.floats(field)[0]),
    5: lambda _, field: field[2] != 0,
    7: Wire.content,
    14: _read_rows,
    15: lambda _, field: enum_name(DATA_TYPE, field[2]),
    16: _read_rows,
}
"""How a value of a number is read that a snapshot has a word for; the others stay messages."""


def entry_bytes(number: int, key: str, value: AttrValue) -> bytes:
    """Write an attribute as a field. Raises ValueError, naming the attribute, for a value that no model can hold."""
    try:
        content = _value_bytes(value)
    except (ValueError, OverflowError, struct.error) as error:
        raise ValueError(f"attribute '{key}': {error}") from error
    return put_content(number, put_text(1, key) + put_content(2, content))


def attrs_bytes(number: int, attrs: Mapping[str, AttrValue]) -> bytes:
    """Write attributes, sorted by name. Raises ValueError as ``entry_bytes``."""
    return b"".join(entry_bytes(number, key, attrs[key]) for key in sorted(attrs))


def _value_bytes(value: AttrValue) -> bytes:
    if not isinstance(value, tuple):
        return _scalar(value)
    if is_message(value, "AttrDef"):
        return message_bytes(value, "AttrDef")
    if value and all(isinstance(row, tuple) for row in value):
        return _rows_bytes([row for row in value if isinstance(row, tuple)])
    return put_content(1, _list_bytes(value))


def _scalar(value: AttrValue) -> bytes:
    # bool before int: Python's True is an int.
    if isinstance(value, bool):
        return put_number(5, value)
    if isinstance(value, int):
        return put_number(3, _int64(value))
    if isinstance(value, float):
        return put_float(4, value)
    if isinstance(value, bytes):
        return put_content(7, value)
    return put_text(2, str(value))


def _int64(value: int) -> int:
    if not -(1 << 63) <= value < 1 << 63:
        raise OverflowError(f"{value} needs more than 63 bits and a sign")
    return value


_LIST_KIND: Mapping[type, str] = {bool: "BOOL", int: "INT", float: "FLOAT", str: "STRING", bytes: "BYTES"}


def _list_bytes(items: tuple[AttrValue, ...]) -> bytes:
    """Write a list; GE's lists are of one kind, and a mixed one keeps the order of its items without ``val_type``."""
    kinds = {type(item) for item in items}
    if len(kinds) != 1:
        return b"".join(_item(item) for item in items)
    word = _LIST_KIND.get(kind := kinds.pop())
    if word is None:
        raise ValueError("a list of lists among other values")
    ending = put_number(20, ENUMS[LIST_TYPE].index(f"VT_LIST_{word}"))
    numbers = [_int64(item) for item in items if isinstance(item, int)]
    if kind in (int, bool):
        return put_numbers(3 if kind is int else 5, numbers) + ending
    if kind is float:
        return put_content(4, struct.pack(f"<{len(items)}f", *items)) + ending
    return b"".join(_item(item) for item in items) + ending


def _item(item: AttrValue) -> bytes:
    if isinstance(item, tuple):
        raise ValueError("a list among other values")  # noqa: TRY004  (the value is wrong, not the program)
    return _scalar(item)


def _rows_bytes(rows: list[tuple[AttrValue, ...]]) -> bytes:
    values = [value for row in rows for value in row]
    if all(type(value) is int for value in values):
        inner = number_of("ListListInt", "list_list_i")
        written = [put_numbers(1, (_int64(value) for value in row if isinstance(value, int))) for row in rows]
        return put_content(14, b"".join(put_content(inner, row) for row in written))
    if all(type(value) in (int, float) for value in values):
        packed = [struct.pack(f"<{len(row)}f", *row) for row in rows]
        return put_content(16, b"".join(put_content(1, put_content(1, row) if row else b"") for row in packed))
    raise ValueError("a list of lists of other things than numbers")
