"""The cache: what reading a large log gave, kept so that it need not be read again.

Theory of operation. An entry is found by the content of a log and by the code that read it, and it is used only when
the file has not been touched since: samples cannot see every byte. Entries are written beside their place and moved, so
two instances on one log do not meet; the one that comes second finds the lock taken and does not write. Nothing here
may stop an answer: without room or right the log is read as if there were no cache, and that is told.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from getrace.errors import UsageError
from getrace.ingest.cache_entry import BrokenEntryError, Kept, nbytes, read_entry, write_entry
from getrace.ingest.content_key import content_key
from getrace.ingest.file_lock import file_lock
from getrace.plog.source import Bytes

Tell = Callable[[str], object]
"""Told a sentence that concerns this run of the tool, and not the answer."""

SMALLEST = 8 << 20
"""Bytes of a log from which on it is kept: smaller ones are read as fast as their entry would be."""
LIMIT = 8 << 30
"""Bytes that all entries together may have; the variable GETRACE_CACHE_SIZE sets another limit."""
_SPARE = 256 << 20  # what stays free on the disk
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_ROOT = Path(__file__).resolve().parent.parent
_CODE = ("plog", "store", "events", "ingest", "clock.py", "ids.py")


@dataclass(slots=True)
class Cache:
    """A folder of entries; ``tell`` is told what went wrong and what is made anew."""

    folder: Path
    tell: Tell
    limit: int = LIMIT
    smallest: int = SMALLEST
    _version: str = field(default="", init=False)

    def find(self, data: Bytes) -> Kept | None:
        """Give what is kept of a log; None when it has to be read. A broken or stale entry is removed."""
        if data.identity is None or len(data) < self.smallest:
            return None
        try:
            folder = self._place(data)
            kept = read_entry(folder)
        except FileNotFoundError:
            return None
        except BrokenEntryError as error:
            self.tell(f"the cache of {data.path} is broken ({error.message}): the log is read again")
            self._remove(folder)
            return None
        except OSError as error:
            self.tell(f"the cache in {self.folder} cannot be read ({error.strerror or error}): the log is read instead")
            return None
        if kept.facts.get("changed_ns") != data.identity.changed_ns:
            self.tell(f"{data.path} was changed since it was read last: it is read again")
            self._remove(folder)
            return None
        with contextlib.suppress(OSError):
            os.utime(folder)  # used now: the entry that was not used for the longest time goes first
        return kept

    def keep(self, data: Bytes, kept: Kept) -> None:
        """Keep what reading a log gave; whatever hinders it is told, and no error."""
        if data.identity is None or len(data) < self.smallest or not data.untouched():
            return
        kept.facts["changed_ns"] = data.identity.changed_ns
        size = nbytes(kept.columns)
        if size > self.limit:
            return
        try:
            self._make_folder()
            place = self._place(data)
            with file_lock(place.with_suffix(".lock")) as ours:
                if ours and not place.exists():
                    self._make_room(size)
                    self._write(place, kept)
        except OSError as error:
            self.tell(f"{data.path} is not kept in {self.folder}: {error.strerror or error}")

    def _write(self, place: Path, kept: Kept) -> None:
        beside = Path(tempfile.mkdtemp(prefix="writing-", dir=self.folder))
        try:
            write_entry(beside, kept)
            beside.rename(place)
        except BaseException:
            self._remove(beside)
            raise

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and self.folder.stat().st_uid != os.getuid():
            raise PermissionError(1, "the folder belongs to somebody else")

    def _make_room(self, size: int) -> None:
        """Remove entries that were not used for the longest time until there is room for one more."""
        entries = sorted(self._entries(), key=lambda entry: entry[0])
        total = sum(held for _, held, _ in entries)
        for _, held, folder in entries:
            if total + size <= self.limit:
                break
            self._remove(folder)
            total -= held
        if shutil.disk_usage(self.folder).free < size + _SPARE:
            raise OSError(28, "the disk has no room for it")

    def _entries(self) -> Iterator[tuple[int, int, Path]]:
        """Give (when last used, bytes, folder) of all entries, also of those that a dead writer left."""
        for folder in self.folder.iterdir():
            with contextlib.suppress(OSError):  # another instance may have removed it
                if folder.is_dir() and not folder.is_symlink():
                    yield folder.stat().st_mtime_ns, sum(file.stat().st_size for file in folder.iterdir()), folder

    def _place(self, data: Bytes) -> Path:
        if not self._version:
            self._version = code_version(_ROOT)
        return self.folder / f"{content_key(data)}-{self._version}"

    def _remove(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            folder.with_suffix(".lock").unlink()


def cache_of(environment: Mapping[str, str], tell: Tell) -> Cache | None:
    """Give the cache that the environment asks for: GETRACE_CACHE (``off``), GETRACE_CACHE_SIZE, XDG_CACHE_HOME.

    Raises UsageError for a value that says nothing.
    """
    choice = environment.get("GETRACE_CACHE", "on").strip().lower()
    if choice in ("off", "0", "no", "false"):
        return None
    if choice not in ("on", "1", "yes", "true", ""):
        raise UsageError(f"GETRACE_CACHE={choice!r} says neither on nor off", "set it to off, or leave it unset")
    home = environment.get("XDG_CACHE_HOME", "")
    if not Path(home).is_absolute():  # the rule for XDG variables: a relative one counts as unset
        try:
            home = str(Path.home() / ".cache")
        except RuntimeError:
            return None  # nobody's process: nowhere to keep anything
    return Cache(Path(home) / "getrace", tell, _limit(environment.get("GETRACE_CACHE_SIZE", "")))


def _limit(text: str) -> int:
    if not text:
        return LIMIT
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if unit not in _UNITS or not number.isdecimal():
        raise UsageError(f"GETRACE_CACHE_SIZE={text!r} is no size", "for example GETRACE_CACHE_SIZE=2G")
    return int(number) * _UNITS[unit]


def code_version(root: Path) -> str:
    """Give a digest of the code whose work is kept: the grammar, the scanners, the columns. Other code, other entry.

    The compiled scanner counts as it was built: its source says nothing about what runs.
    """
    digest = hashlib.blake2b(digest_size=6)
    for place in (root / name for name in _CODE):
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.suffix in (".py", ".so", ".pyd"):
                digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()
