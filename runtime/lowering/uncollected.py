"""A stretch of work in which Python's cyclic garbage collector rests.

It owns the switch, so that it is put back however the work ends. A lowering makes objects that all stay: the collector
would walk over the growing graph again and again and find nothing, for half of the time that a large model takes.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SHARE: Final = 4
"""Python looks at its old objects when a quarter as many have become old as there were."""


class _OldObjects:
    """Keeps account of what was called old. Python does so only for objects that it looked at itself.

    Without this, graphs that nobody has any more would lie there until the program ends: thousands of lowerings in one
    program would take gigabytes.
    """

    def __init__(self) -> None:
        self._all = 0
        self._new = 0
        self._collections = 0

    def settle(self) -> None:
        """Look at all objects, if Python would by its own rule, and has not done so meanwhile."""
        if self._new * _SHARE > self._all and self._collections == _full_collections():
            gc.collect()
        if self._collections != _full_collections():
            self._new, self._collections = 0, _full_collections()

    def call_old(self) -> None:
        """Call all objects old, without a look at them: as young ones they would be walked over at the next allocation.

        What a program froze before stays frozen: then nothing is done.
        """
        if gc.get_freeze_count():
            return
        self._new += gc.get_count()[0]
        gc.freeze()
        self._all = gc.get_freeze_count()
        gc.unfreeze()


_OLD: Final = _OldObjects()
"""One for the process, as the collector is."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the collector rest; afterwards it is as it was, also when the work raises."""
    was_enabled = gc.isenabled()
    if was_enabled:
        _OLD.settle()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _OLD.call_old()
            gc.enable()


def _full_collections() -> int:
    return int(gc.get_stats()[-1]["collections"])
