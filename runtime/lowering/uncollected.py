"""A stretch of work in which Python's cyclic garbage collector rests.

It owns the switch, so that it is put back however the work ends. A lowering makes objects that all stay: the collector
would walk over the growing graph again and again and find nothing, for half of the time that a large model takes.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the collector rest; afterwards it is as it was, also when the work raises."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
