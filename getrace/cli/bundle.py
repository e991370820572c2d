"""The bundle that ``run --out`` writes: plogs as a real machine would, graph dumps, inputs and outputs.

Layout: ``debug/plog/plog-<pid>_<17 digits>.log`` as on a real machine, ``graphs/ge_proto_*.txt``, ``inputs/*.npy``,
``outputs/*.npy``, and ``bundle.txt``, which names every file of the bundle: a later run may replace these and nothing
else, and never follows a link out of the folder. The folder is prepared before the run, so that a path that cannot be
written is known before any work is done.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from getrace import __version__
from getrace.bus import Bus
from getrace.dumps.ge_proto import ge_proto_file_name, write_ge_proto
from getrace.dumps.snapshot import GraphSnapshot
from getrace.errors import UsageError
from getrace.plog.writer import PlogWriter

_FOLDERS = {"debug/plog": "plog-*.log", "graphs": "ge_proto_*.txt", "inputs": "*.npy", "outputs": "*.npy"}
_MARK = "bundle.txt"
_OTHER_FOLDER = "give --out a new or an empty folder"
_UNSAFE = re.compile(r"[^\w.-]+")

Arrays = Mapping[str, npt.NDArray[Any]]


class Bundle:
    """A folder that a run is written into."""

    def __init__(self, root: Path) -> None:
        """Prepare the folders. Raises UsageError when they cannot be made, or hold files of others."""
        self.root = root
        with _sentence_for(root):
            root.mkdir(parents=True, exist_ok=True)
            _clear_bundle(root)
            (root / _MARK).write_text(f"made by getrace {__version__}; a new run replaces these files:\n", "utf-8")
            for name in _FOLDERS:
                (root / name).mkdir(parents=True, exist_ok=True)
        self._writer = PlogWriter(root, opening=self._name)

    def listen(self, bus: Bus) -> None:
        """Write what happens on a bus into the plog."""
        bus.subscribe(self._writer)

    def finish(self, snapshots: Iterable[GraphSnapshot], inputs: Arrays, outputs: Arrays) -> None:
        """Close the plog, and write what is known only after the run. Raises UsageError when it cannot be written."""
        with _sentence_for(self.root):
            self._writer.close()
            for number, snapshot in enumerate(snapshots):
                path = self._name(self.root / "graphs" / ge_proto_file_name(number, snapshot))
                path.write_text(write_ge_proto(snapshot), encoding="utf-8")
            for folder, arrays in (("inputs", inputs), ("outputs", outputs)):
                for name, stem in _stems(arrays).items():
                    np.save(self._name(self.root / folder / f"{stem}.npy"), arrays[name])

    def _name(self, path: Path) -> Path:
        """Write a file's name into the mark before the file is there: a run that breaks off leaves nothing unnamed."""
        with (self.root / _MARK).open("a", encoding="utf-8") as mark:
            mark.write(f"{path.relative_to(self.root).as_posix()}\n")
        return path


def _stems(names: Iterable[str]) -> dict[str, str]:
    """Give each name a file name of its own; a name that is one already keeps it.

    Case makes no difference, for it makes none on some file systems.
    """
    stems: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(names, key=lambda name: _UNSAFE.search(name) is not None):
        safe = stem = _UNSAFE.sub("_", name)
        number = 1
        while stem.casefold() in taken:
            number += 1
            stem = f"{safe}-{number}"
        taken.add(stem.casefold())
        stems[name] = stem
    return stems


def _clear_bundle(root: Path) -> None:
    """Take away what an earlier run wrote; a folder without our mark is somebody's own and must be empty."""
    if not any(root.iterdir()):
        return
    mark = root / _MARK
    if mark.is_symlink() or not mark.is_file():
        raise UsageError(f"{root} is not empty and no bundle of getrace", _OTHER_FOLDER)
    for name in _FOLDERS:
        if (root / name).resolve() != root.resolve() / name:
            raise UsageError(f"{root / name} is a link to another place", _OTHER_FOLDER)
    ours = set(mark.read_text("utf-8", "replace").splitlines()[1:])
    found = [path for name, pattern in _FOLDERS.items() for path in sorted((root / name).glob(pattern))]
    for path in found:
        if path.relative_to(root).as_posix() not in ours:
            raise UsageError(f"{path} is not of the bundle that {mark} names", _OTHER_FOLDER)
    for path in found:
        path.unlink()


@contextmanager
def _sentence_for(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {root}: {error.strerror}", "give --out a folder you may write") from error
