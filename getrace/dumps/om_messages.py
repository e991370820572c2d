"""Any message of ``ge.proto`` as (field, value) pairs, and back: what a snapshot keeps of one it has no words for.

The text dumps' reader gives the same pairs for the same message, so a graph has the same attributes whichever file it
came from. One difference: the data of a tensor stays bytes here, because a text would double it.
"""

import struct
from collections.abc import Sequence

from getrace.dumps.om_schema import BOOL, BYTES, ENUM, ENUMS, FLOAT, INT, MESSAGE, MESSAGES, TEXT, UINT, FieldRow
from getrace.dumps.om_schema import number_of as field_number
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
    put_text,
    signed,
)

MAX_DEPTH = 64
"""Messages inside messages, as in the text dumps."""

_WIRE = {INT: VARINT, UINT: VARINT, BOOL: VARINT, ENUM: VARINT, FLOAT: FIXED32, TEXT: LENGTH, BYTES: LENGTH}

Pairs = tuple[AttrValue, ...]


def pairs_of(wire: Wire, start: int, end: int, message: str, depth: int = 0) -> Pairs:
    """Read a message as (field, value) pairs in file order. Fields that are not in the table are left out.

    Raises InputError for broken bytes and for more than ``MAX_DEPTH`` messages inside one another.
    """
    if depth >= MAX_DEPTH:
        raise wire.error(f"messages are nested more than {MAX_DEPTH} deep", start)
    rows = MESSAGES[message]
    found: list[AttrValue] = []
    for field in wire.fields(start, end):
        row = rows.get(field[0])
        if row is None:
            continue
        if row.kind == MESSAGE:
            if field[1] == LENGTH:
                found.append((row.name, pairs_of(wire, field[2], field[3], row.of, depth + 1)))
        else:
            found += [(row.name, value) for value in values_of(wire, field, row)]
    return tuple(found)


def values_of(wire: Wire, field: WireField, row: FieldRow) -> Sequence[AttrValue]:
    """Read a field that is no message: one value, several of a packed list, none when its wire type is another's.

    A field of another wire type is not the field of the table, nor is a message; protobuf leaves it aside, too.
    """
    kind = row.kind
    if field[1] != _WIRE.get(kind) and not (row.packed and field[1] == LENGTH):
        return ()
    if kind == TEXT:
        return (wire.text(field),)
    if kind == INT:
        return [value - _MODULUS if value >= _SIGN else value for value in wire.numbers(field)]
    if kind == BYTES:
        return (wire.content(field),)
    if kind == FLOAT:
        return [shortest(value) for value in wire.floats(field)]
    return [_number(value, row) for value in wire.numbers(field)]


_SIGN, _MODULUS = 1 << 63, 1 << 64


def _number(value: int, row: FieldRow) -> AttrValue:
    if row.kind == BOOL:
        return value != 0
    if row.kind == ENUM:
        return enum_name(row.of, value)
    return value & 0xFFFFFFFF


def enum_name(enum: str, value: int) -> AttrValue:
    """Give the name of an enum's value, the number where it has none."""
    names = ENUMS[enum]
    return names[value] if value < len(names) else signed(value)


def shortest(value: float) -> float:
    """Give the shortest number that is this one in 32 bits, as a text dump prints it: 0.1 and not 0.10000000149."""
    for digits in (6, 7, 8):
        near = float(f"{value:.{digits}g}")
        try:
            if struct.pack("<f", near) == struct.pack("<f", value):
                return near
        except OverflowError:
            continue
    return float(f"{value:.9g}") if value == value else value  # noqa: PLR0124  (NaN is the number unlike itself)


def message_bytes(pairs: AttrValue, message: str) -> bytes:
    """Write pairs as a message. Raises ValueError, naming the field, for what the message cannot hold."""
    if not isinstance(pairs, tuple):
        raise ValueError(f"{message} is no value")  # noqa: TRY004  (the value is wrong, not the program)
    return b"".join(_pair_bytes(pair, message) for pair in pairs)


def is_message(pairs: AttrValue, message: str) -> bool:
    """Whether a value is a non-empty list of (field, value) pairs with fields of this message."""
    return (
        isinstance(pairs, tuple)
        and bool(pairs)
        and all(isinstance(pair, tuple) and len(pair) == 2 and pair[0] in _NAMES[message] for pair in pairs)
    )


_NAMES = {message: {row.name for row in rows.values()} for message, rows in MESSAGES.items()}


def _pair_bytes(pair: AttrValue, message: str) -> bytes:
    if not (isinstance(pair, tuple) and len(pair) == 2 and pair[0] in _NAMES[message]):
        raise ValueError(f"{message} has no field for {str(pair)[:60]}")
    name, value = str(pair[0]), pair[1]
    number = field_number(message, name)
    row = MESSAGES[message][number]
    if row.kind == MESSAGE:
        return put_content(number, message_bytes(value, row.of))
    return value_bytes(number, row, value)


def value_bytes(number: int, row: FieldRow, value: AttrValue) -> bytes:
    """Write a field that is no message. Raises ValueError when the value is not of its kind or does not fit."""
    try:
        if row.kind in (TEXT, BYTES) and isinstance(value, str):
            return put_text(number, value)
        if row.kind in (TEXT, BYTES) and isinstance(value, bytes):
            return put_content(number, value)
        if row.kind == FLOAT and isinstance(value, int | float):
            return put_float(number, value)
        if row.kind == ENUM and value in ENUMS[row.of]:
            return put_number(number, ENUMS[row.of].index(str(value)))
        if row.kind in (INT, UINT, BOOL, ENUM) and isinstance(value, int):
            return put_number(number, value)
    except OverflowError as error:
        raise ValueError(f"{row.name}: {error}") from error
    raise ValueError(f"{row.name} cannot be {str(value)[:60]!r}")
