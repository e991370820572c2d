"""Where packed and piped bytes are kept: one anonymous temporary file for all sources of a store.

A row is read again by its offset, so what cannot be read twice is written down first. One file for all keeps a folder
of a thousand packed logs below the system's limit of open files; it has no name, so nothing is left when we die.
"""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from getrace.errors import InputError
from getrace.ingest.limits import LIMITS, Limits
from getrace.plog.open_files import Descriptor
from getrace.plog.source import Bytes, Stretch

_CHECK_ROOM_EVERY = 64 << 20


class Spool:
    """An anonymous file that sources are written to one behind the other."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        with tempfile.TemporaryFile() as file:
            self._file = Descriptor(os.dup(file.fileno()))  # lives as long as its sources
        self._limits = limits
        self._size = 0
        self._checked = -_CHECK_ROOM_EVERY

    def keep(self, path: str, pieces: Iterable[bytes]) -> Bytes:
        """Write the bytes of a source down.

        Raises InputError when they begin with a line that no log has, or the disk is full.
        """
        base, lines = self._size, False
        for piece in pieces:
            self._write(path, piece)
            lines = lines or b"\n" in piece
            if not lines and self._size - base > self._limits.longest_line:
                self._size = base
                most = self._limits.longest_line >> 20
                raise InputError(f"{path} is no log: its first {most} MiB are one line", "give a plog")
        return Bytes(path, Stretch(self._file, base, self._size - base))

    def _write(self, path: str, piece: bytes) -> None:
        if self._size - self._checked >= _CHECK_ROOM_EVERY:
            self._limits.check_room(Path(tempfile.gettempdir()))
            self._checked = self._size
        view = memoryview(piece)
        try:
            os.lseek(self._file.number, self._size, os.SEEK_SET)
            while view:
                written = os.write(self._file.number, view)
                view = view[written:]
                self._size += written
        except OSError as error:
            text = f"{path} cannot be unpacked into {tempfile.gettempdir()}: {error.strerror or error}"
            raise InputError(text, "set TMPDIR to a folder with room") from error
