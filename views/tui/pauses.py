"""Keeps Python's collector of cycles from stopping the screen.

The collector looks now and then at every object there is: over a hundred thousand of them a key waits for 50 ms, over
the objects of a run of a million events for seconds. What a log or a run has left behind stays until the end, so it
need not be looked at again: it is set aside. Its objects are freed as ever when nothing refers to them any more.
"""

import gc

PERIOD = 1.0
"""Seconds between two settings aside while something is read."""


def set_aside() -> None:
    """Take all that is there out of the collector's sight; young rubbish is cleared away first, which is quick."""
    gc.collect(1)
    gc.freeze()


def give_back() -> None:
    """Let the collector see everything again: the screen is gone, and its own cycles can be cleared away."""
    gc.unfreeze()
