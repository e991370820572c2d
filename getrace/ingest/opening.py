"""Opening one path: what is in it is told by its first bytes, never by its name.

A plain file is read where it lies; a pipe, a packed stream and the members of an archive go to the spool. A packed
stream may hold an archive, and the member of an archive may be packed; deeper nesting is not followed.
"""

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from getrace.errors import InputError
from getrace.ingest.dump_members import DumpMembers
from getrace.ingest.limits import LIMITS, Limits
from getrace.ingest.members import Archive, Member, MemberBytes, is_tar, is_zip, tar_members, zip_members
from getrace.ingest.names import is_dump_name, is_log_name
from getrace.ingest.packed import PIECE, Form, Unpacking, form_of
from getrace.ingest.spool import Spool
from getrace.plog.open_files import OpenFiles
from getrace.plog.sniff import is_plog
from getrace.plog.source import Bytes, cannot_read, open_plain

_HEAD = 65536
_TAR_HEAD = 512


@dataclass(slots=True)
class Room:
    """Where opened things are kept for one store: the spool, the dumps of archives, open files, and their limits.

    Without ``files`` each file stays open: one that is followed is read to its end also when its name is gone.
    """

    limits: Limits = LIMITS
    dumps: DumpMembers = field(default_factory=DumpMembers)
    files: OpenFiles | None = field(default_factory=OpenFiles)
    _spool: Spool | None = None

    @property
    def spool(self) -> Spool:
        """The spool, made when it is first needed."""
        if self._spool is None:
            self._spool = Spool(self.limits)
        return self._spool


def open_path(path: str, room: Room) -> list[Bytes]:
    """Open a file, a pipe or ``-``: one log, or the logs of an archive. Raises InputError when there is none."""
    try:
        if path == "-":
            if sys.stdin is None:  # Python's word for a descriptor that the caller closed
                raise InputError("standard input is closed", "name a file, or send a log with < FILE")
            return _opened(path, sys.stdin.buffer, room, plain=False)
        with Path(path).open("rb") as raw:
            mode = os.fstat(raw.fileno()).st_mode
            if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                raise InputError(f"{path} is a device, not a log", "give a file, a folder, a pipe or -")
            return _opened(path, raw, room, plain=stat.S_ISREG(mode))
    except OSError as error:
        raise cannot_read(path, error) from error


def _opened(path: str, raw: BinaryIO, room: Room, *, plain: bool) -> list[Bytes]:
    if plain:
        head = cast("io.BufferedReader", raw).peek(_TAR_HEAD)[:_TAR_HEAD]
    else:
        # The first bytes of a pipe may come one by one; looked at too early, an archive would be taken for text.
        head, pieces = _peeked(_pieces(raw.read), _TAR_HEAD)
        raw = cast("BinaryIO", _Joined(pieces))
    form = form_of(head)
    if is_zip(head):
        return _of_zip(path, raw, room, seekable=plain)
    if form is not None:
        return _of_packed(path, raw, form, room)
    if is_tar(head):
        return _of_tar(path, _pieces(raw.read), room)
    return [open_plain(path, room.files) if plain else room.spool.keep(path, _pieces(raw.read))]


def _of_packed(path: str, raw: BinaryIO, form: Form, room: Room) -> list[Bytes]:
    unpacking = Unpacking(form, raw, room.limits)
    head, pieces = _peeked(iter(unpacking), _TAR_HEAD)
    if is_tar(head):
        return _of_tar(path, pieces, room, lambda: unpacking.broken)
    return [_unpacked(path, unpacking, pieces, room)]


def _unpacked(path: str, unpacking: Unpacking, pieces: Iterator[bytes], room: Room) -> Bytes:
    source = room.spool.keep(path, pieces)
    if unpacking.broken:
        name = unpacking.form.name
        if not len(source):
            text = f"{path}: the {name} data is broken at its beginning ({unpacking.broken})"
            raise InputError(text, "copy the file again")
        source.broken = f"{path}: the {name} data breaks off after {len(source):,} bytes of log ({unpacking.broken})"
    return source


def _of_tar(path: str, pieces: Iterator[bytes], room: Room, broken_outside: Callable[[], str] = str) -> list[Bytes]:
    archive = Archive(room.limits)
    found = _Found(path, "tar", archive, room)
    for member in tar_members(pieces, archive):
        found.take(member)
    archive.broken = broken_outside() or archive.broken
    return found.logs()


def _of_zip(path: str, raw: BinaryIO, room: Room, *, seekable: bool) -> list[Bytes]:
    archive = Archive(room.limits)
    found = _Found(path, "zip", archive, room)
    file = raw if seekable else cast("BinaryIO", io.BufferedReader(_Reread(room.spool.keep(path, _pieces(raw.read)))))
    found.packed = file.seek(0, io.SEEK_END)
    for member in zip_members(file, archive):
        found.take(member)
    return found.logs()


@dataclass(slots=True)
class _Found:
    """What an archive holds: logs by GE's names, other files that read like logs, and dumps."""

    path: str
    kind: str
    archive: Archive
    room: Room
    named: list[Bytes] = field(default_factory=list)
    others: list[Bytes] = field(default_factory=list)
    packed: int | None = None
    unpacked: int = 0
    unread: str = ""

    def take(self, member: Member) -> None:
        """Keep a member that is a log or a dump; none after the archive was given up."""
        if self.archive.broken:
            return
        shown = f"{self.path}/{member.name}"
        source = MemberBytes(member.file)
        head, pieces = _peeked(self._counted(_pieces(source.read)), _HEAD)
        form = form_of(head)
        unpacking = None
        if form is not None:
            unpacking = Unpacking(form, cast("BinaryIO", _Joined(pieces)), self.room.limits)
            head, pieces = _peeked(iter(unpacking), _HEAD)
        if is_dump_name(member.name):
            self.room.dumps.keep(shown, pieces)
        elif is_log_name(member.name) or is_plog(head):
            kept = self._kept(shown, source, unpacking, pieces)
            if kept.broken and not len(kept):
                self.unread = kept.broken
                return
            (self.named if is_log_name(member.name) else self.others).append(kept)

    def _kept(self, shown: str, source: MemberBytes, unpacking: Unpacking | None, pieces: Iterator[bytes]) -> Bytes:
        kept = self.room.spool.keep(shown, pieces)
        reason = source.broken or (unpacking.broken if unpacking is not None else "")
        if reason:
            kept.broken = f"{shown} breaks off after {len(kept):,} bytes of log ({reason})"
        return kept

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Hand pieces on as long as all members together are within the limit; a tar is not packed by itself."""
        for piece in pieces:
            left = len(piece) if self.packed is None else self.room.limits.left(self.unpacked, self.packed)
            self.unpacked += min(len(piece), left)
            yield piece[:left]
            if len(piece) > left:
                self.archive.broken = self.room.limits.sentence(self.unpacked)
                return

    def logs(self) -> list[Bytes]:
        """Give the logs, or raise InputError when there is none."""
        logs = self.named or self.others
        broken = (
            f"{self.path}: the {self.kind} archive breaks off ({self.archive.broken})" if self.archive.broken else ""
        )
        if not logs:
            said = self.unread or broken
            raise InputError(
                said or f"{self.path} is a {self.kind} archive that holds no log",
                "copy it again" if said else "give an archive with plog-*.log files; one inside another is not opened",
            )
        logs[0].broken = logs[0].broken or broken or self.unread
        logs[0].warnings.extend(self.archive.warnings(self.path))
        return logs


class _Joined:
    """An iterator of pieces as something that can be read from."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def read(self, size: int) -> bytes:
        """Give up to so many bytes, b"" at the end."""
        if not self._left:
            self._left = next(self._pieces, b"")
        part, self._left = self._left[:size], self._left[size:]
        return part


class _Reread(io.RawIOBase):
    """Spooled bytes as a file that can be sought in."""

    def __init__(self, source: Bytes) -> None:
        super().__init__()
        self._source = source
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._source)}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # typeshed: any buffer
        part = self._source.read(self._at, self._at + len(buffer))
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(PIECE):
        yield piece


def _peeked(pieces: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """Look at the first bytes of pieces: (head, all pieces)."""
    front: list[bytes] = []
    length = 0
    while length < size and (piece := next(pieces, b"")):
        front.append(piece)
        length += len(piece)
    head = b"".join(front)

    def whole() -> Iterator[bytes]:
        if head:
            yield head
        yield from pieces

    return head[:size], whole()
