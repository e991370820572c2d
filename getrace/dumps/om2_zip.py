"""The container of an OM2: a zip that strangers made, opened without trust.

Members are read one at a time into memory, each with a limit on what it unfolds to. Nothing is ever unpacked to
disk, and a library in it is bytes.

Source: spec/formats.md 2.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import PurePosixPath

from getrace.errors import InputError
from getrace.printable import printable

MOST_DIRECTORY = 8 << 20
"""Bytes of the zip's directory; GE's have some kilobytes."""

_CHUNK = 1 << 16
_ENCRYPTED = 1
_LOCAL = struct.Struct("<26xHH")
_HINT = "copy the file again, or make it again with atc"


class Container:
    """The members of an OM2 by name. ``content`` is the file, mapped; ``source`` names it in errors."""

    def __init__(self, content: memoryview, source: str) -> None:
        self.content = content
        self.source = source
        try:
            self._zip = zipfile.ZipFile(_View(content, self))
        except _BROKEN as error:
            raise self.error(f"the zip is broken: {_said(error)}") from error
        self.members: Mapping[str, zipfile.ZipInfo] = {info.filename: info for info in self._zip.infolist()}
        if len(self.members) != len(self._zip.infolist()):
            raise self.error("two members have one name")
        for info in self.members.values():
            self._check(info)

    def error(self, message: str) -> InputError:
        """Make an error that names the file."""
        return InputError(f"{self.source}: {message}", _HINT)

    def _check(self, info: zipfile.ZipInfo) -> None:
        name, where = info.filename, f"offset {info.header_offset}: the member {info.filename[:80]!r}"
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or set(name) & set("\\\0:"):
            raise self.error(f"{where} points outside of the file")
        if info.flag_bits & _ENCRYPTED:
            raise self.error(f"{where} is encrypted")

    def read(self, name: str, most: int) -> bytes:
        """Read a member. Raises InputError when it unfolds to more than ``most`` bytes, or is broken."""
        info = self.members[name]
        if info.file_size > most:
            raise self.error(f"offset {info.header_offset}: '{name}' has {info.file_size} bytes, more than {most}")
        found, size = [], 0
        try:
            with self._zip.open(info) as member:
                while chunk := member.read(_CHUNK):
                    size += len(chunk)
                    if size > most:
                        raise self.error(f"offset {info.header_offset}: '{name}' unfolds to more than {most} bytes")
                    found.append(chunk)
        except _BROKEN as error:
            raise self.error(f"offset {info.header_offset}: '{name}' is broken: {_said(error)}") from error
        return b"".join(found)

    def slice(self, name: str) -> memoryview | None:
        """Give a member as a slice of the file; None when it is packed. Raises InputError when it leaves the file."""
        info = self.members[name]
        if info.compress_type != zipfile.ZIP_STORED:
            return None
        head = info.header_offset
        if not 0 <= head <= len(self.content) - 30:
            raise self.error(f"offset {head}: '{name}' lies outside of the file")
        start = head + 30 + sum(_LOCAL.unpack_from(self.content, head))
        if start + info.file_size > len(self.content):
            raise self.error(f"offset {head}: '{name}' runs past the end of the file")
        return self.content[start : start + info.file_size]


_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    UnicodeError,
    ValueError,
    struct.error,
)
"""What the zip module raises for a broken file."""


_WORDS: Mapping[str, str] = {
    "Bad CRC-32": "its checksum is another",
    "File name in directory": "its own header gives it another name",
    "Bad magic number for file header": "it is not where the directory says",
    "Bad magic number for central directory": "its directory is not where its end says",
    "Truncated file header": "the file ends in its header",
}
"""What the zip module says with raw bytes in it or in words of its own, by its beginning, and what it means."""


def _said(error: Exception) -> str:
    """Give the reason of a broken zip as a sentence without raw bytes."""
    text = str(error) or type(error).__name__
    return next((words for start, words in _WORDS.items() if text.startswith(start)), printable(text))


class _View(io.RawIOBase):
    """The mapped file as the zip module wants it; refuses to read a directory that is too large in one piece."""

    def __init__(self, content: memoryview, owner: Container) -> None:
        super().__init__()
        self._content = content
        self._owner = owner
        self._at = 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0, /) -> int:
        at = offset + (0, self._at, len(self._content))[whence]
        if at < 0:
            raise OSError(22, "a position before the file")
        self._at = at
        return at

    def read(self, size: int = -1, /) -> bytes:
        stop = len(self._content) if size is None or size < 0 else self._at + size
        found = self._content[self._at : stop]
        if len(found) > MOST_DIRECTORY:
            raise self._owner.error(f"offset {self._at}: the zip wants {len(found)} bytes for its directory")
        self._at += len(found)
        return bytes(found)
