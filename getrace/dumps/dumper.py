"""Writing dumps while a model is lowered: GE's files, under GE's names, where GE's switches say.

A dumper is a sink of the bus and also works without one. It never ends a run: what cannot be written is warned of once,
and nothing more is tried.
"""

import contextlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from getrace.dumps.formats import FORMATS, DumpFormat
from getrace.dumps.level import Level
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.switches import DumpSwitches
from getrace.events.base import Event
from getrace.events.envelope import Level as LogLevel
from getrace.events.envelope import Origin
from getrace.events.graphs import GraphSeen

_MODE = 0o600


class GraphDumper:
    """Writes the graphs it is shown, as far as the switches want them; each format counts its own files."""

    def __init__(self, switches: DumpSwitches, warn: Callable[[str], object], device_id: int = 0) -> None:
        self._switches = switches
        self._warn = warn
        self._device_id = device_id
        self._numbers: dict[str, int] = defaultdict(int)
        self._off = switches.level is Level.NONE
        self._seen: dict[str, None] = {}
        self._wrote = False
        for warning in switches.warnings:
            warn(warning)

    @property
    def is_off(self) -> bool:
        """Whether nothing is written: nobody asked, or a file could not be written."""
        return self._off

    def __call__(self, _time_ns: int, origin: Origin, _level: LogLevel, _kernel: str | None, event: Event, /) -> None:
        """Take one event from the bus."""
        if isinstance(event, GraphSeen):
            self.dump(event.snapshot, origin.pid)

    def dump(self, snapshot: GraphSnapshot, pid: int) -> None:
        """Write a graph, and each sub graph of an execute graph once more for itself, as far as they are wanted."""
        if self._off:
            return
        folder = self._switches.folder(pid, self._device_id)
        self._seen[snapshot.stage] = None
        for part in _parts(snapshot):
            if self._switches.wants(part.stage):
                self._wrote = True
                try:
                    self._write(part, folder)
                except OSError as error:
                    self._off = True
                    self._warn(f"no graph is dumped: cannot write {folder}: {error.strerror or error}")
                    return

    def finish(self) -> None:
        """Say so when graphs were seen and ``DUMP_GRAPH_LEVEL`` chose none of them: GE is silent about a slip."""
        if self._off or self._wrote or not self._seen:
            return
        self._off = True
        said, stages = self._switches.stages, ", ".join(self._seen)
        self._warn(f"DUMP_GRAPH_LEVEL={said} matches no stage, so no graph is dumped; the stages were {stages}")

    def _write(self, snapshot: GraphSnapshot, folder: Path) -> None:
        for row in FORMATS:
            if row.word not in self._switches.formats:
                continue
            number = self._numbers[row.word]
            self._numbers[row.word] += 1
            if self._switches.max_files and number > self._switches.max_files:
                continue
            write_dump(row, number, snapshot, self._switches.level, folder, self._switches.max_bytes)


def _parts(snapshot: GraphSnapshot) -> Iterator[GraphSnapshot]:
    """Give a snapshot and, of an execute graph, each sub graph alone as stage ``<stage>_sub_graph_<k>``."""
    yield snapshot
    if snapshot.owned("Main") is None:
        return
    below = [graph for name, graph in snapshot.graphs.items() if name != snapshot.root]
    for number, graph in enumerate(below):
        yield replace(
            snapshot, stage=f"{snapshot.stage}_sub_graph_{number}", root=graph.name, graphs={graph.name: graph}
        )


def write_dump(
    row: DumpFormat, number: int, snapshot: GraphSnapshot, level: Level, folder: Path, max_bytes: int = 0
) -> Path:
    """Write one file, unless it would be larger than ``max_bytes`` (0: no limit), and give its path.

    Only its owner may read it, as with GE; a link in its place is replaced, not followed. Raises OSError.
    """
    path = folder / row.file_name(number, snapshot.stage)
    content = row.write(snapshot, level).encode("utf-8", "surrogateescape")
    if max_bytes and len(content) > max_bytes:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "wb") as file:
        file.write(content)
    return path
