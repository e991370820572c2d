"""A position in a partition that is no protobuf message: takes structs and slices, and never past the end."""

import struct

from getrace.errors import InputError

MOST_ENTRIES = 100_000
"""Entries a store or list may have; GE's have some hundreds."""


class Cursor:
    """Reads a partition from its beginning. Errors name the file and the offset in it."""

    __slots__ = ("at", "content", "offset", "source")

    def __init__(self, content: memoryview, source: str, offset: int) -> None:
        self.content = content
        self.source = source
        self.offset = offset
        self.at = 0

    @property
    def is_done(self) -> bool:
        """Whether everything was read."""
        return self.at >= len(self.content)

    def error(self, message: str) -> InputError:
        """Make an error at the current position."""
        return InputError(
            f"{self.source}, offset {self.offset + self.at}: {message}", "the file is cut or is not a model"
        )

    def take(self, size: int) -> memoryview:
        """Slice the next bytes. Raises InputError when there are fewer."""
        if size > len(self.content) - self.at:
            raise self.error(f"{size} bytes are promised, {len(self.content) - self.at} are left")
        self.at += size
        return self.content[self.at - size : self.at]

    def unpack(self, form: struct.Struct) -> tuple[int, ...]:
        """Take a struct of numbers. Raises InputError as ``take``."""
        return form.unpack(self.take(form.size))

    def text(self, size: int) -> str:
        """Take a text; bytes that are not UTF-8 survive as surrogates."""
        return bytes(self.take(size)).decode("utf-8", "surrogateescape")

    def count(self, number: int, least: int) -> int:
        """Check a number of entries of at least so many bytes each. Raises InputError when they cannot be there."""
        if number > MOST_ENTRIES or number * least > len(self.content) - self.at:
            raise self.error(f"{number} entries are promised, {len(self.content) - self.at} bytes are left")
        return number


def encoded(text: str) -> bytes:
    """The bytes of a text that a cursor read."""
    return text.encode("utf-8", "surrogateescape")
