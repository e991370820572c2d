"""Blocks of one log scanned by several workers, given back in their order.

Workers are whatever a ``concurrent.futures`` executor has: threads for the compiled scanner, which does not hold the
interpreter's lock, processes for the one with numpy. Each has names of its own; they are told with the first block that
needs them and exchanged for those of the log. Only a few blocks are on their way at any time, so memory is bounded
whatever the size of the log is.
"""

import itertools
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from getrace.errors import ChangedError, UsageError
from getrace.plog.scan_native import native_scanner
from getrace.plog.scan_table import Block, Scan, Scanner
from getrace.plog.source import Buffer, Bytes, Identity
from getrace.store.columns import COLUMNS, none_of
from getrace.store.forms import renamed
from getrace.store.names import Names

VARIABLE = "GETRACE_JOBS"
"""How many workers read a large log; 1: none besides the one who asks."""

THREADS_FROM = 32 << 20
PROCESSES_FROM = 128 << 20
"""Bytes of a log from which on workers are worth their start; a process starts in half a second."""

_AHEAD = 2  # blocks for each worker that wait for it or for the one who asks
_NAMED = ("module", "kernel")
_NEWLINE = ord("\n")


class Span(NamedTuple):
    """A block of whole lines: where it begins in its source, its bytes, and whether its last line has its newline."""

    offset: int
    size: int
    closed: bool


class Scanned(NamedTuple):
    """A block with the columns of its records and its number of lines."""

    span: Span
    columns: Block
    lines: int


class Told(NamedTuple):
    """What a worker gives: who it is, the block with the columns in its own names, and its newest names."""

    worker: int
    scanned: Scanned
    names: list[str]


def scanned(blocks: Iterable[tuple[int, memoryview]], names: Names, scanner: Scanner) -> Iterator[Scanned]:
    """Scan blocks (offset, bytes) one after the other."""
    scan = scanner(names)
    for offset, block in blocks:
        yield Scanned(span_of(offset, block), *scan(block))


def scanned_by(
    executor: Executor, workers: int, data: Bytes, spans: Iterable[Span], names: Names, scanner: Scanner
) -> Iterator[Scanned]:
    """Scan blocks of a source with the workers of an executor, in order; to stop early cancels what is on its way.

    Workers read the blocks themselves, where they can reach the source. Where it holds fewer bytes than it did, it is
    resized, and ends there.
    """
    log = next(_LOGS)
    given: dict[int, _Given] = {}
    waiting: deque[tuple[Span, Future[Told]]] = deque()
    try:
        for span in spans:
            waiting.append((span, executor.submit(work, log, scanner, _reader(executor, data, span), span)))
            if len(waiting) > _AHEAD * workers:
                yield _taken(*waiting.popleft(), given, names, data)
        while waiting:
            yield _taken(*waiting.popleft(), given, names, data)
    finally:
        for _, future in waiting:
            future.cancel()


def span_of(offset: int, block: memoryview | bytes) -> Span:
    """Describe a block that was read."""
    return Span(offset, len(block), len(block) > 0 and block[-1] == _NEWLINE)


def jobs_asked() -> int:
    """Give the number of workers that the environment asks for, else that of the processors we may use.

    Raises UsageError for a variable that says nothing.
    """
    text = os.environ.get(VARIABLE, "")
    if text and not (text.isdecimal() and int(text)):
        raise UsageError(f"{VARIABLE}={text!r} is no number of workers", "set it to 1 or more, or leave it unset")
    if text:
        return int(text)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_for(size: int, scanner: Scanner, most: int | None) -> int:
    """Give how many workers are worth while for a log of a size, ``most`` at most.

    Without ``most`` there are only threads: a process that is started anew runs the caller's main module again, and
    only the caller knows whether that is guarded.
    """
    if most is None:
        most = jobs_asked() if scanner is native_scanner else 1
    least = THREADS_FROM if scanner is native_scanner else PROCESSES_FROM
    return min(most, max(size // least, 1))


def workers_for(scanner: Scanner, jobs: int) -> AbstractContextManager[Executor | None]:
    """Give an executor for a scanner; none for a single job."""
    if jobs < 2:
        return nullcontext()
    if scanner is native_scanner:
        return ThreadPoolExecutor(jobs)
    from multiprocessing import get_context  # noqa: PLC0415 - few need processes, and all would wait for this

    # started anew, as a copy of a process with threads may hang
    return futures.ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_interrupts)


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the one who asks: it cancels what is on its way and ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


_LOGS = itertools.count(os.getpid() << 32)
_MINE = threading.local()


class _Worker:
    """The scanner of one worker for one log."""

    def __init__(self, log: int, scanner: Scanner) -> None:
        self.log = log
        self.number = (os.getpid() << 32) ^ threading.get_native_id()
        self.names = Names()
        self.told = 0
        self.scan: Scan = scanner(self.names)
        self.buffer = Buffer()

    def work(self, offset: int, block: memoryview) -> Told:
        columns, lines = self.scan(block)
        fresh = [self.names.text(number) for number in range(self.told, len(self.names))]
        self.told = len(self.names)
        return Told(self.number, Scanned(span_of(offset, block), columns, lines), fresh)


def work(log: int, scanner: Scanner, read: "Reader", span: Span) -> Told:
    """Scan a block in a worker; what it learned of the same log before helps it."""
    worker: _Worker | None = getattr(_MINE, "worker", None)
    if worker is None or worker.log != log:
        worker = _MINE.worker = _Worker(log, scanner)
    return worker.work(span.offset, read(worker.buffer, span.offset, span.offset + span.size))


Reader = Callable[[Buffer, int, int], memoryview]
"""Gives the bytes of a source between two places, until the buffer is used again."""


class _ByPath:
    """Reads a file in another process by its path, if that still leads to the same file."""

    def __init__(self, path: str, identity: Identity) -> None:
        self._path, self._identity = path, identity

    def __call__(self, buffer: Buffer, start: int, end: int) -> memoryview:
        room = buffer.room(end - start)
        with Path(self._path).open("rb", buffering=0) as file:
            about = os.fstat(file.fileno())
            if (about.st_dev, about.st_ino) != self._identity[:2]:
                raise ChangedError(f"{self._path} is another file than it was", "open it again")
            file.seek(start)
            return room[: file.readinto(room)]


class _Sent:
    """Bytes that are sent to another process, as it cannot reach their source."""

    def __init__(self, block: bytes) -> None:
        self._block = block

    def __call__(self, _buffer: Buffer, _start: int, _end: int) -> memoryview:
        return memoryview(self._block)


def _reader(executor: Executor, data: Bytes, span: Span) -> Reader:
    """Give the way in which a worker reaches a block."""
    if isinstance(executor, ThreadPoolExecutor):
        return data.read_block
    if data.identity is not None and isinstance(executor, futures.ProcessPoolExecutor):
        return _ByPath(data.path, data.identity)
    return _Sent(data.read(span.offset, span.offset + span.size))


class _Given:
    """The ids that the log has for the names of one worker, and whether they are the worker's own."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._same = True

    def add(self, ids: list[int]) -> None:
        """Take the ids of the worker's next names."""
        self._same = self._same and ids == list(range(len(self._ids), len(self._ids) + len(ids)))
        self._ids += ids

    def exchanged(self, columns: Block) -> Block:
        """Give columns with the ids of the log."""
        if self._same:
            return columns
        own = {name: columns[name] for name in _NAMED if name in columns}
        return {**columns, **{name: renamed(own[name], self._ids, none_of(name), COLUMNS[name]) for name in own}}


def _taken(span: Span, future: Future[Told], given: dict[int, _Given], names: Names, data: Bytes) -> Scanned:
    """Wait for a block, and exchange the names of its worker for those of the log."""
    worker, (read, columns, lines), fresh = future.result()
    if read.size < span.size:
        data.resize(min(len(data), read.offset + read.size))
    ids = given.setdefault(worker, _Given())
    ids.add(names.ids(fresh))
    return Scanned(read, ids.exchanged(columns), lines)
