"""Lists of varints, unpacked many at a time: what a tensor keeps its whole numbers in when it keeps them badly.

A number at a time takes a microsecond each, all at once takes ten times the list's room; so they are taken in steps.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

STEP: Final = 1 << 18
"""Bytes that are unpacked at once."""

_MORE: Final = 0x80
_LONGEST: Final = 10


def count_packed(content: memoryview) -> int:
    """Count the numbers of a list. Raises ValueError when the last one does not end."""
    if content and content[-1] >= _MORE:
        raise ValueError("ends inside a number")
    parts = (content[at : at + STEP] for at in range(0, len(content), STEP))
    return sum(int(np.count_nonzero(np.frombuffer(part, np.uint8) < _MORE)) for part in parts)


def unpack(content: memoryview, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Unpack ``count`` numbers, cut to the width of ``dtype``, an unsigned type.

    Raises ValueError for a number of more than ten bytes.
    """
    found = np.empty(count, dtype)
    at = done = 0
    while done < count:
        part = np.frombuffer(content[at : at + STEP], np.uint8)
        ends = np.flatnonzero(part < _MORE)
        if not ends.size:
            raise ValueError("has a number of more than 64 bits")
        found[done : done + ends.size] = _numbers(part, ends).astype(dtype)
        done += ends.size
        at += int(ends[-1]) + 1
    return found


def _numbers(part: npt.NDArray[np.uint8], ends: npt.NDArray[np.intp]) -> npt.NDArray[np.uint64]:
    """Move each byte to its place, and add up those of one number."""
    starts = np.concatenate((np.zeros(1, ends.dtype), ends[:-1] + 1))
    lengths = ends - starts + 1
    longest = int(lengths.max())
    if longest > _LONGEST:
        raise ValueError("has a number of more than 64 bits")
    found = np.zeros(ends.size, np.uint64)
    for at in range(longest):
        there = lengths > at
        found[there] |= (part[starts[there] + at] & np.uint8(0x7F)).astype(np.uint64) << np.uint64(7 * at)
    return found
