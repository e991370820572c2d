"""From bytes to rows: blocks of whole lines go through a scanner, and what spans lines is put together afterwards.

Theory of operation. A scanner gives the columns of the records of one block. The reader counts lines and offsets
across blocks, gives every line that begins no record to the record before it, puts a row in front of text that stands
before the first record, and joins the pieces of messages that GE split. So records + continuation lines = lines,
always.
"""

from collections.abc import Callable, Iterator

import numpy as np

from getrace.errors import InputError
from getrace.events import KIND_NUMBER, Level
from getrace.events.text import Foreign
from getrace.plog.dialects import found_dialects
from getrace.plog.file_store import FileStore
from getrace.plog.pieces import join_pieces
from getrace.plog.rows import ROWS
from getrace.plog.scan_table import Block, Scanner
from getrace.plog.sniff import archive, what_else
from getrace.plog.source import Bytes
from getrace.store.columns import Column
from getrace.store.store import Source

BLOCK = 1 << 21

Progress = Callable[[int, int], None]
"""Told (bytes done, bytes in all) after each block; may raise to cancel."""


def blocks(data: Bytes, size: int) -> Iterator[tuple[int, memoryview]]:
    """Cut bytes into blocks of whole lines: (offset, block). A longer line makes a longer block."""
    view = memoryview(data.data)
    start = 0
    while start < len(data):
        end = min(start + size, len(data))
        if end < len(data):
            newline = data.data.rfind(b"\n", start, end)
            if newline < 0:
                newline = data.data.find(b"\n", end)
            end = newline + 1 if newline >= 0 else len(data)
        yield start, view[start:end]
        start = end


def read_source(store: FileStore, data: Bytes, scanner: Scanner, progress: Progress | None = None) -> None:
    """Append the records of one source to a store. Raises InputError when not one line begins a record."""
    _refuse_archive(data)
    first_row = store.rows
    number = len(store.data)
    scan = scanner(store.names)
    lines = 0
    for offset, block in blocks(data, BLOCK):
        columns, count = scan(block)
        _append(store, columns, number, offset, lines)
        lines += count
        if progress is not None:
            progress(offset + len(block), len(data))
    if store.rows == first_row:
        _refuse(data)
    store.data.append(data)
    _lead(store, first_row, number)
    _measure(store, first_row, len(data), lines)
    source = Source(data.path, len(data), lines, store.rows - first_row, broken=data.broken)
    store.sources.append(source)
    join_pieces(store, first_row)
    source.dialects = dialects_of(store, first_row)


def _refuse_archive(data: Bytes) -> None:
    found = archive(bytes(data.data[:512]))
    if found is not None:
        raise InputError(f"{data.path} is {found[0]}", found[1])


def _refuse(data: Bytes) -> None:
    if not len(data):
        raise InputError(f"{data.path} is empty", "was the log level above what was printed, or the file rotated away?")
    what, hint = what_else(bytes(data.data[: 1 << 16]))
    raise InputError(f"{data.path} is {what}", data.broken or hint)


def _append(store: FileStore, columns: Block, source: int, offset: int, lines: int) -> None:
    count = len(columns["offset"])
    shifted: dict[str, Column | int] = {
        "offset": columns["offset"] + offset,
        "line": columns["line"] + lines + 1,
        "source": source,
    }
    store.columns.extend(count, {**columns, **shifted})


def _lead(store: FileStore, first_row: int, number: int) -> None:
    """Put a row in front of text that stands before the first record."""
    if int(store.column("offset")[first_row]) == 0:
        return
    kind, module = KIND_NUMBER[Foreign.kind], store.names.id("")
    lead = {"kind": kind, "line": 1, "offset": 0, "source": number, "level": int(Level.UNKNOWN), "module": module}
    store.columns.extend(1, lead)
    last = store.rows - 1
    order = np.concatenate((np.arange(first_row), [last], np.arange(first_row, last)))
    store.columns.take(order.astype(np.intp))


def _measure(store: FileStore, first_row: int, size: int, lines: int) -> None:
    """Fill the length of each record from where the next one begins."""
    offsets = store.column("offset")[first_row:]
    numbers = store.column("line")[first_row:]
    rows = np.arange(first_row, store.rows)
    ends = np.append(offsets[1:] - 1, size)
    data = store.data[-1].data
    if size and data[size - 1] == ord("\n"):
        ends[-1] -= 1
    store.columns.put("length", rows, ends - offsets)
    store.columns.put("lines", rows, np.append(numbers[1:], lines + 1) - numbers)


def dialects_of(store: FileStore, first_row: int = 0) -> tuple[str, ...]:
    """Find the dialects of a store's rows from a row on."""
    counts = np.bincount(store.column("rule")[first_row:].astype(np.int64), minlength=len(ROWS) + 1)
    return found_dialects((row, int(counts[number])) for number, row in enumerate(ROWS, 1) if counts[number])


def merge_by_time(store: FileStore) -> None:
    """Order the rows of several sources by time, each source keeping its own order."""
    times: Column = store.column("time").copy()
    sources = store.column("source")
    for number in range(len(store.sources)):
        of_source = np.flatnonzero(sources == number)
        times[of_source] = np.maximum.accumulate(times[of_source])
    order = np.argsort(times, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    store.columns.take(order)
    store.pieces = {int(place[row]): [int(place[at]) for at in later] for row, later in store.pieces.items()}
