"""Bytes many at a time: searches, hashes and numbers over many places of a block at once.

A block lies between pads, so that a window may be read at any place of it. What costs is fetching bytes from
places that lie anywhere; arithmetic on fetched words costs next to nothing. So a window of 64 bytes is fetched once
for each place, and a search in it is arithmetic on a word with one bit for each byte.
"""

import os
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from getrace.plog.source import MARGIN, Margined

Places = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

WIDTH = 64
"""Bytes of a window."""
PAD = 512
"""Bytes of zeros on both sides of a block: more than any search here looks beyond it."""
_PART = 1 << 18
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_LOW = np.array([(1 << (8 * count)) - 1 for count in range(9)], np.uint64)
_KEEP = np.array([[_LOW[min(max(count - 8 * word, 0), 8)] for word in range(8)] for count in range(WIDTH + 1)])
_KEEPS = [np.ascontiguousarray(_KEEP[:, :words]) for words in range(9)]
# A log must not be able to choose texts that collide, so the hash differs from process to process.
_SALTS = np.frombuffer(os.urandom(80), "<u8") | np.uint64(1)


class Padded:
    """A block with pads on both sides: ``bytes`` and ``words`` by position, both counted from the block's start."""

    def __init__(self, block: memoryview, buffer: npt.NDArray[np.uint8] | None = None) -> None:
        """Take a block where it lies, with room around it; else copy it into ``buffer``, where that is large enough."""
        self.size = len(block)
        self.buffer = buffer
        if isinstance(block.obj, Margined):
            memory = np.frombuffer(block.obj, np.uint8)[MARGIN - PAD :]
        else:
            memory = self.buffer = _copied(block, buffer)
        memory[:PAD] = 0
        memory[PAD + self.size : 2 * PAD + self.size + 8] = 0
        self._aligned = memory[PAD : PAD + (self.size + 15) // 8 * 8]
        self.bytes: npt.NDArray[np.uint8] = memory[PAD:]
        self.words: Words = np.ndarray((self.size + PAD - 8,), "<u8", memory.data, offset=PAD, strides=(1,))
        self._windows, self._halves = (
            np.ndarray((self.size + PAD - WIDTH,), f"V{width}", memory.data, offset=PAD, strides=(1,))
            for width in (WIDTH, WIDTH // 2)
        )

    def text(self, start: int, end: int) -> bytes:
        """Give the bytes between two positions."""
        return self.bytes[start:end].tobytes()

    def windows(self, at: Places) -> Words:
        """Give the 64 bytes from each position on, as eight words."""
        return self._windows[at].view("<u8").reshape(len(at), WIDTH // 8)

    def halves(self, at: Places) -> Words:
        """Give the 32 bytes from each position on, as four words."""
        return self._halves[at].view("<u8").reshape(len(at), WIDTH // 16)

    def every(self, byte: int) -> Places:
        """Find every place of a byte."""
        found = []
        for start, part in self._parts():
            marks = (part == byte).view(np.uint64)
            at = np.flatnonzero(marks != 0)
            held = marks[at]
            if np.any(held & (held - np.uint64(1))):  # two in one word
                found.append(np.flatnonzero(marks.view(np.bool_)) + start)
            else:
                found.append(at * 8 + (count_trailing(held) >> 3) + start)
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def pairs(self, first: int, second: int, at_least: int) -> Places:
        """Find every place of two bytes in a row; none when there are not more than ``at_least``."""
        found = [(start, self._pair(start, part, first, second)) for start, part in self._parts()]
        if sum(np.count_nonzero(pair) for _, pair in found) <= at_least:
            return np.zeros(0, np.int64)
        return np.concatenate([np.flatnonzero(pair) + start for start, pair in found])

    def _pair(self, start: int, part: npt.NDArray[np.uint8], first: int, second: int) -> Mask:
        found: Mask = part == first
        found &= self.bytes[start + 1 : start + 1 + len(part)] == second
        return found

    def _parts(self) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
        """Cut the block into parts that stay in the processor's cache while they are looked at more than once."""
        for start in range(0, len(self._aligned), _PART):
            yield start, self._aligned[start : start + _PART]

    def lines(self) -> tuple[Places, Places]:
        """Give the start and end of each line, without newline and carriage return."""
        ends = self.every(ord("\n"))
        if not self.size or self.bytes[self.size - 1] != ord("\n"):
            ends = np.append(ends, self.size)
        starts = np.empty_like(ends)
        starts[0] = 0
        starts[1:] = ends[:-1] + 1
        return starts, ends - ((self.bytes[ends - 1] == ord("\r")) & (ends > starts))


def _copied(block: memoryview, buffer: npt.NDArray[np.uint8] | None) -> npt.NDArray[np.uint8]:
    size = len(block)
    if buffer is None or len(buffer) < size + 2 * PAD + 8:
        buffer = np.empty(size + 2 * PAD + 8, np.uint8)
    buffer[PAD : PAD + size] = np.frombuffer(block, np.uint8)
    return buffer


def count_trailing(words: Words) -> Places:
    """Give how many zero bits stand below the lowest one of each word: 64 for zero."""
    below: Places = np.bitwise_count((words - np.uint64(1)) & ~words).astype(np.int64)
    return below


def bitmap(windows: Words, byte: int) -> Words:
    """Give a word for each window: bit n says whether its byte n is the one looked for."""
    return _packed(windows.view(np.uint8) == byte)


def members(windows: Words, table: Mask) -> Words:
    """Give a word for each window (or half): bit n says whether its byte n is in a set of bytes."""
    return _packed(table[windows.view(np.uint8)])


def _packed(found: Mask) -> Words:
    return np.packbits(found.reshape(-1), bitorder="little").view(f"<u{found.shape[1] // 8}")


def word_of(text: bytes) -> np.uint64:
    """Give up to eight bytes as one word, filled with zeros."""
    return np.uint64(int.from_bytes(text[:8].ljust(8, b"\0"), "little"))


def low_bytes(count: int) -> np.uint64:
    """Give the mask of the first ``count`` bytes of a word."""
    return np.uint64(_LOW[count])


def starts_with(block: Padded, at: Places, text: bytes) -> Mask:
    """Say at which positions a text stands."""
    (_, keep, word), *more = _parts(text)
    found: Mask = (block.words[at] & keep) == word
    for skip, keep, word in more:
        found &= (block.words[at + skip] & keep) == word
    return found


@lru_cache(4096)
def _parts(text: bytes) -> tuple[tuple[int, np.uint64, np.uint64], ...]:
    parts = ((skip, text[skip : skip + 8]) for skip in range(0, len(text), 8))
    return tuple((skip, low_bytes(len(part)), word_of(part)) for skip, part in parts)


def find(block: Padded, at: Places, byte: int, ends: Places, words: int) -> Places:
    """Find a byte at or behind each position and before its end, within some words; -1 where there is none."""
    found = np.full(len(at), -1, np.int64)
    left = np.arange(len(at))
    pattern = _ONES * np.uint64(byte)
    for step in range(words):
        place = at[left] + 8 * step
        differs = block.words[np.minimum(place, block.size)] ^ pattern
        zero = (differs - _ONES) & ~differs & _HIGH
        hit = zero != 0
        found[left[hit]] = (place + (count_trailing(zero) >> 3))[hit]
        left = left[~hit & (place < ends[left])]
        if not len(left):
            break
    return np.where((found >= 0) & (found < ends), found, -1)


def hash_spans(block: Padded, starts: Places, lengths: Places, windows: Words | None = None) -> Words:
    """Give a 64-bit hash of each span; ``windows`` are those at its beginning, where the caller has them."""
    longest = int(lengths.max()) if len(lengths) else 0
    result = _mixed(block.windows(starts) if windows is None else windows, lengths, longest)
    for skip in range(WIDTH, longest, WIDTH):
        left = np.flatnonzero(lengths > skip)
        more = _mixed(block.windows(starts[left] + skip), lengths[left] - skip, longest - skip)
        result[left] = (result[left] ^ (result[left] >> np.uint64(29))) * _SALTS[9] + more
    return result


def _mixed(windows: Words, lengths: Places, longest: int) -> Words:
    """Hash up to 64 bytes of each window: every byte reaches the lower half of its word before that is multiplied."""
    count = min((longest + 7) // 8, WIDTH // 8)
    keep = np.take(_KEEPS[count], lengths, axis=0, mode="clip")
    keep &= windows[:, :count]
    keep ^= keep >> np.uint64(32)
    keep *= _SALTS[:count]
    keep ^= keep >> np.uint64(29)
    result = lengths.astype(np.uint64)
    for word in range(count):
        result += keep[:, word]
    result *= _SALTS[8]
    result ^= result >> np.uint64(31)
    return result
