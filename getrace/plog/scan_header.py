"""Headers of many bodies: what stands in front of the message, ``[file:line]tid Func:`` and its relatives.

The border is found by brackets and the first colon, the header is read by the record layer once for each distinct
text of a module. Where the record layer could have looked behind the border, the line is for the table.
"""

from typing import Protocol

import numpy as np

from getrace.plog.known import Known
from getrace.plog.scan_asks import Asks
from getrace.plog.scan_lines import Lines, narrowed
from getrace.plog.words import (
    WIDTH,
    Mask,
    Padded,
    Places,
    Words,
    bitmap,
    count_trailing,
    find,
    low_bytes,
    word_of,
)

_WORDS = 40
_GROUPS = 4
_SURE = WIDTH - 2  # a border before this was found without looking beyond the window
_DIGIT = ord("0")  # stands for any digit
_IS_DIGIT = np.array([48 <= byte < 58 for byte in range(256)])
_READ_ON = (b":", b"ErrorNo", b"[INI", b"[COM", b"[LOA", b"[EXE", b"[FIN", b" >>> (")
"""What may stand behind a border and yet belong to the header."""


class HeaderScanner:
    """Reads headers; each distinct text of a module is read once."""

    def __init__(self, asks: Asks) -> None:
        self._known = Known(asks.header, 3)

    def read(self, block: Padded, lines: Lines) -> Lines:
        """Read the headers of bodies: adds ``tid`` and ``spoken``, and moves ``at`` to the messages."""
        starts = lines["at"]
        windows = block.windows(starts)
        borders, plain = _borders(_Window(block, starts, windows, lines["end"] - starts))
        far = np.flatnonzero((lines["end"] - starts > _SURE) & (~plain | (borders >= _SURE)))
        if len(far):
            borders[far], plain[far] = _borders(_Whole(block, starts[far], lines["end"][far]))
        plain &= ~_reads_on(block, starts + borders, lines["end"])
        numbers = self._known.each(block, starts, np.where(plain, borders, 0), tags=lines["module"], windows=windows)
        lines["tid"], lines["spoken"] = numbers[:, 1], numbers[:, 2]
        lines["at"] = starts + numbers[:, 0]
        return narrowed(plain & (numbers[:, 0] >= 0), lines)


class _Look(Protocol):
    """Sees bodies: which byte stands at a place, and where a byte comes first; places count from the body's start."""

    room: Places

    def has(self, at: Places, byte: int) -> Mask:
        """Say where a byte (or any digit) stands at a place and before the end."""

    def first(self, at: Places, byte: int) -> Places:
        """Find a byte at or behind a place and before the end; -1 where there is none."""


class _Window:
    """Sees the first 64 bytes of bodies."""

    def __init__(self, block: Padded, starts: Places, windows: Words, room: Places) -> None:
        self.room = room
        self._block, self._starts = block, starts
        whole = ~np.uint64(0)
        part = (np.uint64(1) << np.minimum(room, WIDTH - 1).astype(np.uint64)) - np.uint64(1)
        inside = np.where(room >= WIDTH, whole, part)
        self._maps = {byte: bitmap(windows, byte) & inside for byte in b"[]: "}

    def has(self, at: Places, byte: int) -> Mask:
        if byte == _DIGIT:
            found: Mask = _IS_DIGIT[self._block.bytes[self._starts + at]] & (at < self.room)
        else:
            found = (self._maps[byte] >> at.astype(np.uint64)) & np.uint64(1) != 0
        return found

    def first(self, at: Places, byte: int) -> Places:
        found = count_trailing(self._maps[byte] & (~np.uint64(0) << at.astype(np.uint64)))
        return np.where(found >= WIDTH, -1, found)


class _Whole:
    """Sees whole bodies, for headers that go on behind the window."""

    def __init__(self, block: Padded, starts: Places, ends: Places) -> None:
        self.room = ends - starts
        self._block, self._starts, self._ends = block, starts, ends

    def has(self, at: Places, byte: int) -> Mask:
        bytes_there = self._block.bytes[self._starts + at]
        found: Mask = _IS_DIGIT[bytes_there] if byte == _DIGIT else bytes_there == byte
        return found & (at < self.room)

    def first(self, at: Places, byte: int) -> Places:
        found = find(self._block, self._starts + at, byte, self._ends, _WORDS)
        return np.where(found < 0, -1, found - self._starts)


def _borders(look: _Look) -> tuple[Places, Mask]:
    """Find the end of the header: up to four groups in brackets, then a tid up to the colon behind its function.

    A body without a bracket at its start has no header: its border is its start.
    """
    at = np.zeros(len(look.room), np.int64)
    good = np.ones(len(look.room), np.bool_)
    for _ in range(_GROUPS):
        blank = look.has(at, ord(" ")) & look.has(at + 1, ord("[")) & (at > 0)
        opens = good & (look.has(at, ord("[")) | blank)
        if not opens.any():
            break
        closing = look.first(at + 1, ord("]"))
        good &= ~opens | (closing >= 0)
        at = np.where(opens & (closing >= 0), closing + 1, at)
    is_tid = good & (at > 0) & look.has(at + look.has(at, ord(" ")), _DIGIT)
    colon = look.first(at, ord(":"))
    good &= ~is_tid | (colon >= 0)
    behind = colon + 1
    behind += look.has(behind, ord(" "))
    return np.where(is_tid & (colon >= 0), behind, at), good


def _reads_on(block: Padded, borders: Places, ends: Places) -> Mask:
    """Say where the record layer could have found more header behind the border."""
    words = block.words[borders]
    doubt = np.zeros(len(borders), np.bool_)
    for text in _READ_ON:
        doubt |= words & low_bytes(len(text)) == word_of(text)
    return doubt & (borders < ends)
