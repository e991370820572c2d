"""A lock that two processes see, held as long as a block runs; it is gone with its process, however that ends."""

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

_LOCKS = importlib.util.find_spec("fcntl") is not None
"""Whether the system has such locks; without them the move at the end of a writer has to do."""


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[bool]:
    """Take a lock if nobody has it, and say whether it is ours. Raises OSError when there cannot be one."""
    number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield _taken(number)
    finally:
        os.close(number)


def _taken(number: int) -> bool:
    if not _LOCKS:
        return True
    import fcntl  # noqa: PLC0415 - not there on every system

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
