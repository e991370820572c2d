"""Rows whose record matches a pattern, many at once: the bytes of a block of records are searched as one text.

Looking a record up costs more than searching it, so a block is decoded once and asked whole. A match may begin in one
record and end in the next; only what begins and ends inside one counts, and where a pattern could be misled by the
neighbours (anchors, looking around, possessive repetition) or a block is not ASCII, each record is asked alone.
"""

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from getrace.store.columns import Column

Ints = npt.NDArray[np.int64]

BLOCK_BYTES = 1 << 20
"""Bytes searched at once. The engine holds the interpreter meanwhile: a megabyte takes it a few milliseconds."""
_SPARSE = 4
"""A block whose records lie this much wider than their own bytes (merged logs, far apart) is read one by one."""

# Anchors, groups that look around or never give back, possessive repetition: what a neighbour may change.
_MISLED = re.compile(r"[\^$]|\\[AZbB]|\(\?(?!:|P<|i\))|[*+?}]\+")


def is_local(pattern: re.Pattern[str]) -> bool:
    """Say whether a pattern can be looked for in several records at once."""
    return _MISLED.search(pattern.pattern) is None


def hits_in(data: bytes, offsets: Ints, lengths: Ints, pattern: re.Pattern[str]) -> Iterator[int]:
    """Give, in order, the indices of the records that match; ``data`` is ASCII, records begin at ``offsets`` in it.

    Offsets rise. A match that reaches into the next record is asked again in its own one alone.
    """
    text = data.decode("ascii")
    ends = offsets + lengths
    position = int(offsets[0])
    while position < len(text) and (found := pattern.search(text, position)) is not None:
        index = int(np.searchsorted(offsets, found.start(), "right")) - 1
        if found.end() <= ends[index] or pattern.search(text[int(offsets[index]) : int(ends[index])]):
            yield index
        position = int(offsets[index + 1]) if index + 1 < len(offsets) else len(text)


def blocks_of(rows: Column, lengths: Ints) -> Iterator[Column]:
    """Cut row numbers into blocks of about ``BLOCK_BYTES``."""
    if not len(rows):
        return
    number = np.cumsum(lengths) // BLOCK_BYTES
    yield from np.split(rows, np.flatnonzero(np.diff(number)) + 1)


def is_dense(offsets: Ints, lengths: Ints) -> bool:
    """Say whether the records of a block, sorted by offset, lie close enough together to be read as one piece."""
    span = int(offsets[-1] + lengths[-1] - offsets[0])
    return span <= _SPARSE * int(lengths.sum()) + BLOCK_BYTES
