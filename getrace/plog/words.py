"""Bytes eight at a time: searches, hashes and numbers over many places of a block at once.

A block is copied between pads, so that a word may be read at any place of it. ``words`` views the same bytes as
unaligned little-endian 64-bit words, one for each byte position.
"""

import os

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]
Bytes8 = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

PAD = 512
"""Bytes of zeros on both sides of a block: more than any search here looks beyond it."""
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_LOW = np.array([(1 << (8 * count)) - 1 for count in range(9)], np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)
# A log must not be able to choose texts that collide, so the hash differs from process to process.
_SALT = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)


class Padded:
    """A block with pads on both sides: ``bytes`` and ``words`` by position, both counted from the block's start."""

    def __init__(self, block: memoryview) -> None:
        self.size = len(block)
        self._buffer = np.empty(self.size + 2 * PAD, np.uint8)
        self._buffer[:PAD] = 0
        self._buffer[PAD + self.size :] = 0
        self._buffer[PAD : PAD + self.size] = np.frombuffer(block, np.uint8)
        self.bytes: Bytes8 = self._buffer[PAD:]
        self.words: Words = np.ndarray((self.size + PAD - 8,), "<u8", self._buffer.data, offset=PAD, strides=(1,))

    def text(self, start: int, end: int) -> bytes:
        """Give the bytes between two positions."""
        return self.bytes[start:end].tobytes()


def word_of(text: bytes) -> np.uint64:
    """Give up to eight bytes as one word, filled with zeros."""
    return np.uint64(int.from_bytes(text[:8].ljust(8, b"\0"), "little"))


def low_bytes(count: int) -> np.uint64:
    """Give the mask of the first ``count`` bytes of a word."""
    return np.uint64(_LOW[count])


def starts_with(block: Padded, at: Places, text: bytes) -> Mask:
    """Say at which positions a text stands."""
    found = np.ones(len(at), np.bool_)
    for skip in range(0, len(text), 8):
        part = text[skip : skip + 8]
        found &= (block.words[at + skip] & low_bytes(len(part))) == word_of(part)
    return found


def find(block: Padded, at: Places, byte: int, ends: Places, words: int) -> Places:
    """Find a byte at or behind each position and before its end, within some words; -1 where there is none."""
    found = np.full(len(at), -1, np.int64)
    left = np.arange(len(at))
    pattern = _ONES * np.uint64(byte)
    for step in range(words):
        place = at[left] + 8 * step
        differs = block.words[place] ^ pattern
        zero = (differs - _ONES) & ~differs & _HIGH
        hit = zero != 0
        first = np.bitwise_count((zero - np.uint64(1)) & ~zero).astype(np.int64) >> 3
        found[left[hit]] = (place + first)[hit]
        left = left[~hit]
        if not len(left):
            break
    return np.where((found >= 0) & (found < ends), found, -1)


def hash_spans(block: Padded, starts: Places, lengths: Places) -> Words:
    """Give a 64-bit hash of each span."""
    result = lengths.astype(np.uint64) * _SALT
    longest = int(lengths.max()) if len(lengths) else 0
    left = np.arange(len(starts))
    for skip in range(0, longest, 8):
        left = left[lengths[left] > skip]
        part = lengths[left] - skip
        word = (block.words[starts[left] + skip] & _LOW[np.minimum(part, 8)]) * _MIX
        mixed = (result[left] ^ word ^ (word >> np.uint64(29))) * _SALT
        result[left] = mixed ^ (mixed >> np.uint64(31))
    return result


def digits_at(block: Padded, at: Places, width: int) -> tuple[Bytes8, Places]:
    """Read up to ``width`` decimal digits: their values (rows by position), and how many there are."""
    values = block.bytes[at[:, None] + np.arange(width)] - np.uint8(48)
    return values, _run(values < 10)


def hex_at(block: Padded, at: Places, width: int) -> tuple[Bytes8, Places]:
    """Read up to ``width`` lower-case hex digits: their values, and how many there are."""
    raw = block.bytes[at[:, None] + np.arange(width)]
    decimal = raw - np.uint8(48)
    letter = raw - np.uint8(87)
    is_letter = (letter >= 10) & (letter < 16)
    return np.where(decimal < 10, decimal, letter), _run((decimal < 10) | is_letter)


def _run(inside: Mask) -> Places:
    """Give how many leading places of each row are inside."""
    ended = ~inside
    length: Places = np.where(ended.any(axis=1), ended.argmax(axis=1), inside.shape[1])
    return length


def number_of(digits: Bytes8, lengths: Places, base: int) -> Places:
    """Put digits together; the caller keeps them few enough for 63 bits."""
    value = np.zeros(len(lengths), np.int64)
    for place in range(int(lengths.max()) if len(lengths) else 0):
        inside = place < lengths
        value = np.where(inside, value * base + digits[:, place], value)
    return value
