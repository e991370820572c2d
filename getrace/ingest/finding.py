"""What the user's paths mean: files, the files of folders and globs, and which of them are logs or graph dumps.

A folder is searched for logs and dumps by GE's names, and by content where no log has such a name. A file that the user
names must be what it is taken for; one that was found may be something else, and then it is left out with a warning.
"""

import contextlib
import glob
import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from getrace.errors import InputError
from getrace.ingest.members import is_tar, is_zip
from getrace.ingest.names import LOG_STEMS, is_dump_name, is_log_name
from getrace.ingest.packed import Unpacking, form_of
from getrace.plog.sniff import is_plog

_HEAD = 65536


@dataclass(slots=True)
class Found:
    """What paths lead to: logs, each with whether the user named it, and graphs; ``warnings`` of what was left out."""

    logs: list[tuple[str, bool]] = field(default_factory=list)
    graphs: list[str] = field(default_factory=list)
    named_graphs: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def find(paths: Iterable[str]) -> Found:
    """Find logs and graphs. Raises InputError for a folder or glob without any."""
    found = Found()
    for path in paths:
        _find(found, path)
    found.logs = list(_once(found.logs, found.warnings))
    return found


def _find(found: Found, path: str) -> None:
    if not path:
        raise InputError("the name of a log is empty", "is a variable of the script unset?")
    mode = _mode(path) if path != "-" else None
    if mode is not None and stat.S_ISDIR(mode):
        _find_in_folder(found, path)
    elif path == "-" or mode is not None:
        (found.named_graphs.append(path) if _holds_a_graph(path) else found.logs.append((path, True)))
    elif glob.has_magic(path):
        matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - the user's own glob
        if not matches:
            raise InputError(f"{path}: nothing matches", "quote the pattern, or check the folder")
        for match in matches:
            _find(found, match)
    else:
        found.logs.append((path, True))


def _find_in_folder(found: Found, folder: str) -> None:
    files = list(_files(folder, found.warnings))
    logs, graphs = _chosen(files, is_log_name), _chosen(files, is_dump_name)
    if not logs:
        # Collected by hand, as for a report: files of any name.
        logs = _chosen(files, _reads_like_logs)
        graphs = _chosen(files, _holds_a_graph)
    if not logs:
        looked = " and ".join(LOG_STEMS)
        raise InputError(
            f"{folder} holds no log: looked for {looked}, then for files that read like one",
            "logs lie in ascend/log/debug/plog; a log without module and process in its lines is not one of GE's",
        )
    found.logs.extend((log, False) for log in logs)
    found.graphs.extend(graphs)


def _chosen(files: list[str], wanted: Callable[[str], bool]) -> list[str]:
    return sorted(path for path in files if wanted(path) and _may_be_read(path))


def _mode(path: str) -> int | None:
    """Give what a path leads to; None where there is nothing, or where nobody may look: who opens it says why."""
    try:
        return Path(path).stat().st_mode
    except OSError:
        return None


def _may_be_read(path: str) -> bool:
    """Say whether a path leads to an ordinary file; one in a folder that hides it is kept, so that it is told."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


def _holds_a_graph(path: str) -> bool:
    """Say whether a file is a dump or a model. One that begins as a log is told without the readers of all those."""
    if _reads_like_logs(path):
        return False
    from getrace.dumps.formats import holds_a_graph  # noqa: PLC0415 - to have them costs more than to read a small log

    return holds_a_graph(Path(path))


def _reads_like_logs(path: str) -> bool:
    """Say whether an ordinary file is a log by its first bytes, packed or not, or an archive that may hold some."""
    try:
        if not Path(path).is_file():
            return False  # a pipe would be waited for
        with Path(path).open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False  # the reader of logs says what is wrong where it is named
    form = form_of(head)
    if form is not None:
        head = next(iter(Unpacking(form, io.BytesIO(head))), b"")
    return is_plog(head) or is_tar(head) or is_zip(head)


def _once(logs: list[tuple[str, bool]], warnings: list[str]) -> Iterator[tuple[str, bool]]:
    """Leave out a file that was named before: counted twice, its errors would look like two failures."""
    seen: set[tuple[int, int]] = set()
    piped: set[str] = set()
    for path, named in logs:
        if path == "-":
            if "-" in piped:
                warnings.append("standard input was given twice and read once")
                continue
            piped.add(path)
        with contextlib.suppress(OSError):  # standard input, or missing: the one who opens it says so
            about = Path(path).stat()
            if (about.st_dev, about.st_ino) in seen:
                warnings.append(f"{path} was given twice and read once")
                continue
            seen.add((about.st_dev, about.st_ino))
        yield path, named


def _files(folder: str, warnings: list[str]) -> Iterator[str]:
    """Walk a folder and what is below it; links to folders are not followed, and a closed folder is told."""

    def forbidden(error: OSError) -> None:
        warnings.append(f"{error.filename} cannot be read: {error.strerror or error}")

    for place, _, names in os.walk(folder, onerror=forbidden):
        for name in names:
            yield os.path.join(place, name)  # noqa: PTH118 - the folder is kept as the user wrote it
