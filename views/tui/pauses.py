"""Keeps Python's memory from stopping the screen, and from growing with what is gone.

The collector of cycles looks now and then at every object there is: over a hundred thousand of them a key waits for
50 ms, over the objects of a run of a million events for seconds. What a log or a run has left behind stays until the
end, so it need not be looked at again: it is set aside. Its objects are freed as ever when nothing refers to them.

A reading of a large log leaves its scratch columns behind, which the C library keeps for the thread that made them:
200 MB over ten million rows. Where the library can (glibc), they are handed back to the system.
"""

import ctypes
import gc
import sys
from collections.abc import Callable

PERIOD = 1.0
"""Seconds between two settings aside while something is read."""


def set_aside() -> None:
    """Take all that is there out of the collector's sight; young rubbish is cleared away first, which is quick."""
    gc.collect(1)
    gc.freeze()


def give_back() -> None:
    """Let the collector see everything again: the screen is gone, and its own cycles can be cleared away."""
    gc.unfreeze()


def hand_back() -> None:
    """Give memory that nobody uses to the system; for the thread that has read, it may take some milliseconds."""
    trim = _trim()
    if trim is not None:
        trim(0)


def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim
