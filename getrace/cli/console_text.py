"""Reading a text that is no log: what a terminal printed, saved as people save it.

It may be packed, of another encoding, coloured, or come through a pipe. If the verb read it by itself, a page saved on
Windows would be words of which no rule knows one.
"""

import bz2
import gzip
import io
import lzma
import re
import sys
from pathlib import Path
from typing import IO, cast

import zstandard

from getrace.errors import InputError

LIMIT = 64 * 1024 * 1024
"""Bytes that are read; a console that printed more repeats itself."""

_HEAD = 4_096
_ODD = bytes(range(9)) + bytes(range(14, 27))
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PACKED = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", lzma.open),
    (b"\x28\xb5\x2f\xfd", zstandard.open),
)
_BROKEN = (OSError, EOFError, lzma.LZMAError, zstandard.ZstdError)


def lines_of(path: str) -> list[str]:
    """Give the lines of a text, without colours; ``-`` is standard input. Raises InputError for what is no text."""
    data = _read(path)
    text = _decode(data)
    if not text.strip():
        raise InputError(f"{path} is empty", "give the file of the text")
    if _is_binary(data):
        raise InputError(f"{path} is a binary file", "--text reads what a terminal printed")
    return _COLOUR.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")


def has_words(path: str) -> bool:
    """Say whether a path is a file whose beginning is text: one that ``lines_of`` would read."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    packed = any(head.startswith(magic) for magic, _ in _PACKED)
    return bool(head.strip()) and not packed and not _is_binary(head)


def _read(path: str) -> bytes:
    try:
        if path == "-":
            return _unpacked(io.BytesIO(sys.stdin.buffer.read(LIMIT)))
        with Path(path).open("rb") as file:
            return _unpacked(file)
    except _BROKEN as error:
        reason = getattr(error, "strerror", None) or "its packed data is broken"
        raise InputError(f"{path} cannot be read: {reason}", "give the file of the text") from error


def _unpacked(file: IO[bytes]) -> bytes:
    head = file.read(8)
    file.seek(0)
    opener = next((opener for magic, opener in _PACKED if head.startswith(magic)), None)
    return file.read(LIMIT) if opener is None else cast("IO[bytes]", opener(file, "rb")).read(LIMIT)


def _decode(data: bytes) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if wide else "utf-8-sig", errors="replace")


def _is_binary(data: bytes) -> bool:
    """Say whether bytes are no text: a control byte in a hundred, outside a text of two bytes a letter."""
    head = data[:_HEAD]
    return not head.startswith((b"\xff\xfe", b"\xfe\xff")) and 100 * sum(map(head.count, map(_one, _ODD))) > len(head)


def _one(code: int) -> bytes:
    return bytes([code])
