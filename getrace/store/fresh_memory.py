"""Memory for large columns, page by page.

numpy asks for huge pages. Each is filled with zeros as a whole before its first byte is written; in a virtual machine,
whose host may have to find the memory first, filling columns took three times as long as with ordinary pages.
"""

import mmap

import numpy as np
import numpy.typing as npt

from getrace.store.forms import Array

_LARGE = 1 << 20


def fresh(capacity: int, dtype: npt.DTypeLike) -> Array:
    """Give an array of numbers that are still to be written; rows that never are cost no memory."""
    size = capacity * np.dtype(dtype).itemsize
    if size < _LARGE or not hasattr(mmap, "MAP_PRIVATE"):
        return np.empty(capacity, dtype)
    return np.frombuffer(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), dtype)
