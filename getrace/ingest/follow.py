"""Logs that grow while they are looked at: what was added since the last poll becomes rows at the end.

Theory of operation. A log is read up to its last whole line; a poll reads on from there, for a bounded time. A file
that is shorter than what was read of it was cut and begins again; another file under the same name takes over when the
old one has been read to its end; and once a second new files are looked for, as GE begins one every 20 MiB
(spec/kerneltrace.md 1.8). Rows never move once they were shown, so of several logs only what the first poll found, and
what one poll adds, is in the order of time.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from getrace.errors import InputError
from getrace.ingest.followed_file import FollowedFile
from getrace.ingest.merging import merge, series
from getrace.ingest.names import is_log_name, series_of
from getrace.ingest.packed import LONGEST_MAGIC, form_of
from getrace.plog.file_store import FileStore
from getrace.plog.pieces import join_pieces
from getrace.plog.scan_table import Scanner
from getrace.plog.source import Bytes, Identity, open_plain
from getrace.store.columns import Files
from getrace.store.selection import Selection
from getrace.store.store import Source

BUDGET = 0.04
"""Seconds that a poll may read: a screen polls 15 times a second and has to be drawn in between."""
LOOK_EVERY = 1.0
"""Seconds between two looks for new files."""
AT_ONCE = 64 << 20
"""Bytes of several logs that the first poll reads whole, so that they are merged by time."""

Clock = Callable[[], float]
Finder = Callable[[], Sequence[str]]
"""Gives the logs that there are now."""


class FollowStore(FileStore):
    """Rows of logs that grow. ``poll`` reads what is new; everything else is as in any store over files.

    ``find`` gives the logs that there are, asked once a second; without it the store reads what it was given to its
    end, and ``behind`` is 0 then.
    """

    def __init__(
        self,
        scanner: Scanner,
        find: Finder | None,
        *,
        selection: Selection | None = None,
        files: Files | None = None,
        clock: Clock = time.monotonic,
        budget: float = BUDGET,
    ) -> None:
        super().__init__(files)
        self._scanner = scanner
        self._find = find
        self._selection = selection
        self._clock = clock
        self._budget = budget
        self._followed: list[FollowedFile] = []
        self._seen: set[tuple[int, int]] = set()
        self._next_look = clock() + LOOK_EVERY
        self._unjoined = 0
        self._begun = False
        self.lenient = True

    @property
    def behind(self) -> int:
        """Bytes that are known to be there and were not read yet."""
        return sum(each.behind for each in self._followed)

    def add(self, data: Bytes) -> None:
        """Read a log from its beginning, in the polls to come."""
        if data.identity is not None:
            self._seen.add(_file(data.identity))
            for old in self._followed:
                old.replaced = old.replaced or old.data.path == data.path
        number = len(self.sources)
        self.sources.append(Source(data.path, warnings=list(data.warnings), broken=data.broken))
        self.data.append(data)
        growing = self._find is not None and data.identity is not None
        scan = self._scanner(self.names)
        self._followed.append(FollowedFile(self, number, scan, self._selection, growing=growing))

    def poll(self) -> int:
        """Read what was added, for a bounded time; give the number of rows."""
        start, now = self.rows, self._clock()
        if self._find is not None and now >= self._next_look:
            self._next_look = now + LOOK_EVERY
            self._look(self._find)
        whole = not self._begun and len(self._followed) > 1 and self.behind <= AT_ONCE
        grown = self._read(None if whole else now + self._budget)
        if self.rows > start:
            self._together(start, grown)
        self._begun = True
        return self.rows

    def _read(self, deadline: float | None) -> list[FollowedFile]:
        """Read on in all logs; give those with new rows."""
        grown = []
        for each in list(self._followed):
            if each.was_cut:
                self._begin_again(each)
                continue
            if each.advance(deadline, self._clock):
                grown.append(each)
            if each.finished:
                self._followed.remove(each)
        return grown

    def _together(self, start: int, grown: list[FollowedFile]) -> None:
        """Put new rows in order, join what GE split, and bring the sources up to date."""
        if len(grown) > 1:
            if start == 0:
                merge(self, series(self))
            else:
                self._order(start)
            for each in self._followed:
                each.assembly.moved(start)
        join_pieces(self, min(self._unjoined, start))
        self._unjoined = start
        for each in grown:
            each.describe(start)

    def _order(self, start: int) -> None:
        """Put the rows of one poll in the order of their times, each source keeping its own."""
        times, source = self.column("time")[start:].copy(), self.column("source")[start:]
        for number in np.unique(source):
            own = source == number
            times[own] = np.maximum.accumulate(times[own])
        self.columns.order_from(start, np.argsort(times, kind="stable"))

    def _begin_again(self, each: FollowedFile) -> None:
        """Read a log anew that holds fewer bytes than were read of it."""
        self._followed.remove(each)
        self.forget(each.number)
        source = self.sources[each.number]
        source.cut = True
        source.warnings.append(f"{each.data.path} was cut while it was followed: it begins again")
        self._open(each.data.path)

    def _look(self, find: Finder) -> None:
        """Find files that are new, and new files under the names of old ones."""
        for path in dict.fromkeys([*find(), *self._siblings()]):
            try:
                about = Path(path).stat()
            except OSError:
                continue  # gone again, or not there yet
            if (about.st_dev, about.st_ino) not in self._seen:
                self._open(path)

    def _siblings(self) -> Iterator[str]:
        """Give the files of GE beside a followed one that are later parts of the same log."""
        for each in self._followed:
            place = Path(each.data.path)
            if each.growing and is_log_name(place.name):
                for name in _names_in(place.parent):
                    path = str(place.parent / name)
                    if is_log_name(name) and name > place.name and series_of(path) == series_of(str(place)):
                        yield path

    def _open(self, path: str) -> None:
        """Follow a file from its beginning; a packed one is a log that was read before it was packed."""
        try:
            data = open_plain(path)
        except InputError as error:
            if error.message not in self.sources[0].warnings:
                self.sources[0].warnings.append(error.message)
            return
        if form_of(data.read(0, LONGEST_MAGIC)) is None:
            self.add(data)
        elif data.identity is not None:
            self._seen.add(_file(data.identity))


def _names_in(folder: Path) -> list[str]:
    """Give the names in a folder; none where it is gone or closed by now."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names are enough
    except OSError:
        return []


def _file(identity: Identity) -> tuple[int, int]:
    return identity.device, identity.inode
