"""The bundle that ``run --out`` writes: plogs as a real machine would, graph dumps, inputs and outputs.

Layout: ``debug/plog/plog-<pid>_<17 digits>.log`` as on a real machine, ``graphs/ge_proto_*.txt``, ``inputs/*.npy``,
``outputs/*.npy``, and ``bundle.txt``, which names every file of the bundle: a later run may replace these and nothing
else, and never follows a link out of the folder. The folder is prepared before the run, so that a path that cannot be
written is known before any work is done. It is filled below ``.partial`` and moved up when all is there: a run that
breaks off leaves no half a bundle, and does not take away the one before. A run that its user stops with Ctrl-C leaves
its log so far and its graphs, unless they would take the place of a whole bundle.
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
from getrace.events import Event, Level, Origin
from getrace.events.graphs import GraphSeen
from getrace.plog.writer import PlogWriter

_FOLDERS = {"debug/plog": "plog-*.log", "graphs": "ge_proto_*.txt", "inputs": "*.npy", "outputs": "*.npy"}
_MARK = "bundle.txt"
_PARTIAL = ".partial"
_OTHER_FOLDER = "give --out a new or an empty folder"
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
            self._replaces = bool(_files(root))
            shutil.rmtree(self._partial, ignore_errors=True)
            for name in _FOLDERS:
                (self._partial / name).mkdir(parents=True)
            mark = f"made by getrace {__version__}; a new run replaces these files:\n"
            (self._partial / _MARK).write_text(mark, encoding="utf-8")
        self._graphs: list[GraphSnapshot] = []
        self._writer = PlogWriter(self._partial, opening=self._name)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Take away what was written of a run that was not finished; what Ctrl-C ended is kept as far as it came."""
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        if interrupted and not self._replaces and self._partial.exists():
            self.finish(self._graphs, {}, {})
        if self._partial.exists():
            with contextlib.suppress(OSError):  # a full disk must not hide why the run broke off
                self._writer.close()
            shutil.rmtree(self._partial, ignore_errors=True)
            if self._made:
                self.root.rmdir()

    @property
    def left_by_interrupt(self) -> str:
        """What Ctrl-C leaves of this run, in words."""
        return f"{self.root} keeps the run before" if self._replaces else f"the log so far is in {self.root}"

    def listen(self, bus: Bus) -> None:
        """Write what happens on a bus into the plog, and remember the graphs it shows."""
        bus.subscribe(self._writer)
        bus.subscribe(self._see)

    def finish(
        self, snapshots: Iterable[GraphSnapshot], inputs: Arrays, outputs: Arrays, *, torn: bool = False
    ) -> None:
        """Close the plog, and write what is known only after the run. Raises UsageError when it cannot be written.

        With ``torn`` the plog ends in the middle of a record: the process was killed.
        """
        with _sentence_for(self.root):
            (self._writer.tear if torn else self._writer.close)()
            for number, snapshot in enumerate(snapshots):
                path = self._name(self._partial / "graphs" / ge_proto_file_name(number, snapshot))
                path.write_text(write_ge_proto(snapshot), encoding="utf-8")
            for folder, arrays in (("inputs", inputs), ("outputs", outputs)):
                for name, stem in _stems(arrays).items():
                    np.save(self._name(self._partial / folder / f"{stem}.npy"), arrays[name])
            _move_up(self._partial, self.root)

    def _see(self, _time_ns: int, _origin: Origin, _level: Level, _kernel: str | None, event: Event, /) -> None:
        if isinstance(event, GraphSeen):
            self._graphs.append(event.snapshot)

    def _name(self, path: Path) -> Path:
        """Write a file's name into the mark before the file is there."""
        with (self._partial / _MARK).open("a", encoding="utf-8") as mark:
            mark.write(f"{path.relative_to(self._partial).as_posix()}\n")
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


def _refuse_others(root: Path) -> None:
    """Refuse a folder without our mark: it is somebody's own and must be empty; and a bundle that leads elsewhere."""
    if not any(root.iterdir()):
        return
    mark, partial = root / _MARK, root / _PARTIAL
    if mark.is_symlink() or not (mark.is_file() or (partial / _MARK).is_file()):
        raise UsageError(f"{root} is not empty and no bundle of getrace", _OTHER_FOLDER)
    for name in (*_FOLDERS, _PARTIAL):
        if (root / name).resolve() != root.resolve() / name:
            raise UsageError(f"{root / name} is a link to another place", _OTHER_FOLDER)
    ours = set(mark.read_text("utf-8", "replace").splitlines()[1:]) if mark.is_file() else set()
    for path in _files(root):
        if path.relative_to(root).as_posix() not in ours:
            raise UsageError(f"{path} is not of the bundle that {mark} names", _OTHER_FOLDER)


def _files(root: Path) -> list[Path]:
    return [path for name, pattern in _FOLDERS.items() for path in sorted((root / name).glob(pattern))]


def _move_up(partial: Path, root: Path) -> None:
    """Put a whole bundle in the place of the one that an earlier run wrote."""
    for file in _files(root):
        file.unlink()
    for name in _FOLDERS:
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
