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
            _count_as_old()
            gc.enable()


def _count_as_old() -> None:
    """Call all objects old, without a look at them: as young ones they would be walked over at the next allocation.

    What a program froze before stays frozen: then nothing is done.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
