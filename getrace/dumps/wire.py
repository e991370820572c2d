"""The wire format of protobuf: bytes to fields and back, without the protobuf package.

It owns varints, lengths and their limits, and knows no message. An OM holds four kinds of protobuf messages; if each
reader walked bytes itself, each would have its own way to run past the end. Reading gives positions and never copies.

Sources: protobuf's encoding guide; spec/formats.md 1.7, 1.14 (a walker in Python is fast enough).
"""

import struct
from collections.abc import Iterable

from getrace.errors import InputError

MAX_VALUES = 500_000
"""Fields and list items of one operator, or of one graph beside its operators; GE's stay below a thousandth of it."""

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""Wire types. The two types of groups (3, 4) have been out of use since before GE, and are refused."""

_BITS = (1 << 64) - 1
_SIGN = 1 << 63
_SIZES = {FIXED64: 8, FIXED32: 4}


WireField = tuple[int, int, int, int]
"""A field: its number, its wire type, and its place from ``start`` to ``stop`` in the data.

Of a varint ``start`` is the value and ``stop`` the position behind it. A plain tuple: a model has a hundred thousand of
these, and making a named one takes five times as long.
"""


class Wire:
    """Bytes of one message, with the name of where they come from for errors, and the offset of the first there.

    ``left`` is how many values may still be read before the message is taken for an attack; ``refill`` sets it again
    where a new operator begins.
    """

    __slots__ = ("base", "data", "left", "size", "source")

    def __init__(self, content: bytes | memoryview, source: str, base: int = 0) -> None:
        self.size = len(content)
        # The zero behind the end closes every varint, so that the loop need not look for the end at each byte.
        self.data = b"".join((content, b"\0"))
        self.source = source
        self.base = base
        self.left = MAX_VALUES

    def error(self, message: str, at: int) -> InputError:
        """Make an error that names the file and the offset in it."""
        return InputError(f"{self.source}, offset {self.base + at}: {message}", "the file is cut or is not a model")

    def refill(self) -> None:
        """Allow ``MAX_VALUES`` again."""
        self.left = MAX_VALUES

    def varint(self, at: int, end: int) -> tuple[int, int]:
        """Read a varint: its 64 bits without a sign, and the position behind it. Raises InputError past ``end``."""
        data = self.data
        value = shift = 0
        for position in range(at, at + 10):
            byte = data[position] if position <= self.size else 0
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if position >= end:
                    break
                return value & _BITS, position + 1
            shift += 7
        raise self.error("a number does not end inside its message", at)

    def fields(self, start: int, end: int) -> list[WireField]:
        """Split a message into fields, in file order.

        Raises InputError for a length or number that runs past ``end``, a group, a field number 0 and too many fields.
        """
        data, at = self.data, start
        found: list[WireField] = []
        left = self.left
        while at < end and len(found) <= left:
            begin = at
            tag = data[at]
            at += 1
            if tag >= 0x80:
                tag, at = self.varint(begin, end)
            kind = tag & 7
            if kind == LENGTH:
                size = data[at]
                at += 1
                if size >= 0x80:
                    size, at = self.varint(at - 1, end)
                stop = at + size
                found.append((tag >> 3, kind, at, stop))
            elif kind == VARINT:
                value = data[at]
                stop = at + 1
                if value >= 0x80:
                    value, stop = self.varint(at, end)
                found.append((tag >> 3, kind, value, stop))
            else:
                stop = at + self._fixed(kind, begin)
                found.append((tag >> 3, kind, at, stop))
            if stop > end or tag < 8:
                raise self._broken(tag, begin)
            at = stop
        self.count(len(found), start)
        return found

    def _fixed(self, kind: int, at: int) -> int:
        if kind not in _SIZES:
            raise self.error(f"a field has wire type {kind}, which no model of GE uses", at)
        return _SIZES[kind]

    def _broken(self, tag: int, at: int) -> InputError:
        if tag < 8:
            return self.error("a field has number 0", at)
        return self.error(f"field {tag >> 3} runs past the end of its message", at)

    def count(self, values: int, at: int) -> None:
        """Take values from the allowance. Raises InputError when it is used up."""
        self.left -= values
        if self.left < 0:
            raise self.error(f"one operator has more than {MAX_VALUES} values", at)

    def numbers(self, field: WireField) -> list[int]:
        """Read a whole number, or the packed numbers of a repeated field; 64 bits without a sign."""
        _, kind, at, end = field
        if kind == VARINT:
            return [at]
        begin, data = at, self.data
        packed = data[at:end]
        if packed.isascii():  # numbers below 128, one byte each
            self.count(len(packed), begin)
            return list(packed)
        found = []
        while at < end:
            value = data[at]
            at += 1
            if value >= 0x80:
                value, at = self.varint(at - 1, end)
            found.append(value)
            if len(found) > self.left:
                break
        self.count(len(found), begin)
        return found

    def floats(self, field: WireField) -> tuple[float, ...]:
        """Read a number of 32 bits, or the packed numbers of a repeated field."""
        _, _, start, stop = field
        if (stop - start) % 4:
            raise self.error("a list of numbers ends inside a number", start)
        count = (stop - start) // 4
        self.count(count, start)
        return struct.unpack_from(f"<{count}f", self.data, start)

    def content(self, field: WireField) -> bytes:
        """Copy the bytes of a field out."""
        return self.data[field[2] : field[3]]

    def text(self, field: WireField) -> str:
        """Read a text; bytes that are not UTF-8 survive as surrogates."""
        return self.data[field[2] : field[3]].decode("utf-8", "surrogateescape")


def signed(value: int) -> int:
    """Give the 64 bits of a varint their sign."""
    return value - (1 << 64) if value & _SIGN else value


def varint(value: int) -> bytes:
    """Write a whole number as 64 bits. Raises OverflowError when it needs more."""
    if not -_SIGN <= value <= _BITS:
        raise OverflowError(f"{value} needs more than 64 bits")
    value &= _BITS
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def put_number(number: int, value: int) -> bytes:
    """Write a whole number, flag or enum as a field."""
    return varint(number << 3 | VARINT) + varint(value)


def put_content(number: int, content: bytes | memoryview) -> bytes:
    """Write bytes or a message as a field."""
    return b"".join((varint(number << 3 | LENGTH), varint(len(content)), content))


def put_text(number: int, text: str) -> bytes:
    """Write a text as a field; surrogates become the bytes they stand for."""
    return put_content(number, text.encode("utf-8", "surrogateescape"))


def put_float(number: int, value: float) -> bytes:
    """Write a number of 32 bits as a field. Raises OverflowError when it does not fit."""
    return varint(number << 3 | FIXED32) + struct.pack("<f", value)


def put_numbers(number: int, values: Iterable[int]) -> bytes:
    """Write a packed list of whole numbers; nothing when it is empty."""
    packed = b"".join(map(varint, values))
    return put_content(number, packed) if packed else b""
