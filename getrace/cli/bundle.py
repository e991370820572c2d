"""The bundle that ``run --out`` writes: plogs as a real machine would, graph dumps, inputs and outputs.

Layout: ``debug/plog/plog-<pid>_<17 digits>.log`` as on a real machine, ``graphs/ge_proto_*.txt``, ``inputs/*.npy``,
``outputs/*.npy``, and ``bundle.txt`` as the mark that all of it may be replaced. The folder is prepared before the run,
so that a path that cannot be written is known before any work is done. It is filled below ``.partial`` and moved up
when all is there: a run that breaks off leaves no half a bundle, and does not take away the one before.
"""

import contextlib
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

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
_PARTIAL = ".partial"
_UNSAFE = re.compile(r"[^\w.-]+")

Arrays = Mapping[str, npt.NDArray[Any]]


class Bundle:
    """A folder that a run is written into; as a context, it is left as it was unless the run is finished."""

    def __init__(self, root: Path) -> None:
        """Prepare the folders. Raises UsageError when they cannot be made, or hold files of others."""
        self.root = root
        self._partial = root / _PARTIAL
        with _sentence_for(root):
            self._made = not root.exists()
            root.mkdir(parents=True, exist_ok=True)
            _refuse_others(root)
            shutil.rmtree(self._partial, ignore_errors=True)
            for name in _FOLDERS:
                (self._partial / name).mkdir(parents=True)
            mark = f"made by getrace {__version__}; a new run replaces it\n"
            (self._partial / _MARK).write_text(mark, encoding="utf-8")
        self._writer = PlogWriter(self._partial)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Take away what was written of a run that was not finished."""
        if self._partial.exists():
            with contextlib.suppress(OSError):  # a full disk must not hide why the run broke off
                self._writer.close()
            shutil.rmtree(self._partial, ignore_errors=True)
            if self._made:
                self.root.rmdir()

    def listen(self, bus: Bus) -> None:
        """Write what happens on a bus into the plog."""
        bus.subscribe(self._writer)

    def finish(self, snapshots: Iterable[GraphSnapshot], inputs: Arrays, outputs: Arrays) -> None:
        """Close the plog, and write what is known only after the run. Raises UsageError when it cannot be written."""
        with _sentence_for(self.root):
            self._writer.close()
            for number, snapshot in enumerate(snapshots):
                path = self._partial / "graphs" / ge_proto_file_name(number, snapshot)
                path.write_text(write_ge_proto(snapshot), encoding="utf-8")
            for folder, arrays in (("inputs", inputs), ("outputs", outputs)):
                for name, array in arrays.items():
                    np.save(self._partial / folder / f"{_UNSAFE.sub('_', name)}.npy", array)
            _move_up(self._partial, self.root)


def _refuse_others(root: Path) -> None:
    """Refuse a folder without our mark: it is somebody's own and must be empty."""
    ours = (root / _MARK).is_file() or (root / _PARTIAL / _MARK).is_file()
    if any(root.iterdir()) and not ours:
        raise UsageError(f"{root} is not empty and no bundle of getrace", "give --out a new or an empty folder")


def _move_up(partial: Path, root: Path) -> None:
    """Put a whole bundle in the place of the one that an earlier run wrote."""
    for name, pattern in _FOLDERS.items():
        for file in (root / name).glob(pattern):
            file.unlink()
        (root / name).mkdir(parents=True, exist_ok=True)
    for file in sorted(path for path in partial.rglob("*") if path.is_file()):
        file.replace(root / file.relative_to(partial))
    shutil.rmtree(partial)


@contextmanager
def _sentence_for(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {root}: {error.strerror}", "give --out a folder you may write") from error
