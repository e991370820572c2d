"""The bytes of a text dump: read from the front once, and in pieces later.

A file is opened again for each piece instead of being mapped: a map of a file that somebody shortens meanwhile ends
the whole program, a read of it is a sentence. A packed text is unpacked into memory, up to a bound.
"""

import gzip
import io
import os
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from getrace.errors import InputError

MAX_LINE = 1 << 26
"""Bytes of one line; a weight written as text may take many megabytes, an archive bomb takes more."""

MAX_UNPACKED = 48 << 20
"""Bytes that a packed dump may have when unpacked: it lies in memory as a whole, and its file may be a thousandth."""

BOM = b"\xef\xbb\xbf"
"""What editors put in front of a text; GE does not."""

_GZIP = b"\x1f\x8b"
_STEP = 1 << 20


class BrokenArchiveError(InputError):
    """A packed text that cannot be unpacked: what it would be is not known, so nothing else can be said of it."""


class TextSource(Protocol):
    """A text by its bytes."""

    @property
    def size(self) -> int:
        """Its length in bytes."""

    @property
    def given(self) -> int:
        """The length of the file that it comes from: less when that is packed."""

    def open(self) -> BinaryIO:
        """Open it from the front. Raises InputError when it is gone or another one."""

    def read(self, start: int, stop: int) -> bytes:
        """Read the bytes from ``start`` to ``stop``. Raises InputError as ``open``."""


class MemoryText:
    """A text in memory, unpacked from a file of ``given`` bytes if that is another number than its own."""

    def __init__(self, content: bytes, given: int | None = None) -> None:
        self._content = content
        self._given = len(content) if given is None else given

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return len(self._content)

    @property
    def given(self) -> int:
        """The length of what it was unpacked from."""
        return self._given

    def open(self) -> BinaryIO:
        """Open it from the front."""
        return io.BytesIO(self._content)

    def read(self, start: int, stop: int) -> bytes:
        """Read some bytes."""
        return self._content[start:stop]


class _Identity(NamedTuple):
    """What tells a file from another of its name, and from itself before it was written to."""

    device: int
    number: int
    size: int
    changed: int


class FileText:
    """A text in an ordinary file; raises InputError when the file is not what it was when this was made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            self._identity = _identity(file)

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return self._identity.size

    @property
    def given(self) -> int:
        """Its length in bytes."""
        return self._identity.size

    def open(self) -> BinaryIO:
        """Open it from the front."""
        try:
            file = self._path.open("rb")
        except OSError as error:
            raise InputError(f"cannot read {self._path}: {error.strerror or error}", "open it again") from error
        if _identity(file) != self._identity:
            file.close()
            raise InputError(f"{self._path} was changed while it was read", "open it again when it is complete")
        return file

    def read(self, start: int, stop: int) -> bytes:
        """Read some bytes."""
        with self.open() as file:
            file.seek(start)
            return file.read(stop - start)


def _identity(file: BinaryIO) -> _Identity:
    about = os.fstat(file.fileno())
    return _Identity(about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


def text_of_file(path: Path) -> TextSource:
    """Give the text of a file, plain or gzip.

    Raises OSError, and BrokenArchiveError for a broken or too large archive.
    """
    with path.open("rb") as raw:
        if path.is_file() and not raw.peek(len(_GZIP)).startswith(_GZIP):
            return FileText(path)
        return _unpacked(raw, str(path))


def text_of_bytes(content: bytes, source: str) -> TextSource:
    """Give a text from bytes, plain or gzip. Raises InputError as ``text_of_file``."""
    return _unpacked(io.BufferedReader(io.BytesIO(content)), source)


def head_of_file(path: Path, length: int) -> bytes:
    """Give the first bytes of a file, unpacked if it is gzip; what can be had of a broken archive. Raises OSError."""
    with path.open("rb") as raw:
        head = raw.read(length)
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, length)
    except zlib.error:
        return head


def _unpacked(raw: io.BufferedReader, source: str) -> MemoryText:
    packed = raw.peek(len(_GZIP)).startswith(_GZIP)
    stream: BinaryIO = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore[assignment] # typeshed: no BinaryIO
    # Pieces joined once: a growing buffer and its copy would be three times the text for a moment.
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := stream.read(_STEP):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_UNPACKED:
                hint = "unpack it and give the file: a plain file is read in pieces"
                raise BrokenArchiveError(f"{source} holds more than {MAX_UNPACKED >> 20} MiB when unpacked", hint)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BrokenArchiveError(f"{source} is a broken gzip file: {error}", "copy the file again") from error
    if packed and pieces and pieces[0].startswith(_GZIP):
        raise BrokenArchiveError(f"{source} is a gzip file inside a gzip file", "unpack it once")
    return MemoryText(b"".join(pieces), raw.tell() if packed else None)
