"""Open files of the system: how long each stays open, and that a folder of thousands of logs does not need thousands.

A system allows a process some hundred open files. A log that is only read again now and then is closed when others are
wanted, and opened again by its path; then it must be the same file still.
"""

import os
import threading
from collections import OrderedDict
from typing import Protocol

from getrace.errors import ChangedError

MOST = 200
"""Logs of one store that are open at once."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
"""Without waiting: a pipe that has taken the name of a log would be waited for until somebody writes."""


class Descriptor:
    """An open file, closed with the last one who holds this: sources share a spool."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)

    def take(self) -> "Descriptor":
        """Give the open file, to be held while it is used."""
        return self


class OpenFile(Protocol):
    """A file that can be read at any time."""

    def take(self) -> Descriptor:
        """Give the open file, to be held while it is used. Raises ChangedError when it is not there any more."""
        ...


def opened(path: str) -> Descriptor:
    """Open a file for reading. Raises OSError."""
    return Descriptor(os.open(path, _FLAGS))


class OpenFiles:
    """Files of which only so many are open at once; the one that was not used for the longest time is closed first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._open: OrderedDict[str, Descriptor] = OrderedDict()
        self._files: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def add(self, path: str, file: Descriptor) -> "SharedFile":
        """Take over an open file."""
        about = os.fstat(file.number)
        with self._lock:
            self._files[path] = about.st_dev, about.st_ino
            self._hold(path, file)
        return SharedFile(self, path)

    def take(self, path: str) -> Descriptor:
        """Give a file that was added, opened again if need be."""
        with self._lock:
            file = self._open.get(path)
            if file is None:
                file = self._again(path)
                self._hold(path, file)
            else:
                self._open.move_to_end(path)
            return file

    def _hold(self, path: str, file: Descriptor) -> None:
        self._open[path] = file
        if len(self._open) > self._most:
            self._open.popitem(last=False)

    def _again(self, path: str) -> Descriptor:
        try:
            file = opened(path)
        except OSError as error:
            raise ChangedError(f"{path} cannot be opened again: {error.strerror or error}", "open it again") from error
        about = os.fstat(file.number)
        if (about.st_dev, about.st_ino) != self._files[path]:
            raise ChangedError(f"{path} is another file than it was", "open it again")
        return file


class SharedFile:
    """One file of ``OpenFiles``."""

    def __init__(self, files: OpenFiles, path: str) -> None:
        self._files = files
        self._path = path

    def take(self) -> Descriptor:
        """Give the open file, to be held while it is used."""
        return self._files.take(self._path)
