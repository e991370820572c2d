"""One kept log on the disk: a folder of columns as ``.npy``, names and facts as JSON. Data only, nothing to execute.

What is read back is held against what was written: sizes, types, and a checksum of each column. A folder appears under
its name when it is whole, so a writer that dies leaves nothing that looks like an entry.
"""

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from getrace.errors import GetraceError
from getrace.store.columns import COLUMNS, Column
from getrace.store.forms import Form, Sparse

_FACTS = "facts.json"
_ROWS = ".rows"
_LONGEST_HEADER = 4096
_CHECKED_WHOLE = 1 << 26
"""Bytes of columns up to which all of them are checked; of larger ones samples are, as reopening is to be quick."""
_SAMPLES = 1 << 6
_SAMPLE_BYTES = 1 << 14


class BrokenEntryError(GetraceError):
    """A kept log is not what was written."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a log: its columns, its names by id, the split messages, and facts as plain values."""

    columns: Mapping[str, Form]
    rows: int
    names: list[str]
    pieces: dict[int, list[int]]
    facts: dict[str, Any]


def write_entry(folder: Path, kept: Kept) -> None:
    """Write an entry into an empty folder. Raises OSError."""
    total = nbytes(kept.columns)
    sums = {}
    for name, array in _arrays(kept.columns):
        with (folder / f"{name}.npy").open("wb") as file:
            np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
        sums[name] = [len(array), _header_sum(folder / f"{name}.npy", array.nbytes), _checksum(array, total)]
    body = {
        "rows": kept.rows,
        "arrays": sums,
        "constants": {name: form for name, form in kept.columns.items() if isinstance(form, int)},
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
        raise BrokenEntryError(f"{type(error).__name__}: {error}") from error


def _read(folder: Path) -> Kept:
    outer = json.loads((folder / _FACTS).read_text())
    text = outer["body"]
    if zlib.crc32(text.encode()) != outer["sum"]:
        raise ValueError("the facts have another checksum")
    body = json.loads(text)
    rows = int(body["rows"])
    arrays = {
        name: _array(folder / f"{name}.npy", name, int(count), header)
        for name, (count, header, _) in body["arrays"].items()
    }
    total = sum(array.nbytes for array in arrays.values())
    for name, (_, _, told) in body["arrays"].items():
        if _checksum(arrays[name], total) != told:
            raise ValueError(f"column {name} has another checksum")
    columns: dict[str, Form] = {name: int(number) for name, number in body["constants"].items()}
    columns |= {name: _form(name, arrays, rows) for name in arrays if not name.endswith(_ROWS)}
    pieces = {int(row): [int(each) for each in later] for row, *later in body["pieces"]}
    return Kept(columns, rows, list(body["names"]), pieces, dict(body["facts"]))


def nbytes(columns: Mapping[str, Form]) -> int:
    """Give how many bytes the arrays of columns have."""
    return sum(array.nbytes for _, array in _arrays(columns))


def _arrays(columns: Mapping[str, Form]) -> Iterator[tuple[str, Column]]:
    """Give the arrays of columns with their names; of a sparse one the rows and the values."""
    for name, form in columns.items():
        if isinstance(form, Sparse):
            yield name, form.values
            yield name + _ROWS, form.rows
        elif not isinstance(form, int):
            yield name, form


def _array(path: Path, name: str, count: int, header: int) -> Column:
    """Map an array. Its header is compared and never read: what it has to say is known."""
    dtype = np.dtype(np.int64 if name.endswith(_ROWS) else COLUMNS[name])
    size = count * dtype.itemsize
    if _header_sum(path, size) != header:
        raise ValueError(f"column {name} has another form")
    if not count:
        return np.empty(0, dtype)  # nothing to be mapped
    # Mapped so that changes stay ours: a few cells of a column are set again when logs are put together.
    return np.asarray(np.memmap(path, dtype, mode="c", offset=path.stat().st_size - size, shape=(count,)))


def _header_sum(path: Path, size: int) -> int:
    """Give the checksum of what stands in front of the last ``size`` bytes of a file."""
    length = path.stat().st_size - size
    if not 0 < length <= _LONGEST_HEADER:
        raise ValueError(f"{path.name} has another size")
    with path.open("rb") as file:
        return zlib.crc32(file.read(length))


def _form(name: str, arrays: Mapping[str, Column], rows: int) -> Form:
    """Put a column together: from rows and values, or from a value for each row."""
    values, at = arrays[name], arrays.get(name + _ROWS)
    if len(values) != (rows if at is None else len(at)) or (at is not None and len(at) and int(at.max()) >= rows):
        raise ValueError(f"column {name} has another length")
    return values if at is None else Sparse(at, values)


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
