"""Columns in files without a name: for logs whose columns are larger than memory should be.

A column in a file is mapped and shared with it, so the system may write its pages out and take the memory back. The
room on the disk is reserved before it is mapped: a page that cannot be written later would kill the process.
"""

import mmap
import os
import tempfile

import numpy as np

from getrace.store.columns import Column


class ColumnFiles:
    """Makes arrays that lie in files of a folder. Raises OSError where there is no room, or no way to reserve it."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._files: dict[str, int] = {}

    def grown(self, name: str, dtype: str, capacity: int) -> Column:
        """Give an array of a column with more room; what the array before it held is in it, without a copy."""
        size = max(capacity * np.dtype(dtype).itemsize, mmap.PAGESIZE)
        if not hasattr(os, "posix_fallocate"):
            raise OSError("this system cannot reserve room in a file")
        if name not in self._files:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                self._files[name] = os.dup(file.fileno())
        os.posix_fallocate(self._files[name], 0, size)
        return np.ndarray(capacity, dtype, mmap.mmap(self._files[name], size))

    def __del__(self) -> None:
        for number in self._files.values():
            os.close(number)
