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
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from getrace.errors import UsageError
from getrace.plog.scan_native import native_scanner
from getrace.plog.scan_table import Block, Scan, Scanner
from getrace.store.columns import Column, none_of
from getrace.store.names import Names

VARIABLE = "GETRACE_JOBS"
"""How many workers read a large log; 1: none besides the one who asks."""

THREADS_FROM = 32 << 20
PROCESSES_FROM = 128 << 20
"""Bytes of a log from which on workers are worth their start; a process starts in half a second."""

_AHEAD = 2  # blocks for each worker that wait for it or for the one who asks
_NAMED = ("module", "kernel")


class Piece(NamedTuple):
    """A block of whole lines: ``offset`` in its source, and the bytes."""

    offset: int
    block: memoryview


class Scanned(NamedTuple):
    """A block with the columns of its records and its number of lines."""

    piece: Piece
    columns: Block
    lines: int


class Told(NamedTuple):
    """What a worker gives for a block: who it is, the columns with its own names, its lines, and its newest names."""

    worker: int
    columns: Block
    lines: int
    names: list[str]


def scanned(pieces: Iterable[Piece], names: Names, scanner: Scanner) -> Iterator[Scanned]:
    """Scan blocks one after the other."""
    scan = scanner(names)
    for piece in pieces:
        yield Scanned(piece, *scan(piece.block))


def scanned_by(
    executor: Executor, workers: int, pieces: Iterable[Piece], names: Names, scanner: Scanner
) -> Iterator[Scanned]:
    """Scan blocks with the workers of an executor, in order; to stop early cancels what is on its way."""
    log = next(_LOGS)
    given: dict[int, list[int]] = {}
    waiting: deque[tuple[Piece, Future[Told]]] = deque()
    bare = isinstance(executor, ThreadPoolExecutor)
    try:
        for piece in pieces:
            block = piece.block if bare else bytes(piece.block)
            waiting.append((piece, executor.submit(work, log, scanner, block)))
            if len(waiting) > _AHEAD * workers:
                yield _taken(*waiting.popleft(), given, names)
        while waiting:
            yield _taken(*waiting.popleft(), given, names)
    finally:
        for _, future in waiting:
            future.cancel()


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
    # started anew, as a copy of a process with threads may hang
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_interrupts)


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

    def work(self, block: memoryview) -> Told:
        columns, lines = self.scan(block)
        fresh = [self.names.text(number) for number in range(self.told, len(self.names))]
        self.told = len(self.names)
        return Told(self.number, columns, lines, fresh)


def work(log: int, scanner: Scanner, block: memoryview | bytes) -> Told:
    """Scan a block in a worker; what it learned of the same log before helps it."""
    worker: _Worker | None = getattr(_MINE, "worker", None)
    if worker is None or worker.log != log:
        worker = _MINE.worker = _Worker(log, scanner)
    return worker.work(memoryview(block))


def _taken(piece: Piece, future: Future[Told], given: dict[int, list[int]], names: Names) -> Scanned:
    """Wait for a block, and exchange the names of its worker for those of the log."""
    told = future.result()
    ids = given.setdefault(told.worker, [])
    ids.extend(names.ids(told.names))
    columns = {name: _exchanged(told.columns[name], name, ids) for name in _NAMED if name in told.columns}
    return Scanned(piece, {**told.columns, **columns}, told.lines)


def _exchanged(column: Column, name: str, ids: list[int]) -> Column:
    known = np.array([*ids, none_of(name)], column.dtype)
    return known[np.where(column == none_of(name), len(ids), column)]
