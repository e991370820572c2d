"""Opening what the user names as one store: files, folders, globs, archives, standard input.

What is found and how it is unpacked is the business of ``getrace.ingest``; here the sources become rows, are put in one
order, and what a selection leaves out is dropped. A log that the user names must be one; a log that was found in a
folder and cannot be read is left out with a warning, and the rest is answered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from getrace.errors import InputError, UsageError
from getrace.ingest.clocks import clock_offsets
from getrace.ingest.finding import Found, find
from getrace.ingest.follow import FollowStore
from getrace.ingest.kept_source import kept_of, restore
from getrace.ingest.limits import LIMITS, Limits
from getrace.ingest.merging import merge, perhaps_lost, rows_by_source, series
from getrace.ingest.opening import Room, open_path
from getrace.plog.file_store import FileStore
from getrace.plog.open_files import OpenFiles
from getrace.plog.pieces import join_pieces
from getrace.plog.reader import DialectCounts, Progress, read_source
from getrace.plog.scan_choice import chosen_scanner
from getrace.plog.scan_table import Scanner
from getrace.plog.source import Bytes
from getrace.store.column_files import ColumnFiles
from getrace.store.selection import Selection

if TYPE_CHECKING:
    from getrace.ingest.cache import Cache


def open_store(
    paths: Sequence[str],
    *,
    scanner: Scanner | None = None,
    progress: Progress | None = None,
    selection: Selection | None = None,
    limits: Limits = LIMITS,
    cache: "Cache | None" = None,
    jobs: int | None = None,
) -> FileStore:
    """Open logs as one store.

    Args:
        paths: files (plain or packed), archives, folders, globs, or ``-`` for standard input.
        scanner: reads a block of lines; without one, what ``GETRACE_SCANNER`` names, or the fastest that is there.
        progress: told (bytes done, bytes in all) of the source being read.
        selection: which records are wanted; all without it.
        limits: how much an archive may unpack to.
        jobs: the most workers that read a large log; None: threads of the compiled scanner only.
        cache: where large logs are kept once they were read; nowhere without it.

    Raises:
        InputError: a named file is missing, unreadable or no log, or a folder has no log.
    """
    wanted = selection or Selection()
    store = FileStore(ColumnFiles())
    reading = _Reading(store, scanner or chosen_scanner(), progress, wanted.while_reading(), cache, jobs)

    def together() -> None:
        _together(store)
        _select(store, wanted)

    _open(store, paths, limits, reading.read, together, OpenFiles())
    return store


def follow_store(
    paths: Sequence[str],
    *,
    scanner: Scanner | None = None,
    selection: Selection | None = None,
    grow: bool = True,
    cache: "Cache | None" = None,
) -> FollowStore:
    """Open logs as a store that is read while it is looked at: ``poll`` reads on.

    With ``grow`` files are followed as they grow, and new ones are looked for; without it they are read to their ends.
    Rows are there with the first poll; those of a log that was kept in the cache at once, where it does not grow.

    Raises:
        InputError: a named file is missing or unreadable, or a folder has no log.
        UsageError: the selection needs the whole log.
    """
    wanted = selection or Selection()
    if wanted.asks_whole_log:
        raise UsageError(
            "a log that grows cannot be selected by --stream or --iteration", "leave out --follow, or select by time"
        )
    store = FollowStore(
        scanner or chosen_scanner(),
        (lambda: _logs_now(paths)) if grow else None,
        selection=wanted.while_reading(),
        files=ColumnFiles(),
    )

    def take(data: Bytes) -> None:
        kept = None if grow or cache is None else cache.find(data)
        if kept is None:
            store.add(data)
        else:
            restore(store, data, kept)

    _open(store, paths, LIMITS, take, lambda: None, None)
    return store


def keep_read(store: FollowStore, cache: "Cache | None") -> None:
    """Keep a single log that was read to its end while it was looked at."""
    if cache is not None and len(store.sources) == 1 and not store.sources[0].left_out and not store.behind:
        cache.keep(store.data[0], kept_of(store, 0))


def _logs_now(paths: Sequence[str]) -> list[str]:
    """Give the logs that paths lead to now; none while there are none."""
    try:
        return [path for path, _ in find(path for path in paths if path != "-").logs]
    except InputError:
        return []


@dataclass(frozen=True, slots=True)
class _Reading:
    """How sources become rows of a store."""

    store: FileStore
    scanner: Scanner
    progress: Progress | None
    selection: Selection | None
    cache: "Cache | None"
    jobs: int | None

    def read(self, data: Bytes) -> None:
        """Append a source, from the cache where it was kept."""
        kept = None if self.cache is None else self.cache.find(data)
        if kept is not None:
            restore(self.store, data, kept)
            return
        first_row = self.store.rows
        read_source(self.store, data, self.scanner, self.progress, self.selection, self.jobs)
        source = self.store.sources[-1]
        whole = self.selection is None and not (data.broken or source.truncated or source.warnings)
        if self.cache is not None and whole:
            self.cache.keep(data, kept_of(self.store, first_row))


def _open(
    store: FileStore,
    paths: Sequence[str],
    limits: Limits,
    take: Callable[[Bytes], None],
    together: Callable[[], None],
    files: OpenFiles | None,
) -> None:
    """Find and unpack what paths lead to: each log goes to ``take``, and ``together`` follows the last one."""
    found, room = find(paths), Room(limits, files=files)
    try:
        _take_logs(store, found, room, take)
        if not store.sources:
            raise InputError(f"no readable log in {', '.join(paths)}", "; ".join(found.warnings))
        together()
        _read_graphs(store, [*found.graphs, *found.named_graphs], found.warnings)
        _read_packed_graphs(store, room, found.warnings)
    finally:
        room.dumps.close()
    store.sources[0].warnings.extend([*found.warnings, *room.dumps.warnings])


def _take_logs(store: FileStore, found: Found, room: Room, take: Callable[[Bytes], None]) -> None:
    for path, named in found.logs:
        try:
            logs = open_path(path, room)
            for data in logs:
                try:
                    take(data)
                except InputError as error:
                    if named and len(logs) == 1:
                        raise
                    found.warnings.append(error.message)
        except InputError as error:
            if named:
                raise
            found.warnings.append(error.message)
    if not store.sources and found.named_graphs:
        # No log beside it: read as one, it says what it is.
        for data in open_path(found.named_graphs[0], room):
            take(data)


def _together(store: FileStore) -> None:
    """Make one log of several: estimate their clocks, order their rows, join what GE split over two files."""
    if len(store.sources) < 2:
        return
    for number, offset in clock_offsets(store).items():
        store.sources[number].clock = offset
    groups = series(store)
    store.sources[0].warnings.extend(perhaps_lost(store, groups))
    merge(store, groups)
    if any(len(group) > 1 for group in groups):
        join_pieces(store, 0)
        rules = store.column("rule")
        for source, rows in zip(store.sources, rows_by_source(store), strict=True):
            source.dialects = DialectCounts().seen(rules[rows])


def _select(store: FileStore, wanted: Selection) -> None:
    """Drop what could not be left out while the sources were read, and the records beyond the number asked for."""
    if not wanted:
        return
    from getrace.analysis.selected import selected_rows  # noqa: PLC0415 - brings analyses, and most logs are read whole

    rows = selected_rows(store, wanted)
    if not len(rows):
        left = store.rows + sum(source.left_out for source in store.sources)
        text = f"the selection leaves no record: all {left:,} were left out"
        raise InputError(text, "widen it; `getrace stats --by module` without it tells what the logs hold")
    most = wanted.max_events
    cut = most is not None and len(rows) > most
    if len(rows) == store.rows and not cut:
        return
    before = [source.records for source in store.sources]
    store.keep(rows[:most])
    counts = np.bincount(store.column("source"), minlength=len(before)).tolist()
    lines = np.bincount(store.column("source"), store.column("lines"), minlength=len(before)).astype(np.int64).tolist()
    for number, source in enumerate(store.sources):
        source.left_out += before[number] - counts[number]
        source.records, source.lines = counts[number], lines[number]
        source.truncated = source.truncated or cut


def _read_graphs(store: FileStore, paths: Sequence[str], warnings: list[str]) -> None:
    if not paths:
        return
    from getrace.dumps.formats import read_dump, without_repeats  # noqa: PLC0415 - most logs come without a dump

    for path in without_repeats([Path(path) for path in paths]):
        try:
            store.graphs.append(read_dump(path))
        except InputError as error:
            warnings.append(error.message)


def _read_packed_graphs(store: FileStore, room: Room, warnings: list[str]) -> None:
    """Read the dumps of archives, and call them by what they are called there."""
    if not room.dumps.paths:
        return
    from getrace.dumps.formats import read_dump, without_repeats  # noqa: PLC0415 - most logs come without a dump

    for path in without_repeats(room.dumps.paths):
        shown = room.dumps.shown[str(path)]
        try:
            store.graphs.append(replace(read_dump(path), source=shown))
        except InputError as error:
            warnings.append(error.message.replace(str(path), shown))
