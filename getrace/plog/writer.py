"""The plog writer: a sink of the bus that writes files as the host's log library does.

Files are ``debug/plog/plog-<pid>_<17 digits>.log`` under the log root, at most 20 MiB each, ending on a record
boundary (spec/kerneltrace.md 1.8). Old files are not deleted: a simulation that loses its beginning helps nobody.
"""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Self

from getrace.clock import plog_time
from getrace.errors import UsageError
from getrace.events import Event, Level, Origin
from getrace.events.graphs import GraphEvent
from getrace.plog.row import RT2_2026
from getrace.plog.spelling import spell_lines

MAX_BYTES = 20 * 1024 * 1024
_BUFFER = 1 << 20


class PlogWriter:
    """Writes each event it is given; ``files`` are the paths written so far. Close it, or use it as a context.

    ``opening`` is told of each path before a file is made there.
    """

    def __init__(
        self,
        root: Path,
        *,
        dialect: str = RT2_2026,
        max_bytes: int = MAX_BYTES,
        opening: Callable[[Path], object] | None = None,
    ) -> None:
        self.files: list[Path] = []
        self._folder = root / "debug" / "plog"
        self._dialect = dialect
        self._max_bytes = max_bytes
        self._opening = opening
        self._file: BinaryIO | None = None
        self._written = 0
        self._last = 0

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        """Write one event. What is said about graphs is no text and is left out."""
        if isinstance(event, GraphEvent):
            return
        lines = spell_lines(time_ns, origin, level, kernel, event, self._dialect)
        data = "".join([f"{line}\n" for line in lines]).encode("utf-8", "surrogateescape")
        if self._file is None or self._written + len(data) > self._max_bytes:
            self._open(time_ns, origin.pid)
        assert self._file is not None
        self._file.write(data)
        self._written += len(data)
        self._last = len(data)

    def _open(self, time_ns: int, pid: int) -> None:
        self.close()
        stamp = "".join(letter for letter in plog_time(time_ns) if letter.isdigit())[:17]
        path = self._folder / f"plog-{pid}_{stamp}.log"
        while path in self.files:
            path = path.with_name(f"plog-{pid}_{int(path.stem.rpartition('_')[2]) + 1}.log")
        try:
            if self._opening is not None:
                self._opening(path)
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb", buffering=_BUFFER)
        except OSError as error:
            raise UsageError(f"cannot write the log {path}: {error.strerror or error}") from error
        self.files.append(path)
        self._written = 0

    def tear(self) -> None:
        """Close the current file in the middle of its last record, as a process leaves it that was killed."""
        if self._file is not None:
            self._file.flush()
            self._file.truncate(self._written - self._last // 2 - 1)
        self.close()

    def close(self) -> None:
        """Flush and close the current file; the next event opens a new one."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
