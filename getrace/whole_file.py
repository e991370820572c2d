"""Writing a file so that it is whole or not there: beside its place first, then moved.

A stopped program never leaves half a file with a good name, and a file that is read while it is written again stays
what it was until the end.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from getrace.errors import UsageError


@contextlib.contextmanager
def whole_file(out: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name when the block ends well, and not at all when it fails.

    A place that is no ordinary file (``/dev/stdout``, a pipe) is written directly. Raises UsageError when the folder or
    the file cannot be written, also when the disk fills up.
    """
    try:
        if out.exists() and not out.is_file():
            with out.open("wb") as file:
                yield file
            return
        descriptor, beside = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
            Path(beside).chmod(_mode())
            Path(beside).replace(out)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(
            f"cannot write {out}: {error.strerror}", "name a file in a folder that may be written"
        ) from error


def _mode() -> int:
    """Give the mode an ordinary new file would have; a temporary one is for its owner only."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
