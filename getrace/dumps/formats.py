"""The list of dump formats: what the switches call each, its file names, its reader and its writer.

A format is one row. Whoever reads or writes dumps goes through this list, so that a new format reaches the command
line, the dumper and the bundle at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from getrace.dumps import ge_onnx, ge_proto, ge_readable
from getrace.dumps.content import without_data
from getrace.dumps.dump_file import dump_file_name, format_of, graph_and_stage
from getrace.dumps.ge_onnx import read_ge_onnx, write_ge_onnx
from getrace.dumps.ge_proto import read_ge_proto, write_ge_proto
from getrace.dumps.ge_readable import read_ge_readable, write_ge_readable
from getrace.dumps.graph_json import read_graph_json
from getrace.dumps.level import Level
from getrace.dumps.om2 import read_om2
from getrace.dumps.om_file import read_om
from getrace.dumps.onnx_snapshot import read_onnx_snapshot
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.sniff import Sign, sign_of
from getrace.dumps.text_source import head_of_file
from getrace.errors import InputError


class DumpFormat(NamedTuple):
    """A format: its word in ``DUMP_GRAPH_FORMAT``, the beginning and end of its files' names, and both directions."""

    word: str
    kind: str
    extension: str
    read: Callable[[Path], GraphSnapshot]
    write: Callable[[GraphSnapshot, Level], str]

    def file_name(self, number: int, stage: str) -> str:
        """Name a file as GE does."""
        return dump_file_name(self.kind, self.extension, number, stage)

    @property
    def patterns(self) -> tuple[str, str]:
        """Globs of such files, plain and packed."""
        return f"{self.kind}_*{self.extension}", f"{self.kind}_*{self.extension}.gz"


FORMATS: tuple[DumpFormat, ...] = (
    DumpFormat(
        "ge_proto",
        ge_proto.FORMAT,
        ".txt",
        read_ge_proto,
        lambda snapshot, level: write_ge_proto(without_data(snapshot, level)),
    ),
    DumpFormat("onnx", ge_onnx.FORMAT, ".pbtxt", read_ge_onnx, write_ge_onnx),
    DumpFormat(
        "readable", ge_readable.FORMAT, ".txt", read_ge_readable, lambda snapshot, _level: write_ge_readable(snapshot)
    ),
)
"""From the one that says most to the one that says least."""

_PROTO, _ONNX, _READABLE = FORMATS


class ModelFormat(NamedTuple):
    """A file that holds a model with its graphs: its word among the signs, and its reader. GE never dumps one."""

    word: str
    read: Callable[[Path], GraphSnapshot]


MODELS: tuple[ModelFormat, ...] = (
    ModelFormat("om", lambda path: read_om(path).snapshot),
    ModelFormat("om2", lambda path: read_om2(path).snapshot),
    ModelFormat("onnx_model", read_onnx_snapshot),
    ModelFormat("json", read_graph_json),
)
_GRAPH_WORDS = frozenset(row.kind for row in FORMATS) | {row.word for row in MODELS} - {"json", "om2"}
_HEAD = 4096


def model_format_of(path: Path) -> ModelFormat | None:
    """Find the format of a model's file by its first bytes; None for a dump, and for a file that cannot be read."""
    found = _sign(path)
    return next((row for row in MODELS if found is not None and row.word == found.word), None)


def format_of_file(path: Path) -> DumpFormat:
    """Choose the format of a dump: by its first bytes, else by GE's name for it, else by its ending; else ge_proto."""
    found = _sign(path)
    kind = format_of(path.name) if found is None else found.word
    for row in FORMATS:
        if row.kind == kind:
            return row
    return _ONNX if path.name.lower().endswith((_ONNX.extension, _ONNX.extension + ".gz")) else _PROTO


def _sign(path: Path) -> Sign | None:
    try:
        return sign_of(head_of_file(path, _HEAD))
    except OSError:
        return None  # its reader says what is wrong with the file


def read_dump(path: Path) -> GraphSnapshot:
    """Read a dump of any format, or the first graphs of a model's file.

    Raises InputError, naming file and line or offset, when it is none.
    """
    found = _sign(path)
    if found is not None and found.word == "pico":
        raise InputError(f"{path} is {found.what}", "give a model of GE (.om), or a dump of its graphs")
    return replace((model_format_of(path) or format_of_file(path)).read(path), source=str(path))


def without_repeats(paths: Sequence[Path]) -> list[Path]:
    """Leave out a dump whose graph and stage are there in a format that says more; the order stays.

    Each format counts its own files, so that numbers in names tell nothing; a folder is one process (spec/formats.md
    3.1). Files with other names are all kept.
    """
    ranks = {row.kind: rank for rank, row in enumerate(FORMATS)}
    best: dict[tuple[Path, tuple[str, str]], int] = {}
    for path in paths:
        key, rank = (path.parent, graph_and_stage(path.name)), ranks.get(format_of(path.name), 0)
        best[key] = min(best.get(key, rank), rank)
    return [
        path
        for path in paths
        if ranks.get(format_of(path.name), 0) == best[path.parent, graph_and_stage(path.name)]
        or not format_of(path.name)
    ]


def dumps_in(folder: Path) -> list[Path]:
    """Give the dumps of a folder and below, of one format only: the one that says most of those that are there.

    Where no file has GE's name for a dump, all files that hold a graph by their content.
    """
    for row in FORMATS:
        found = sorted(path for pattern in row.patterns for path in folder.rglob(pattern))
        if found:
            return found
    return sorted(path for path in folder.rglob("*") if holds_a_graph(path))


def holds_a_graph(path: Path) -> bool:
    """Whether an ordinary file is a dump or a model, by its first bytes.

    Of JSON documents and zip archives they do not tell enough: these are none.
    """
    found = _sign(path) if path.is_file() else None
    return found is not None and found.word in _GRAPH_WORDS
