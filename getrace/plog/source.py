"""Bytes of a log: plain files, compressed ones, standard input, behind one read-only memory map.

A compressed or piped source is spooled to an anonymous temporary file first, so that memory stays bounded and rows
can be read again by their offset.
"""

import gzip
import io
import mmap
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

import zstandard

from getrace.errors import InputError

_CHUNK = 1 << 20
# A block of 4 bytes may unpack to 128 KiB: this much at once keeps the worst archive at 64 MiB.
_PACKED_CHUNK = 2 << 10
_LONGEST_LINE = 64 << 20  # a small archive can unpack to a full disk; what a log is made of shows long before


def _gzip(raw: BinaryIO) -> Iterator[bytes]:
    """Unpack with one read at a time, so that a break does not take what was unpacked before it."""
    file = gzip.GzipFile(fileobj=raw)
    while chunk := file.read1(_CHUNK):
        yield chunk


def _zstd(raw: BinaryIO) -> Iterator[bytes]:
    """Unpack frame after frame; the library's own reader ends a cut frame without a word, so each end is checked."""
    packed = raw.read(_PACKED_CHUNK)
    while packed:
        frame = zstandard.ZstdDecompressor().decompressobj()
        while packed and not frame.eof:
            yield frame.decompress(packed)
            packed = frame.unused_data or raw.read(_PACKED_CHUNK)
        if not frame.eof:
            raise EOFError("the last frame is not complete")


# First bytes of the compressed forms that are read, with what unpacks them.
_COMPRESSED: tuple[tuple[bytes, str, Callable[[BinaryIO], Iterator[bytes]]], ...] = (
    (b"\x1f\x8b", "gzip", _gzip),
    (b"\x28\xb5\x2f\xfd", "zstd", _zstd),
)
_MAGIC = 4


class Bytes:
    """A source's bytes: ``path`` as the user gave it, ``data`` as one buffer, ``broken`` when it ends too early."""

    def __init__(self, path: str, data: mmap.mmap | bytes) -> None:
        self.path = path
        self.data = data
        self.broken = ""

    def __len__(self) -> int:
        return len(self.data)


def open_bytes(path: str) -> Bytes:
    """Open a file or ``-`` for standard input. Raises InputError with a sentence when it cannot be read."""
    try:
        if path == "-":
            return _read(path, sys.stdin.buffer, mappable=False)
        with Path(path).open("rb") as raw:
            mode = os.fstat(raw.fileno()).st_mode
            if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                raise InputError(f"{path} is a device, not a log", "give a file, a folder, a pipe or -")
            return _read(path, raw, mappable=stat.S_ISREG(mode))
    except IsADirectoryError as error:
        raise InputError(f"{path} is a directory, not a log") from error
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file", "check the path; a directory or a glob works too") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def _read(path: str, raw: BinaryIO, *, mappable: bool) -> Bytes:
    """Map a plain file as it stands; what is packed or cannot be read twice goes through a temporary file."""
    head = cast("io.BufferedReader", raw).peek(_MAGIC)[:_MAGIC]
    for magic, name, unpack in _COMPRESSED:
        if head.startswith(magic):
            return _decompress(path, name, unpack(raw))
    return Bytes(path, _map(raw)) if mappable else _spool(path, _chunks(raw))


def _decompress(path: str, name: str, chunks: Iterator[bytes]) -> Bytes:
    breaks: list[str] = []
    source = _spool(path, _until_broken(chunks, breaks))
    if breaks and not len(source):
        raise InputError(f"{path}: the {name} data is broken at its beginning ({breaks[0]})", "copy the file again")
    for reason in breaks:
        source.broken = f"{path}: the {name} data breaks off after {len(source):,} bytes of log ({reason})"
    return source


def _until_broken(chunks: Iterator[bytes], breaks: list[str]) -> Iterator[bytes]:
    try:
        yield from chunks
    except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        breaks.append(str(error))


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _spool(path: str, chunks: Iterator[bytes]) -> Bytes:
    with tempfile.TemporaryFile() as file:
        lines = False
        for chunk in chunks:
            file.write(chunk)
            lines = lines or b"\n" in chunk
            if not lines and file.tell() > _LONGEST_LINE:
                raise InputError(f"{path} is no log: its first {_LONGEST_LINE >> 20} MiB are one line", "give a plog")
        file.flush()
        return Bytes(path, _map(file))


def _map(file: IO[bytes]) -> mmap.mmap | bytes:
    file.seek(0, 2)
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if file.tell() else b""
