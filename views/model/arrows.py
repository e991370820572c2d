"""Arrows of a timeline: from a send to each wait that it lets go on, as columns.

A log may hold a hundred thousand; at each key those in sight and that of the cursor are looked up.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.analysis.stream_pairs import pairing
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.lanes import Lanes
from views.model.window import Window

Ints = npt.NDArray[np.int64]


class Arrow(NamedTuple):
    """A wait and the send that lets it go on: places of their lanes among the streams, times and rows."""

    from_lane: int
    to_lane: int
    sent: int
    waited: int
    send_row: int
    wait_row: int


class Arrows:
    """All arrows of a timeline, in the order of their waits; ``columns`` has the fields of ``Arrow``, one a line."""

    def __init__(self, columns: Ints) -> None:
        self._columns = columns
        _, _, self._sent, self._waited, self._sends, self._waits = columns

    def __len__(self) -> int:
        return len(self._sent)

    def __iter__(self) -> Iterator[Arrow]:
        return map(Arrow._make, self._columns.T.tolist())

    def inside(self, window: Window) -> "Arrows":
        """Give those that begin and end in a window."""
        first, last = np.minimum(self._sent, self._waited), np.maximum(self._sent, self._waited)
        return Arrows(self._columns[:, (first >= window.start) & (last <= window.end)])

    def at(self, row: int) -> "Arrows":
        """Give those that begin or end at a row."""
        return Arrows(self._columns[:, (self._sends == row) | (self._waits == row)])


NO_ARROWS = Arrows(np.zeros((6, 0), np.int64))


def arrows_of(store: Store, lanes: Lanes) -> Arrows:
    """Give the arrows between the lanes of streams."""
    rows = pairing(store).pairs.rows.T
    starts, ends = (_lane_of(lanes, each) for each in rows)
    sent, waited = store.column("time")[rows].astype(np.int64)
    none = none_of("time")
    known = (starts >= 0) & (ends >= 0) & (sent != none) & (waited != none)
    return Arrows(np.stack([starts, ends, sent, waited, *rows])[:, known])


def _lane_of(lanes: Lanes, rows: Ints) -> Ints:
    """Give the place of the lane that has each row as a mark; -1 for none."""
    found = np.full(len(rows), -1, np.int64)
    for place, lane in enumerate(lanes.lanes):
        found[np.isin(rows, lane.rows)] = place
    return found
