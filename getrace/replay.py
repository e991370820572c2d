"""Opening what the user names: files, folders, globs, standard input, as one store.

A folder is searched for plogs, device logs and graph dumps by GE's names, and by content where no log has such a name;
several logs are merged by time. A file that the user names must be a log, or a file with a graph beside a log; a file
that was found in a folder and is none is skipped with a warning.
"""

import contextlib
import fnmatch
import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from getrace.dumps.formats import FORMATS, holds_a_graph, read_dump, without_repeats
from getrace.dumps.text_source import head_of_file
from getrace.errors import InputError
from getrace.plog.file_store import FileStore
from getrace.plog.reader import Progress, merge_by_time, read_source
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_table import Scanner
from getrace.plog.sniff import is_plog
from getrace.plog.source import open_bytes

LOG_PATTERNS = ("plog-*.log", "device-*.log", "plog-*.log.gz", "plog-*.log.zst", "device-*.log.gz", "device-*.log.zst")
GRAPH_PATTERNS = tuple(pattern for row in FORMATS for pattern in row.patterns)
_HEAD = 65536


def open_store(
    paths: Sequence[str], *, scanner: Scanner = numpy_scanner, progress: Progress | None = None
) -> FileStore:
    """Open logs as one store.

    Args:
        paths: files (plain, .gz, .zst), folders, globs, or ``-`` for standard input.
        scanner: reads a block of lines; the numpy scanner unless a test wants the table's own.
        progress: told (bytes done, bytes in all) of the source being read.

    Raises:
        InputError: a named file is missing, unreadable or no log, or a folder has no log.
    """
    store = FileStore()
    warnings: list[str] = []
    found = _Found()
    for path in paths:
        _find(found, path)
    for path, named in _once(found.logs, warnings):
        try:
            read_source(store, open_bytes(path), scanner, progress)
        except InputError as error:
            if named:
                raise
            warnings.append(error.message)
    if not store.sources and found.named_graphs:
        # No log beside it: read as one, it says what it is.
        read_source(store, open_bytes(found.named_graphs[0]), scanner, progress)
    if not store.sources:
        raise InputError(f"no readable log in {', '.join(paths)}", "; ".join(warnings))
    if len(store.sources) > 1:
        merge_by_time(store)
    _read_graphs(store, [*found.graphs, *found.named_graphs], warnings)
    store.sources[0].warnings.extend(warnings)
    return store


@dataclass(slots=True)
class _Found:
    """What the user's paths hold: logs, each with whether the user named it, and graphs."""

    logs: list[tuple[str, bool]] = field(default_factory=list)
    graphs: list[str] = field(default_factory=list)
    named_graphs: list[str] = field(default_factory=list)


def _find(found: _Found, path: str) -> None:
    if path != "-" and Path(path).is_dir():
        _find_in_folder(found, path)
    elif path == "-" or Path(path).exists():
        (found.named_graphs.append(path) if holds_a_graph(Path(path)) else found.logs.append((path, True)))
    elif glob.has_magic(path):
        matches = sorted(glob.glob(path))  # noqa: PTH207 - the user's own glob
        if not matches:
            raise InputError(f"{path}: nothing matches", "quote the pattern, or check the folder")
        for match in matches:
            _find(found, match)
    else:
        found.logs.append((path, True))


def _find_in_folder(found: _Found, folder: str) -> None:
    logs, graphs = _search(Path(folder), LOG_PATTERNS), _search(Path(folder), GRAPH_PATTERNS)
    if not logs:
        # Collected by hand, as for a report: files of any name.
        others = _search(Path(folder), ("*",))
        logs = [path for path in others if is_plog(_head(path))]
        graphs = [path for path in others if holds_a_graph(Path(path))]
    if not logs:
        raise InputError(
            f"{folder} holds no log: looked for {' and '.join(LOG_PATTERNS[:2])}, then for files that read like one",
            "logs lie in ascend/log/debug/plog; a log without module and process in its lines is not one of GE's",
        )
    found.logs.extend((log, False) for log in logs)
    found.graphs.extend(graphs)


def _head(path: str) -> bytes:
    """Give the first bytes of an ordinary file, b"" where there is none: the reader of logs says what is wrong."""
    try:
        return head_of_file(Path(path), _HEAD)
    except OSError:
        return b""


def _once(logs: list[tuple[str, bool]], warnings: list[str]) -> Iterator[tuple[str, bool]]:
    """Leave out a file that was named before: counted twice, its errors would look like two failures."""
    seen: set[tuple[int, int]] = set()
    for path, named in logs:
        with contextlib.suppress(OSError):  # standard input, or missing: the one who opens it says so
            about = Path(path).stat()
            if (about.st_dev, about.st_ino) in seen:
                warnings.append(f"{path} was given twice and read once")
                continue
            seen.add((about.st_dev, about.st_ino))
        yield path, named


def _search(folder: Path, patterns: Sequence[str]) -> list[str]:
    """Find ordinary files by name in a folder and below, in one walk; links to folders are not followed."""
    found = (
        os.path.join(place, name)  # noqa: PTH118 - the folder is kept as the user wrote it
        for place, _, names in os.walk(folder)
        for name in names
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    )
    return sorted(path for path in found if Path(path).is_file())


def _read_graphs(store: FileStore, paths: Sequence[str], warnings: list[str]) -> None:
    for path in without_repeats([Path(path) for path in paths]):
        try:
            store.graphs.append(read_dump(path))
        except InputError as error:
            warnings.append(error.message)
