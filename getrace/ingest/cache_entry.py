"""One kept log on the disk: a folder of columns as ``.npy``, names and facts as JSON. Data only, nothing to execute.

What is read back is held against what was written: sizes, types, and a checksum of each column. A folder appears under
its name when it is whole, so a writer that dies leaves nothing that looks like an entry.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from getrace.errors import GetraceError
from getrace.store.columns import COLUMNS, Column

_FACTS = "facts.json"
_CHECKED_WHOLE = 1 << 26
"""Bytes of columns up to which all of them are checked; of larger ones samples are, as reopening is to be quick."""
_SAMPLES = 1 << 6
_SAMPLE_BYTES = 1 << 14


class BrokenEntryError(GetraceError):
    """A kept log is not what was written."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a log: its columns, its names by id, the split messages, and facts as plain values."""

    columns: Mapping[str, Column]
    rows: int
    names: list[str]
    pieces: dict[int, list[int]]
    facts: dict[str, Any]


def write_entry(folder: Path, kept: Kept) -> None:
    """Write an entry into an empty folder. Raises OSError."""
    total = sum(column.nbytes for column in kept.columns.values())
    sums = {}
    for name, column in kept.columns.items():
        with (folder / f"{name}.npy").open("wb") as file:
            np.lib.format.write_array(file, np.ascontiguousarray(column), allow_pickle=False)
        sums[name] = _checksum(column, total)
    body = {
        "rows": kept.rows,
        "columns": sums,
        "names": kept.names,
        "pieces": [[row, *later] for row, later in kept.pieces.items()],
        "facts": kept.facts,
    }
    text = json.dumps(body, ensure_ascii=True)
    (folder / _FACTS).write_text(json.dumps({"sum": zlib.crc32(text.encode()), "body": text}))


def read_entry(folder: Path) -> Kept:
    """Read an entry; its columns are mapped, and pages are read when they are looked at.

    Raises BrokenEntryError when it is not what was written, FileNotFoundError when there is none.
    """
    if not folder.is_dir():
        raise FileNotFoundError(folder)
    try:
        return _read(folder)
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BrokenEntryError(f"{folder.name}: {type(error).__name__}: {error}") from error


def _read(folder: Path) -> Kept:
    outer = json.loads((folder / _FACTS).read_text())
    text = outer["body"]
    if zlib.crc32(text.encode()) != outer["sum"]:
        raise ValueError("the facts have another checksum")
    body = json.loads(text)
    rows = int(body["rows"])
    columns = {name: _column(folder / f"{name}.npy", name, rows) for name in body["columns"]}
    total = sum(column.nbytes for column in columns.values())
    for name, told in body["columns"].items():
        if _checksum(columns[name], total) != told:
            raise ValueError(f"column {name} has another checksum")
    pieces = {int(row): [int(each) for each in later] for row, *later in body["pieces"]}
    return Kept(columns, rows, list(body["names"]), pieces, dict(body["facts"]))


def _column(path: Path, name: str, rows: int) -> Column:
    # Mapped so that changes stay ours: a few cells of a column are set again when logs are put together.
    column = np.lib.format.open_memmap(path, mode="c")
    if column.dtype != np.dtype(COLUMNS[name]) or column.shape != (rows,):
        raise ValueError(f"column {name} has another form")
    return np.asarray(column)


def _checksum(column: Column, total: int) -> int:
    """Give the checksum of a column: of all its bytes, or of samples where all columns are very large."""
    data = np.ascontiguousarray(column).data.cast("B") if len(column) else memoryview(b"")
    if total <= _CHECKED_WHOLE:
        return zlib.crc32(data)
    value = len(data)
    for number in range(_SAMPLES):
        start = len(data) * number // _SAMPLES
        value = zlib.crc32(data[start : start + _SAMPLE_BYTES], value)
    return value
