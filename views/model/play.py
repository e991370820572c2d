"""Playing a log: the cursor goes on as the log's own clock did, slower or faster, and does not sit silences out."""

from typing import NamedTuple

import numpy as np

from getrace.clock import NS_PER_SECOND
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.words import duration_text

SPEEDS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
"""Log seconds in a second of the screen, as keys step through them."""
USUAL = SPEEDS.index(0.1)
LONGEST_WAIT = 2.0
"""Seconds on the screen after which a silence of the log is passed over."""
_CHUNK = 4096


class Playing(NamedTuple):
    """Where playing is: the moment of the log (ns, None before the first time), and the speed's place in ``SPEEDS``."""

    moment: int | None = None
    speed: int = USUAL

    def faster(self, direction: int) -> "Playing":
        """Give it one speed faster (1) or slower (-1)."""
        return self._replace(speed=max(min(self.speed + direction, len(SPEEDS) - 1), 0))

    @property
    def words(self) -> str:
        """The speed for a person."""
        return f"x{SPEEDS[self.speed]:g}"


class Played(NamedTuple):
    """After some time: the new state, the row, and how long a silence was passed over (ns, 0 for none)."""

    playing: Playing
    row: int
    skipped: int = 0

    @property
    def words(self) -> str:
        """What to tell of it, "" for nothing."""
        return f"passed over {duration_text(self.skipped)} of silence" if self.skipped else ""


def play(store: Store, playing: Playing, row: int, seconds: float) -> Played:
    """Go on from a row by some seconds of the screen."""
    here = store.time_or_none(row)
    moment = playing.moment if playing.moment is not None else here
    if moment is None:
        return Played(playing, min(row + 1, store.rows - 1))
    speed = SPEEDS[playing.speed]
    until = moment + int(seconds * speed * NS_PER_SECOND)
    reached = last_until(store, row, until)
    following = store.time_or_none(reached + 1) if reached + 1 < store.rows else None
    wait = int(LONGEST_WAIT * speed * NS_PER_SECOND)
    if reached == row and following is not None and following - until > wait:
        return Played(playing._replace(moment=following), row + 1, following - moment)
    return Played(playing._replace(moment=until), reached)


def last_until(store: Store, row: int, time_ns: int) -> int:
    """Give the last row from ``row`` on before one that is later than a moment; records without a time pass along."""
    times, none = store.column("time"), none_of("time")
    for start in range(row + 1, store.rows, _CHUNK):
        part = times[start : start + _CHUNK]
        later = np.flatnonzero((part > time_ns) & (part != none))
        if len(later):
            return start + int(later[0]) - 1
    return store.rows - 1
