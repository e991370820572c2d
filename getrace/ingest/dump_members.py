"""The graph dumps of archives: files for a moment, since their readers want paths, under names that we chose.

They lie in a folder of their own that is removed with this object. Only the last part of a member's name is kept, made
of harmless characters, as the readers know a format by it.
"""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

_ODD = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST_NAME = 150
_MOST_BYTES = 1 << 30


class DumpMembers:
    """Dumps of archives by the path that is shown for them; ``warnings`` says what was left out."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.shown: dict[str, str] = {}
        self.warnings: list[str] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._folders: dict[str, int] = {}
        self._size = 0

    def keep(self, shown: str, pieces: Iterator[bytes]) -> None:
        """Write a dump down. One that would make all of them larger than a limit is left out, with a warning."""
        target = self._place(shown)
        with target.open("wb") as file:
            for piece in pieces:
                self._size += len(piece)
                if self._size > _MOST_BYTES:
                    self.warnings.append(f"{shown} was left out: the dumps of the archive are more than 1 GiB")
                    return
                file.write(piece)
        self.paths.append(target)
        self.shown[str(target)] = shown

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.cleanup()

    def _place(self, shown: str) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="getrace-")
        above, _, name = shown.rpartition("/")
        # A number for each folder: dumps of one folder are of one process, and are compared with each other only.
        folder = Path(self._folder.name) / str(self._folders.setdefault(above, len(self._folders)))
        folder.mkdir(exist_ok=True)
        return folder / _ODD.sub("_", name)[-_LONGEST_NAME:]
