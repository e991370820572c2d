"""The compiled scanner: ``native.c`` reads lines, this feeds it.

The compiled part knows texts only by the tables that it is given. What it meets for the first time it hands back: the
text is asked for here, once, and the lines that waited for it are read again. The extension is optional, and absent
where there was no compiler when the package was built.
"""

import importlib
import os
from functools import reduce
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from getrace.events import KIND_NUMBER
from getrace.events.markers import KernelEnd
from getrace.events.text import LogLine
from getrace.plog.row import GE, RUNTIME
from getrace.plog.scan_asks import ANSWER, Asks
from getrace.plog.scan_messages import kernel_end_rule
from getrace.plog.scan_plan import EVENT_NAMES, plan
from getrace.plog.scan_room import Room, Rooms
from getrace.plog.scan_table import Block, Scan, all_of, both, records_of, together
from getrace.plog.table import VISIBLE_LIMIT
from getrace.store.columns import CUT
from getrace.store.forms import Sparse, chosen
from getrace.store.names import Names

LAYOUT = 3
"""What ``native.c`` must say of itself: both sides then mean the same by the arrays that they share."""

_Array = npt.NDArray[Any]

# The order of all arrays and numbers is that of native.c.
_RECORD = ("time", "level", "module", "pid", "tid", "kind", "kernel", "rule", "offset", "line", "flags")
_ROWS, _LEFT, _AGAIN, _MISSES, _LINES, _DONE = range(6)
_SALT, _CAPACITY, _STEPS, _EVENTS, _GE, _RUNTIME = range(6)

_BYTES_PER_LINE = 64  # room for so many lines is made; a block of shorter ones is read in several calls
_FIRST_SIZE = 1 << 10
_MOST_TEXTS = 200_000
_LISTED = 4  # of a line: its number, start, end and row
_NOTHING = np.zeros((0, _LISTED), np.int64)


def extension() -> ModuleType | None:
    """Give the compiled part, or None where it was not built or is of another layout."""
    try:
        found = importlib.import_module("getrace.plog._native")
    except ImportError:
        return None
    return found if getattr(found, "LAYOUT", None) == LAYOUT else None


def native_scanner(names: Names) -> Scan:
    """Make the compiled scanner for one log. Raises ImportError where it was not built."""
    return NativeScanner(names).scan


class _Texts:
    """Answers by the hash of a text, as ``native.c`` looks them up: the next free place after the hash's own."""

    def __init__(self, width: int) -> None:
        self._width = width
        self.forget()

    def forget(self) -> None:
        """Begin anew: a log of ever new texts must not take all memory."""
        self.keys, self.answers = np.zeros(_FIRST_SIZE, np.uint64), np.zeros((_FIRST_SIZE, self._width), np.int64)
        self.count = 0

    def add(self, key: int, answer: Any) -> None:
        """Remember an answer; a text that is known already is left as it is."""
        if 2 * self.count >= len(self.keys):
            self._grow()
        slot = self._slot(key)
        if not self.keys[slot]:
            self.keys[slot], self.answers[slot] = key, answer
            self.count += 1

    def _slot(self, key: int) -> int:
        last = len(self.keys) - 1
        slot = key & last
        while self.keys[slot] not in (0, key):
            slot = (slot + 1) & last
        return slot

    def _grow(self) -> None:
        held = np.flatnonzero(self.keys)
        keys, answers = self.keys[held], self.answers[held]
        self.keys = np.zeros(4 * len(self.keys), np.uint64)
        self.answers = np.zeros((len(self.keys), self._width), np.int64)
        for key, answer in zip(keys.tolist(), answers, strict=True):
            slot = self._slot(key)
            self.keys[slot], self.answers[slot] = key, answer


class NativeScanner:
    """Scans the blocks of one log; what it learned of texts in one block serves the next."""

    def __init__(self, names: Names) -> None:
        found = extension()
        if found is None:
            raise ImportError("the compiled scanner was not built")
        self._call = found.scan
        self._names = names
        asks = Asks(names)
        self._asks = (asks.head, asks.second, asks.header, asks.kernel, asks.message, asks.outer)
        self._texts = [_Texts(width) for width in (3, 1, 3, 1, len(ANSWER), 1)]
        table = plan()
        self._plan = (
            table.ops,
            table.literals,
            table.columns,
            table.rules,
            table.kinds,
            table.last,
            table.texts,
            table.sizes,
            table.slot_keys,
            table.slot_first,
        )
        salt = int.from_bytes(os.urandom(7), "little")  # a log must not be able to choose texts that collide
        end, rule = KIND_NUMBER[KernelEnd.kind], kernel_end_rule()
        numbers = (salt, 0, table.ops.shape[1], len(EVENT_NAMES), -1, -1, KIND_NUMBER[LogLine.kind], end, rule)
        self._settings = np.array([*numbers, VISIBLE_LIMIT, CUT], np.int64)
        self._rooms = Rooms(_RECORD)
        self._reserve(0)

    def _reserve(self, capacity: int) -> None:
        """Make memory for what a call gives besides records."""
        self._settings[_CAPACITY] = capacity
        self._left, self._again = (np.empty((capacity, _LISTED), np.int64) for _ in range(2))
        self._misses = np.empty((capacity, 5), np.int64)

    def scan(self, view: memoryview) -> tuple[Block, int]:
        """Read a block of whole lines: the columns of its records, and how many lines it has."""
        capacity = len(view) // _BYTES_PER_LINE + 256
        if capacity > self._settings[_CAPACITY]:
            self._reserve(capacity)
        for texts in self._texts:
            if texts.count > _MOST_TEXTS:
                texts.forget()
        state = np.zeros(6, np.int64)
        parts = [self._part(view, state)]
        while state[_DONE] < len(view):
            parts.append(self._part(view, state))
        return reduce(_one_after_another, parts), int(state[_LINES])

    def _part(self, view: memoryview, state: _Array) -> Block:
        """Read as many lines as there is room for."""
        room = self._rooms.free(int(self._settings[_CAPACITY]))
        counts = np.zeros(len(EVENT_NAMES), np.int64)
        state[[_ROWS, _LEFT, _AGAIN, _MISSES]] = 0
        self._read(view, _NOTHING, room, counts, state)
        waited = bool(state[_AGAIN])
        while state[_AGAIN]:
            given = self._again[: state[_AGAIN]].copy()
            self._learn(view, self._misses[: state[_MISSES]])
            state[[_AGAIN, _MISSES]] = 0
            self._read(view, given, room, counts, state)
        left = self._left[: state[_LEFT]]
        block = room.block(int(state[_ROWS]), counts)
        if waited:
            block = _in_order(block, left[left[:, 3] >= 0, 3])
        rest = records_of(view, left[:, 1], left[:, 2], left[:, 0].tolist(), self._names)
        return together(block, rest)

    def _read(self, view: memoryview, given: _Array, room: Room, counts: _Array, state: _Array) -> None:
        texts = [array for texts in self._texts for array in (texts.keys, texts.answers)]
        told = (room.event_rows, room.event_values, counts, self._left, self._again, self._misses)
        self._call((view, given, self._settings, state, *texts, *self._plan, *room.columns, *told))

    def _learn(self, view: memoryview, misses: _Array) -> None:
        """Ask for the texts that were met for the first time, in the order of their places."""
        _, first = np.unique(misses[:, 1], return_index=True)
        for which, key, start, length, tag in misses[np.sort(first)].tolist():
            answer = self._asks[which](bytes(view[start : start + length]), tag)
            self._texts[which].add(key % (1 << 64), answer)
        for number, name in ((_GE, GE), (_RUNTIME, RUNTIME)):
            found = self._names.find(name)
            self._settings[number] = -1 if found is None else found


def _in_order(block: Block, empty: _Array) -> Block:
    """Give a block of which some rows were filled late: event columns in the order of rows, without rows left empty."""
    ordered = {name: _sorted(form) if isinstance(form, Sparse) else form for name, form in block.items()}
    if not len(empty):
        return ordered
    count = len(all_of(block, "offset"))
    kept = np.delete(np.arange(count), empty)
    return {name: chosen(form, kept, count) for name, form in ordered.items()}


def _sorted(form: Sparse) -> Sparse:
    order = np.argsort(form.rows)
    return Sparse(form.rows[order], form.values[order])


def _one_after_another(first: Block, second: Block) -> Block:
    return both(first, second, np.arange(len(all_of(first, "offset")) + len(all_of(second, "offset"))))
