"""The bundle that ``run --out`` writes: plogs as a real machine would, graph dumps, inputs and outputs.

Layout: ``debug/plog/plog-<pid>_<17 digits>.log`` as on a real machine, ``graphs/ge_proto_*.txt``, ``inputs/*.npy``,
``outputs/*.npy``, and ``bundle.txt`` as the mark that all of it may be replaced. The folder is prepared before the run,
so that a path that cannot be written is known before any work is done.
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
            (root / _MARK).write_text(f"made by getrace {__version__}; a new run replaces it\n", encoding="utf-8")
            for name in _FOLDERS:
                (root / name).mkdir(parents=True, exist_ok=True)
        self._writer = PlogWriter(root)

    def listen(self, bus: Bus) -> None:
        """Write what happens on a bus into the plog."""
        bus.subscribe(self._writer)

    def finish(self, snapshots: Iterable[GraphSnapshot], inputs: Arrays, outputs: Arrays) -> None:
        """Close the plog, and write what is known only after the run. Raises UsageError when it cannot be written."""
        with _sentence_for(self.root):
            self._writer.close()
            for number, snapshot in enumerate(snapshots):
                path = self.root / "graphs" / ge_proto_file_name(number, snapshot)
                path.write_text(write_ge_proto(snapshot), encoding="utf-8")
            for folder, arrays in (("inputs", inputs), ("outputs", outputs)):
                for name, array in arrays.items():
                    np.save(self.root / folder / f"{_UNSAFE.sub('_', name)}.npy", array)


def _clear_bundle(root: Path) -> None:
    """Take away what an earlier run wrote; a folder without our mark is somebody's own and must be empty."""
    if not any(root.iterdir()):
        return
    if not (root / _MARK).is_file():
        raise UsageError(f"{root} is not empty and no bundle of getrace", "give --out a new or an empty folder")
    for name, pattern in _FOLDERS.items():
        for file in (root / name).glob(pattern):
            file.unlink()


@contextmanager
def _sentence_for(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {root}: {error.strerror}", "give --out a folder you may write") from error
