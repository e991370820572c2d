"""What of a log was not understood, counted by reason: a log that answers little must say why.

No line is dropped, so what is not understood is somewhere: as a record without what a record has, or as text that was
given to the record before it.
"""

import re

import numpy as np

from getrace.events import EVENTS, Level
from getrace.events.text import Foreign
from getrace.store.columns import CUT, none_of
from getrace.store.store import Store

UNCLAIMED = "KernelTrace records of no row of the grammar"
DAMAGED = "lines like a record whose prefix cannot be read"
FOREIGN = "lines before the first record"
NO_TIME = "records without a time"
NO_LEVEL = "records of an unknown level"
CUT_SHORT = "records that GE cut"
TOO_LONG = "lines too long for a record, as when line ends are lost"

_LONGEST = 16 << 10
"""Bytes of a line that no program writes: GE's buffer holds 1,024, and what other tools put in front is short."""

_MOST = 20_000  # records of several lines that are looked into
_LIKE_A_RECORD = re.compile(
    rb"[^\n]{0,80}?(?:\b[A-Z]{4,9}\] ?[A-Z][A-Z0-9_]{1,15}\("
    rb"|[A-Z][A-Z0-9_]{1,15}\(-?\d{1,10},[^\n]{0,60}?\):|\[KernelTrace\])"
)


def not_understood(store: Store, unclaimed: int) -> dict[str, int]:
    """Count what was not understood by reason, without the reasons that never came up.

    Of the lines behind the first of a record those of the first 20,000 such records are looked at.
    """
    foreign = store.column("kind") == EVENTS.index(Foreign)
    counts = {
        UNCLAIMED: unclaimed,
        DAMAGED: sum(_damaged(store, row) for row in np.flatnonzero(store.column("lines") > 1)[:_MOST].tolist()),
        FOREIGN: int(store.column("lines")[foreign].sum()),
        NO_TIME: int(np.count_nonzero((store.column("time") == none_of("time")) & ~foreign)),
        NO_LEVEL: int(np.count_nonzero((store.column("level") == Level.UNKNOWN) & ~foreign)),
        TOO_LONG: _too_long(store),
        CUT_SHORT: int(np.count_nonzero(store.column("flags") & CUT)),
    }
    return {reason: count for reason, count in counts.items() if count}


def _too_long(store: Store) -> int:
    """Count records whose lines are that long on the average: of a single one, or one among few."""
    length, lines = store.column("length"), store.column("lines").astype(np.int64)
    return int(np.count_nonzero((length > lines * _LONGEST) & (length != none_of("length"))))


def _damaged(store: Store, row: int) -> int:
    """Count the lines of a row that begin like a record but do not begin one."""
    lines = store.text(row).encode("utf-8", "surrogateescape").split(b"\n")
    return sum(_LIKE_A_RECORD.match(line) is not None for line in lines[1:])
