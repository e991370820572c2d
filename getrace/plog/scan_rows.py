"""Rows that hold nothing but numbers, read for many messages at once.

Made from the pieces of the same templates as the table's expressions: a row qualifies when all its fields are plain
numbers. A message that does not fit to the letter is left for the table, so this file can only be fast, not different.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from getrace.plog.fields import FIELD_KINDS, FieldKind
from getrace.plog.row import GE, RUNTIME, TRACE
from getrace.plog.rows import ROWS
from getrace.plog.template import Field, Literal
from getrace.plog.words import Mask, Padded, Places, digits_at, hex_at, number_of, starts_with
from getrace.store.columns import EVENT_COLUMNS

_DECIMAL_LIMIT = 18  # decimal digits that surely fit into 63 bits; longer numbers go to the table
_HEX_LIMIT = 15

Read = Callable[[Padded, Places, Places], tuple[Places, Places, Mask]]
"""From positions and message ends: values, positions behind them, and which were numbers of this kind."""


def _decimal(block: Padded, at: Places, ends: Places) -> tuple[Places, Places, Mask]:
    digits, length = digits_at(block, at, _DECIMAL_LIMIT + 1)
    length = np.minimum(length, ends - at)
    fits = (length > 0) & (length <= _DECIMAL_LIMIT) & ((length == 1) | (digits[:, 0] != 0))
    length = np.where(fits, length, 0)
    return number_of(digits, length, 10), at + length, fits


def _signed(block: Padded, at: Places, ends: Places) -> tuple[Places, Places, Mask]:
    minus = (block.bytes[at] == ord("-")) & (at < ends)
    value, behind, fits = _decimal(block, at + minus, ends)
    return np.where(minus, -value, value), behind, fits & ~(minus & (value == 0))


def _hex_digits(block: Padded, at: Places, ends: Places) -> tuple[Places, Places, Mask]:
    digits, length = hex_at(block, at, _HEX_LIMIT + 1)
    length = np.minimum(length, ends - at)
    fits = (length > 0) & (length <= _HEX_LIMIT) & ((length == 1) | (digits[:, 0] != 0))
    length = np.where(fits, length, 0)
    return number_of(digits, length, 16), at + length, fits


def _pointer(null: bytes) -> Read:
    def read(block: Padded, at: Places, ends: Places) -> tuple[Places, Places, Mask]:
        tagged = starts_with(block, at, b"0x") & (at + 2 < ends)
        value, behind, fits = _hex_digits(block, at + 2, ends)
        nil = starts_with(block, at, null) & (at + len(null) <= ends) & ~tagged
        return (
            np.where(nil, 0, value),
            np.where(nil, at + len(null), behind),
            nil | (tagged & fits & (value != 0)),
        )

    return read


def _tagged_hex(block: Padded, at: Places, ends: Places) -> tuple[Places, Places, Mask]:
    tagged = starts_with(block, at, b"0x") & (at + 2 < ends)
    value, behind, fits = _hex_digits(block, at + 2, ends)
    return value, behind, tagged & fits


_READERS: dict[str, Read] = {
    "u": _decimal,
    "i": _signed,
    "x": _hex_digits,
    "h": _tagged_hex,
    "p": _pointer(b"(nil)"),
    "q": _pointer(b"0"),
}


@dataclass(frozen=True, slots=True)
class NumericRow:
    """A row of numbers: its number in the table, and its pieces as (literal, None, None) or ("", column, reader)."""

    rule: int
    scope: str
    spoken: bool
    head: bytes
    pieces: tuple[tuple[bytes, str | None, Read | None], ...]

    def read(self, block: Padded, at: Places, ends: Places) -> tuple[Mask, dict[str, Places]]:
        """Read messages that begin with the head: which are of this row, and the columns of all of them."""
        fits = np.ones(len(at), np.bool_)
        columns: dict[str, Places] = {}
        at = at + len(self.head)
        for literal, column, reader in self.pieces[1:]:
            if reader is None:
                fits &= starts_with(block, at, literal)
                at = at + len(literal)
            else:
                value, at, good = reader(block, at, ends)
                fits &= good
                if column is not None:
                    columns[column] = value
        return fits & (at == ends), columns


@cache
def numeric_rows() -> tuple[NumericRow, ...]:
    """Give the rows that hold nothing but numbers and that begin with a literal."""
    readers: dict[int, Read] = {id(FIELD_KINDS[name]): reader for name, reader in _READERS.items()}
    rows = []
    for rule, row in enumerate(ROWS, 1):
        pieces = [_compile(piece, readers) for piece in row.template.pieces]
        if row.scope in (TRACE, GE, RUNTIME) and row.template.fields and row.template.head and all(pieces):
            whole = tuple(piece for piece in pieces if piece is not None)
            rows.append(NumericRow(rule, row.scope, row.spoken, row.template.head.encode(), whole))
    return tuple(rows)


def _compile(piece: object, readers: dict[int, Read]) -> tuple[bytes, str | None, Read | None] | None:
    if isinstance(piece, Literal):
        return piece.text.encode(), None, None
    if isinstance(piece, Field) and _reader(piece.kind, readers) is not None:
        column = piece.name if piece.name in EVENT_COLUMNS else None
        return b"", column, _reader(piece.kind, readers)
    return None


def _reader(kind: FieldKind, readers: dict[int, Read]) -> Read | None:
    return readers.get(id(kind))
