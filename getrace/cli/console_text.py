"""Reading a text that is no log: what a terminal printed, saved as people save it.

It may be packed, of another encoding, coloured, or come through a pipe. If the verb read it by itself, a page saved on
Windows would be words of which no rule knows one.
"""

import io
import re
import sys
from pathlib import Path
from typing import BinaryIO

from getrace.errors import InputError
from getrace.ingest.packed import LONGEST_MAGIC, Unpacking, form_of

LIMIT = 64 * 1024 * 1024
"""Bytes that are read; a console that printed more repeats itself."""

_HEAD = 4_096
_ODD = bytes(range(9)) + bytes(range(14, 27))
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


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
    return bool(head.strip()) and form_of(head) is None and not _is_binary(head)


def _read(path: str) -> bytes:
    try:
        if path == "-":
            return _unpacked(path, io.BytesIO(sys.stdin.buffer.read(LIMIT)))
        with Path(path).open("rb") as file:
            return _unpacked(path, file)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", "give the file of the text") from error


def _unpacked(path: str, file: BinaryIO) -> bytes:
    """Give the first bytes of a file, unpacked; of packed data that breaks off nothing, as it may say anything."""
    head = file.read(LONGEST_MAGIC)
    file.seek(0)
    form = form_of(head)
    if form is None:
        return file.read(LIMIT)
    unpacking, parts, left = Unpacking(form, file), list[bytes](), LIMIT
    for piece in unpacking:
        parts.append(piece[:left])
        left -= len(parts[-1])
        if not left:
            return b"".join(parts)
    if unpacking.broken:
        raise InputError(f"{path} cannot be read: its packed data is broken", "give the file of the text")
    return b"".join(parts)


def _decode(data: bytes) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if wide else "utf-8-sig", errors="replace")


def _is_binary(data: bytes) -> bool:
    """Say whether bytes are no text: a control byte in a hundred, outside a text of two bytes a letter."""
    head = data[:_HEAD]
    return not head.startswith((b"\xff\xfe", b"\xfe\xff")) and 100 * sum(map(head.count, map(_one, _ODD))) > len(head)


def _one(code: int) -> bytes:
    return bytes([code])
