"""Packed streams: which forms there are, and their bytes piece by piece in bounded memory.

An archive says itself how much memory its unpacking takes, so each form has a limit here, and no step may give more
than a bounded piece. What breaks off is no exception to its reader: the pieces end, and the reason is kept.
"""

import bz2
import contextlib
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple, Protocol

import zstandard

from getrace.ingest.limits import LIMITS, Limits

PIECE = 1 << 20
_PACKED_PIECE = 1 << 16
# A block of 4 bytes may unpack to 128 KiB in zstd, which has no limit for a step: this much keeps a step at 64 MiB.
_ZSTD_PIECE = 2 << 10
_MOST_MEMORY = 1 << 28
_ZSTD_WINDOW = 1 << 27  # what the format asks every reader to support, and more than `zstd -19` writes

Read = Callable[[int], bytes]
"""Gives up to so many bytes, b"" at the end."""


class _Stepper(Protocol):
    """What bz2 and lzma have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def _stepwise(make: Callable[[], _Stepper]) -> Callable[[Read], Iterator[bytes]]:
    """Unpack stream after stream with a decompressor that can be stopped after so many bytes."""

    def pieces(read: Read) -> Iterator[bytes]:
        packed = read(_PACKED_PIECE)
        while packed:
            stream = make()
            while not stream.eof:
                if stream.needs_input and not packed:
                    packed = read(_PACKED_PIECE)
                    if not packed:
                        raise EOFError("the stream is not complete")
                yield stream.decompress(packed, PIECE)
                packed = b""
            packed = (stream.unused_data or read(_PACKED_PIECE)).lstrip(b"\0") or read(_PACKED_PIECE)

    return pieces


def _gzip(read: Read) -> Iterator[bytes]:
    """Unpack member after member; zeros behind one are padding, as tapes and block devices add it."""
    packed = read(_PACKED_PIECE)
    while packed:
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            if not packed:
                packed = read(_PACKED_PIECE)
                if not packed:
                    raise EOFError("the stream is not complete")
            before = member.copy()
            try:
                piece = member.decompress(packed, PIECE)
            except zlib.error:
                yield from _byte_by_byte(before, packed)
                raise
            yield piece
            packed = member.unconsumed_tail
        packed = member.unused_data or read(_PACKED_PIECE)
        while packed and not packed.lstrip(b"\0"):
            packed = read(_PACKED_PIECE)
        packed = packed.lstrip(b"\0")


def _byte_by_byte(member: "zlib._Decompress", packed: bytes) -> Iterator[bytes]:
    """Give what stands before the byte that zlib refuses: a step that fails gives nothing of what it had unpacked."""
    with contextlib.suppress(zlib.error):
        for number in range(len(packed)):
            yield member.decompress(packed[number : number + 1])


def _zstd(read: Read) -> Iterator[bytes]:
    """Unpack frame after frame; the library's own reader ends a cut frame without a word, so each end is checked."""
    packed = read(_ZSTD_PIECE)
    while packed:
        frame = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        while packed and not frame.eof:
            yield frame.decompress(packed)
            packed = frame.unused_data or read(_ZSTD_PIECE)
        if not frame.eof:
            raise EOFError("the last frame is not complete")


class Form(NamedTuple):
    """A packed form: its name, its first bytes, and what unpacks it."""

    name: str
    magic: bytes
    pieces: Callable[[Read], Iterator[bytes]]


def _xz() -> _Stepper:
    return lzma.LZMADecompressor(memlimit=_MOST_MEMORY)


FORMS: tuple[Form, ...] = (
    Form("gzip", b"\x1f\x8b", _gzip),
    Form("zstd", b"\x28\xb5\x2f\xfd", _zstd),
    Form("bzip2", b"BZh", _stepwise(bz2.BZ2Decompressor)),
    Form("xz", b"\xfd7zXZ\0", _stepwise(_xz)),
)
_SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
"""A frame of zstd that holds no data: ``pzstd`` begins each of its files so."""
LONGEST_MAGIC = max(len(form.magic) for form in FORMS)

_BREAKS = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError, ValueError, MemoryError)


def form_of(head: bytes) -> Form | None:
    """Find the packed form that begins with some bytes."""
    if _SKIPPED.match(head):
        return next(form for form in FORMS if form.pieces is _zstd)
    return next((form for form in FORMS if head.startswith(form.magic)), None)


@dataclass(slots=True)
class Unpacking:
    """The unpacked bytes of a packed stream, to be iterated once; afterwards ``broken`` says why they ended too early.

    A stream that unpacks to more than a log can is given up where the limit is (``getrace.ingest.limits``).
    """

    form: Form
    packed: BinaryIO
    limits: Limits = field(default_factory=lambda: LIMITS)
    broken: str = ""
    unpacked: int = 0
    taken: int = 0

    def __iter__(self) -> Iterator[bytes]:
        """Give the pieces, up to the break or the limit."""
        try:
            for piece in self.form.pieces(self._read):
                left = self.limits.left(self.unpacked, self.taken)
                self.unpacked += min(len(piece), left)
                if piece:
                    yield piece[:left]
                if len(piece) > left:
                    self.broken = self.limits.sentence(self.unpacked)
                    return
        except _BREAKS as error:
            self.broken = str(error) or type(error).__name__

    def _read(self, size: int) -> bytes:
        piece = self.packed.read(size)
        self.taken += len(piece)
        return piece
