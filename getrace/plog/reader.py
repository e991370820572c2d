"""From bytes to rows: blocks of whole lines go through a scanner, and what spans lines is put together afterwards.

Theory of operation. A scanner gives the columns of the records of one block. The assembly counts lines and offsets
across blocks and gives every line that begins no record to the record before it; the pieces of messages that GE split
are joined when all are there.
"""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor
from contextlib import closing

import numpy as np

from getrace.errors import InputError
from getrace.plog.assembly import Assembly
from getrace.plog.dialects import found_dialects
from getrace.plog.file_store import FileStore
from getrace.plog.pieces import join_pieces
from getrace.plog.rows import ROWS
from getrace.plog.scan_parallel import Scanned, Span, jobs_for, scanned, scanned_by, span_of, workers_for
from getrace.plog.scan_table import Scanner
from getrace.plog.sniff import archive, what_else
from getrace.plog.source import Buffer, Bytes
from getrace.store.columns import Column
from getrace.store.selection import Selection
from getrace.store.store import Source

BLOCK = 1 << 22
_STRETCH = 1 << 16  # rows that are counted at once: numpy makes wide numbers of them
_TAIL = 1 << 13  # most lines are shorter, and so begin behind this

Progress = Callable[[int, int], None]
"""Told (bytes done, bytes in all) after each block; may raise StopReadingError to stop there."""


class StopReadingError(Exception):
    """Raised by a progress callable: reading ends, and what was read is kept."""


def blocks(data: Bytes, size: int, start: int = 0) -> Iterator[tuple[int, memoryview]]:
    """Cut bytes into blocks of whole lines (offset, bytes), from an offset on. A longer line makes a longer block.

    A block holds until the next one is asked for. Where a file holds fewer bytes than when it was opened, the blocks
    end there.
    """
    buffer = Buffer()
    while start < len(data):
        block = whole_lines(data, start, size, buffer)
        if not block:
            data.resize(start)
            return
        yield start, block
        start += len(block)


def spans(data: Bytes, size: int) -> Iterator[Span]:
    """Cut bytes into the same blocks, for those who read them elsewhere: only their ends are looked at here."""
    start, buffer = 0, Buffer()
    while start < len(data):
        end = start + size
        look = max(end - _TAIL, start)
        tail = data.read(look, end) if end < len(data) else b""
        newline = tail.rfind(b"\n") if len(tail) == end - look else -1
        if newline >= 0:
            span = Span(start, look + newline + 1 - start, closed=True)
        else:
            span = span_of(start, whole_lines(data, start, size, buffer))
        if not span.size:
            data.resize(start)
            return
        yield span
        start += span.size


def whole_lines(data: Bytes, start: int, size: int, buffer: Buffer) -> memoryview:
    """Read about ``size`` bytes that end with a line, or with the source; they hold until the buffer is used again."""
    block = data.read_block(buffer, start, start + size)
    newline = _last_newline(block)
    if newline >= 0 and start + len(block) < len(data):
        return block[: newline + 1]
    parts = [block]
    at = start + len(block)
    while block and at < len(data):  # a line that is longer than a block
        block = memoryview(data.read(at, at + size))
        newline = bytes(block).find(b"\n")
        parts.append(block[: newline + 1] if newline >= 0 else block)
        at += len(block)
        if newline >= 0:
            break
    return parts[0] if len(parts) == 1 else memoryview(b"".join(parts))


def _last_newline(block: memoryview) -> int:
    tail = max(len(block) - _TAIL, 0)
    found = bytes(block[tail:]).rfind(b"\n")
    return tail + found if found >= 0 else bytes(block[:tail]).rfind(b"\n")


def read_source(
    store: FileStore,
    data: Bytes,
    scanner: Scanner,
    progress: Progress | None = None,
    selection: Selection | None = None,
    jobs: int | None = None,
) -> None:
    """Append the records of one source to a store. Raises InputError when not one line begins a record.

    Where ``progress`` raises StopReadingError, what was read so far is kept, and the source says that it is a part.
    ``jobs`` is the most workers that read a large source; None: threads only, as many as there are processors.
    """
    refuse_archive(data)
    first_row = store.rows
    assembly = Assembly(store, len(store.data), selection, len(data))
    jobs = jobs_for(len(data), scanner, jobs)
    try:
        with workers_for(scanner, jobs) as workers, closing(_parts(workers, jobs, data, store, scanner)) as parts:
            for span, columns, lines in parts:
                assembly.add(span, columns, lines)
                if progress is not None:
                    progress(span.offset + span.size, len(data))
                if assembly.full:
                    break
    except StopReadingError:
        _label_part(data, assembly, span.offset + span.size)
    whole = not _was_cut(store, data, first_row)
    if not assembly.records or (not whole and store.rows == first_row):
        raise refusal(data)
    store.data.append(data)
    _add_source(store, data, assembly, first_row, whole=whole)


def _was_cut(store: FileStore, data: Bytes, first_row: int) -> bool:
    """Drop rows that cannot be read again, as the file was cut behind our back; say whether it was."""
    left = min(len(data), data.size_now())
    if data.identity is None or left >= data.identity.size:
        return False
    data.resize(left)
    ends = store.column("offset")[first_row:] + store.column("length")[first_row:]
    kept = np.flatnonzero(ends <= left) + first_row
    store.keep(np.concatenate((np.arange(first_row), kept)))
    data.warnings.append(f"{data.path} was cut while it was read: the answer is from its first {left:,} bytes")
    return True


def _label_part(data: Bytes, assembly: Assembly, done: int) -> None:
    if done < len(data):
        assembly.full = True
        data.warnings.append(
            f"{data.path}: reading was stopped after {done:,} of {len(data):,} bytes; what comes behind is not answered"
        )


def _parts(
    workers: Executor | None, jobs: int, data: Bytes, store: FileStore, scanner: Scanner
) -> Generator[Scanned, None, None]:
    if workers is None:
        yield from scanned(blocks(data, BLOCK), store.names, scanner)
    else:
        yield from scanned_by(workers, jobs, data, spans(data, BLOCK), store.names, scanner)


def _add_source(store: FileStore, data: Bytes, assembly: Assembly, first_row: int, *, whole: bool) -> None:
    """Describe a source whose rows are in the store from ``first_row`` on, and join what GE split."""
    counted = whole and assembly.kept == assembly.records and not assembly.full
    source = Source(
        data.path,
        len(data),
        assembly.lines if counted else int(store.column("lines")[first_row:].sum()),
        store.rows - first_row,
        warnings=list(data.warnings),
        broken=data.broken,
        left_out=assembly.records - assembly.kept,
        truncated=assembly.full,
    )
    store.sources.append(source)
    join_pieces(store, first_row)
    source.dialects = DialectCounts().seen(store.column("rule")[first_row:])


def refuse_archive(data: Bytes) -> None:
    """Raise InputError for an archive, whose headers would be taken for lines."""
    found = archive(data.read(0, 512))
    if found is not None:
        raise InputError(f"{data.path} is {found[0]}", found[1])


def refusal(data: Bytes) -> InputError:
    """Say what a source is in which no line begins a record."""
    if not len(data):
        return InputError(
            f"{data.path} is empty", "was the log level above what was printed, or the file rotated away?"
        )
    if data.broken:
        return InputError(f"{data.broken}, and no record came before", "copy the file again")
    what, hint = what_else(data.read(0, 1 << 16))
    return InputError(f"{data.path} is {what}", hint)


class DialectCounts:
    """Counts how often each row of the grammar claimed a record: what the dialects of a log are told from."""

    def __init__(self) -> None:
        self._counts = np.zeros(len(ROWS) + 1, np.int64)

    def seen(self, rules: Column) -> tuple[str, ...]:
        """Count more records by the rows that claimed them, and give the dialects of all so far."""
        for start in range(0, len(rules), _STRETCH):
            self._counts += np.bincount(rules[start : start + _STRETCH], minlength=len(self._counts))
        counted = [(row, int(self._counts[number])) for number, row in enumerate(ROWS, 1) if self._counts[number]]
        return found_dialects(counted)
