"""Memory for large columns, and how it is had from the system.

numpy asks for huge pages, each filled with zeros as a whole before its first byte is written; and each ordinary page
costs an interruption when it is first written. In a virtual machine both took longer than reading the log. So columns
lie in ordinary pages, and the system is asked for many at once shortly before they are written. Where it does not know
how, pages come one by one.
"""

import mmap
import sys

import numpy as np
import numpy.typing as npt

from getrace.store.forms import Array

_LARGE = 1 << 20
_AT_ONCE = 1 << 20
_POPULATE_WRITE = 23  # of Linux 5.14; the module mmap has no name for it


def fresh(capacity: int, dtype: npt.DTypeLike) -> Array:
    """Give an array of numbers that are still to be written; rows that never are cost no memory."""
    size = capacity * np.dtype(dtype).itemsize
    if size < _LARGE or not hasattr(mmap, "MAP_PRIVATE"):
        return np.empty(capacity, dtype)
    return np.ndarray(capacity, dtype, mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def get_ready(array: Array, start: int, end: int) -> None:
    """Have the pages of rows that are written next, of an array that is filled from its beginning on."""
    memory: object = array.base
    if sys.platform != "linux" or not isinstance(memory, mmap.mmap):
        return
    first, last = (-(-row * array.itemsize // _AT_ONCE) for row in (start, end))
    if first < last:
        at, size = first * _AT_ONCE, len(memory)
        try:
            memory.madvise(_POPULATE_WRITE, at, min(last * _AT_ONCE, size) - at)
        except OSError:
            return  # an older Linux: the pages come when they are written
