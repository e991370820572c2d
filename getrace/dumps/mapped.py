"""A binary model file as bytes that are read from disk when they are looked at.

Offline models take gigabytes, most of them weights that no view needs.
"""

import mmap
from pathlib import Path

from getrace.errors import InputError


def map_file(path: Path) -> memoryview:
    """Give the bytes of a file. Raises InputError, naming it, when it cannot be read."""
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b"")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}", "check the path and its rights") from error
