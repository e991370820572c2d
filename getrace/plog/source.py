"""The bytes of one log, read by offset: of a file as it stands, of a part of a spool, or of a buffer.

Reads are explicit and never mapped: a log may be cut or replaced while it is looked at, and a mapped page that is gone
kills the process, while a read that comes back short is a fact that can be told.
"""

import os
import stat
import threading
from typing import NamedTuple

from getrace.errors import InputError
from getrace.plog.open_files import OpenFile, OpenFiles, opened


class Identity(NamedTuple):
    """Which file a path led to when it was opened, and as it was then; two equal ones hold the same bytes."""

    device: int
    inode: int
    size: int
    changed_ns: int


MARGIN = 1024
"""A block in a buffer begins behind so many bytes, and there are as many behind it."""


class Margined(bytearray):
    """Bytes of a buffer: whoever reads a block in it may write to what stands in front of the block and behind it."""


class Buffer:
    """Memory for blocks that are read one after the other; fresh memory for each would cost as much as reading it."""

    def __init__(self) -> None:
        self._bytes = Margined()

    def room(self, size: int) -> memoryview:
        """Give memory for so many bytes: the same as before, where that is enough."""
        if len(self._bytes) < size + 2 * MARGIN:
            self._bytes = Margined(size + 2 * MARGIN)
        return memoryview(self._bytes)[MARGIN : MARGIN + size]


class Bytes:
    """A source's bytes: ``path`` as it is shown to the user, and any stretch of them by offset.

    ``broken`` says where and why a packed log ends too early, ``warnings`` what else is to be told of it. ``identity``
    is that of the file it was read from; None for a pipe or a buffer. Reads from several threads are fine.
    """

    def __init__(self, path: str, data: "bytes | Stretch", identity: Identity | None = None) -> None:
        self.path = path
        self.broken = ""
        self.warnings: list[str] = []
        self.identity = identity
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def read(self, start: int, end: int) -> bytes:
        """Give the bytes from ``start`` to before ``end``; fewer when there are not so many (any more)."""
        if isinstance(self._data, bytes):
            return self._data[start:end]
        return self._data.read(start, end)

    def read_block(self, buffer: Buffer, start: int, end: int) -> memoryview:
        """Give the same bytes as ``read``, until the buffer is used again."""
        if isinstance(self._data, bytes):
            return memoryview(self._data)[start:end]
        return self._data.read_into(buffer.room(max(min(end, len(self)) - start, 0)), start)

    def resize(self, size: int) -> None:
        """Take note that the file holds more or fewer bytes than when it was opened."""
        if isinstance(self._data, bytes):
            self._data = self._data[:size]
        else:
            self._data.size = size

    def untouched(self) -> bool:
        """Say whether the file is as it was when it was opened; False for what is no file."""
        return not isinstance(self._data, bytes) and self.identity == self._data.identity_now()

    def size_now(self) -> int:
        """Give the size as it is at this moment: that of the file, which may have grown or shrunk."""
        return len(self) if isinstance(self._data, bytes) or self.identity is None else self._data.size_now()


class Stretch:
    """A part of an open file: ``size`` bytes from ``base`` on."""

    def __init__(self, file: OpenFile, base: int, size: int) -> None:
        self.size = size
        self._file = file
        self._base = base
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self.size

    def read(self, start: int, end: int) -> bytes:
        """Read a stretch of the stretch; short at its end, and where the file was cut."""
        end = min(end, self.size)
        parts = []
        while start < end:
            part = self._read_at(self._base + start, end - start)
            if not part:
                break
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_into(self, room: memoryview, start: int) -> memoryview:
        """Read a stretch of the stretch into memory: gives the part that was filled, short where the file was cut."""
        done = 0
        while done < len(room):
            count = self._read_into(room[done:], self._base + start + done)
            if not count:
                break
            done += count
        return room[:done]

    def _read_into(self, room: memoryview, place: int) -> int:
        file = self._file.take()
        if hasattr(os, "preadv"):
            return os.preadv(file.number, [room], place)
        part = self._read_at(place, len(room))
        room[: len(part)] = part
        return len(part)

    def size_now(self) -> int:
        """Give the size that the file has at this moment, counted from the base."""
        return self.identity_now().size - self._base

    def identity_now(self) -> Identity:
        """Give the identity of the file as it is at this moment."""
        file = self._file.take()
        return identity_of(os.fstat(file.number))

    def _read_at(self, place: int, length: int) -> bytes:
        file = self._file.take()
        if hasattr(os, "pread"):
            return os.pread(file.number, length, place)
        with self._lock:  # without pread the place belongs to all readers of the descriptor
            os.lseek(file.number, place, os.SEEK_SET)
            return os.read(file.number, length)


def identity_of(about: os.stat_result) -> Identity:
    """Give the identity of a file from what the system says about it."""
    return Identity(about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


def open_plain(path: str, files: OpenFiles | None = None) -> Bytes:
    """Open an ordinary file as it stands; it stays open, or is one of ``files`` that take turns.

    Raises InputError with a sentence when it cannot be opened.
    """
    try:
        file = opened(path)
    except OSError as error:
        raise cannot_read(path, error) from error
    about = os.fstat(file.number)
    if not stat.S_ISREG(about.st_mode):
        raise InputError(f"{path} is no ordinary file", "give a file, a folder, a pipe or -")
    kept = file if files is None else files.add(path, file)
    return Bytes(path, Stretch(kept, 0, about.st_size), identity_of(about))


def cannot_read(path: str, error: OSError) -> InputError:
    """Say in a sentence why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path}: no such file", "check the path; a directory or a glob works too")
    if isinstance(error, IsADirectoryError):
        return InputError(f"{path} is a directory, not a log")
    hint = "check the rights of the file" if isinstance(error, PermissionError) else "check the path"
    return InputError(f"{path} cannot be read: {error.strerror or error}", hint)
