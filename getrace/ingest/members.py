"""Archives of files: the logs and dumps in a tar or zip, member by member, without a single name on the disk.

A member's bytes go to the spool and its name is only shown: so a name that leads out of the folder, a link or a device
can do no harm. What an archive claims of itself is never believed: sizes are counted as they come.
"""

import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, NamedTuple

from getrace.ingest.limits import LIMITS, Limits
from getrace.ingest.packed import PIECE

TAR_MAGIC = (257, b"ustar")
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_BLOCK = 512
_STEP = 8 << 10
"""Bytes of a member that are asked for at once: what such a step had read when the archive breaks off is lost."""

_TAR_BREAKS = (tarfile.TarError, EOFError, ValueError, OverflowError)
_ZIP_BREAKS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


def is_tar(head: bytes) -> bool:
    """Say whether bytes begin a tar archive; older forms without the magic are told by their checksum."""
    at, magic = TAR_MAGIC
    if head[at : at + len(magic)] == magic:
        return True
    return len(head) >= _BLOCK and _has_tar_checksum(head[:_BLOCK])


def _has_tar_checksum(block: bytes) -> bool:
    try:
        told = int(block[148:156].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return told == sum(block[:148]) + 8 * 32 + sum(block[156:])


def is_zip(head: bytes) -> bool:
    """Say whether bytes begin a zip archive."""
    return head.startswith(ZIP_MAGICS)


class Member(NamedTuple):
    """A file in an archive: its name, made harmless to look at, and its bytes, to be read before the next member."""

    name: str
    file: IO[bytes]


@dataclass(slots=True)
class Archive:
    """What is told of an archive while its members are read: ``broken`` (why it ended too early) and ``warnings``."""

    limits: Limits = LIMITS
    broken: str = ""
    skipped_links: int = 0
    skipped_members: int = 0

    def warnings(self, path: str) -> list[str]:
        """Give what is to be told of it."""
        told = []
        if self.skipped_links:
            told.append(f"{path}: {self.skipped_links} links, devices and sparse files in it were left out")
        if self.skipped_members:
            told.append(f"{path}: {self.skipped_members} members could not be read and were left out")
        return told


@dataclass(slots=True)
class MemberBytes:
    """The bytes of a member, to be iterated once; afterwards ``broken`` says why they ended too early."""

    file: IO[bytes]
    broken: str = ""

    def read(self, size: int) -> bytes:
        """Give up to so many bytes, b"" at the end and where the archive breaks off."""
        parts: list[bytes] = []
        try:
            while size > 0 and not self.broken and (part := self.file.read(min(size, _STEP))):
                parts.append(part)
                size -= len(part)
        except (*_TAR_BREAKS, *_ZIP_BREAKS) as error:
            self.broken = str(error) or type(error).__name__
        return b"".join(parts)


class _Metered:
    """A stream whose reads are counted between two members: headers may not be larger than a limit."""

    def __init__(self, pieces: Iterator[bytes], limits: Limits) -> None:
        self._pieces = pieces
        self._left = b""
        self._limits = limits
        self.header: int | None = 0

    def read(self, size: int) -> bytes:
        """Give exactly so many bytes, fewer at the end."""
        parts, wanted = [], size
        while wanted > 0:
            if not self._left:
                self._left = next(self._pieces, b"")
                if not self._left:
                    break
            part, self._left = self._left[:wanted], self._left[wanted:]
            parts.append(part)
            wanted -= len(part)
            self._count(len(part))
        return b"".join(parts)

    def _count(self, size: int) -> None:
        if self.header is not None:
            self.header += size
            if self.header > self._limits.header:
                raise tarfile.ReadError(f"a header of more than {self._limits.header >> 20} MiB")


def tar_members(pieces: Iterator[bytes], archive: Archive) -> Iterator[Member]:
    """Give the files of a tar, which is read once and forwards."""
    stream = _Metered(pieces, archive.limits)
    try:
        # The smallest buffer: what tarfile reads ahead would be counted as a header.
        with tarfile.open(fileobj=stream, mode="r|", bufsize=_BLOCK) as tar:  # type: ignore[call-overload]
            for _ in range(archive.limits.members):
                stream.header = 0
                info = tar.next()
                if info is None:
                    return
                tar.members = []  # it keeps all headers it has seen
                stream.header = None
                if info.isdir():
                    continue
                file = tar.extractfile(info) if info.isreg() and not info.issparse() else None
                if file is None:
                    archive.skipped_links += 1
                    continue
                yield Member(harmless(info.name), file)
                _drain(file)
            archive.broken = f"it has more than {archive.limits.members:,} members"
    except _TAR_BREAKS as error:
        archive.broken = str(error) or type(error).__name__


def _drain(file: IO[bytes]) -> None:
    """Read what nobody wanted of a member, so that the next header is counted alone."""
    while file.read(PIECE):
        pass


def zip_members(file: IO[bytes], archive: Archive) -> Iterator[Member]:
    """Give the files of a zip, which must be seekable: its list of members stands at its end."""
    try:
        with zipfile.ZipFile(file) as packed:
            infos = packed.infolist()
            for info in infos[: archive.limits.members]:
                if info.is_dir():
                    continue
                if stat.S_ISLNK(info.external_attr >> 16):
                    archive.skipped_links += 1
                    continue
                try:
                    member = packed.open(info)
                except _ZIP_BREAKS:
                    archive.skipped_members += 1  # encrypted, or packed in a way that Python does not know
                    continue
                with member:
                    yield Member(harmless(info.filename), member)
            if len(infos) > archive.limits.members:
                archive.broken = f"it has more than {archive.limits.members:,} members"
    except _ZIP_BREAKS as error:
        archive.broken = str(error) or type(error).__name__


def harmless(name: str) -> str:
    """Give a member's name as a path below the archive: no root, no ``..``, no drive."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return "/".join(part for part in parts if part not in ("/", "..", ".") and not part.endswith(":")) or "member"
