"""Opening what the user names: files, folders, globs, standard input, as one store.

A folder is searched for plogs, device logs and graph dumps; several logs are merged by time. A file that the user names
must be a log; a file that was found in a folder and is none is skipped with a warning.
"""

import contextlib
import fnmatch
import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from getrace.dumps.ge_proto import read_ge_proto
from getrace.errors import InputError
from getrace.plog.file_store import FileStore
from getrace.plog.reader import Progress, merge_by_time, read_source
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_table import Scanner
from getrace.plog.source import open_bytes

LOG_PATTERNS = ("plog-*.log", "device-*.log", "plog-*.log.gz", "plog-*.log.zst", "device-*.log.gz", "device-*.log.zst")
GRAPH_PATTERNS = ("ge_proto_*.txt", "ge_proto_*.txt.gz")


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
    logs, graphs = _find(paths, warnings)
    for path, named in _once(logs, warnings):
        try:
            read_source(store, open_bytes(path), scanner, progress)
        except InputError as error:
            if named:
                raise
            warnings.append(error.message)
    if not store.sources:
        raise InputError(f"no readable log in {', '.join(paths)}", "; ".join(warnings))
    if len(store.sources) > 1:
        merge_by_time(store)
    _read_graphs(store, graphs, warnings)
    store.sources[0].warnings.extend(warnings)
    return store


def _find(paths: Sequence[str], warnings: list[str]) -> tuple[list[tuple[str, bool]], list[str]]:
    """Give the logs, each with whether the user named it, and the graph dumps."""
    logs: list[tuple[str, bool]] = []
    graphs: list[str] = []
    for path in paths:
        if path == "-" or (Path(path).exists() and not Path(path).is_dir()):
            logs.append((path, True))
        elif Path(path).is_dir():
            found = _search(Path(path), LOG_PATTERNS)
            if not found:
                raise InputError(
                    f"{path} holds no log: looked for {' and '.join(LOG_PATTERNS[:2])} in it and below",
                    "logs lie in ascend/log/debug/plog; name a file to open one of another name",
                )
            logs.extend((log, False) for log in found)
            graphs.extend(_search(Path(path), GRAPH_PATTERNS))
        else:
            matches = sorted(glob.glob(path)) if glob.has_magic(path) else [path]  # noqa: PTH207 - the user's own glob
            if not matches:
                raise InputError(f"{path}: nothing matches", "quote the pattern, or check the folder")
            more, drawn = _find(matches, warnings) if glob.has_magic(path) else ([(path, True)], [])
            logs.extend(more)
            graphs.extend(drawn)
    return logs, graphs


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
    for path in paths:
        try:
            store.graphs.append(read_ge_proto(Path(path)))
        except InputError as error:
            warnings.append(error.message)
