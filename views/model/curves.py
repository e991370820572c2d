"""The memory curve: live bytes over time, and as many samples of it as a screen has dots.

What is alive is decided in ``getrace.analysis``, so the peak on the screen is the peak of ``getrace memory``.
"""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from getrace.analysis.block_columns import Blocks, narrow
from getrace.analysis.blocks import blocks
from getrace.analysis.memory import Usage, usage
from getrace.store.columns import none_of
from getrace.store.store import Store

Ints = npt.NDArray[np.int64]


class Curve(NamedTuple):
    """Live bytes after each change. ``rows`` are the rows that changed them; all three have one length.

    A change without a time of its own, or with an earlier one, is drawn at the last time before it, or at the first
    one of all: ``times`` never fall, so that a part of a long curve is looked up and not searched for.
    """

    times: Ints
    live: Ints
    rows: Ints

    @property
    def peak(self) -> int:
        """Index of the highest point, the first of equals; -1 when there is none."""
        return int(np.argmax(self.live)) if len(self.live) else -1


_KNOWN: WeakKeyDictionary[Store, tuple[int, Curve]] = WeakKeyDictionary()


def memory_curve(store: Store, lives: Blocks | None = None) -> Curve:
    """Give the memory curve of a store; empty when its log names no block with a size and an address, or no time.

    ``lives`` are all blocks of the store, where they are known. Several screens show this curve: it is made once.
    """
    rows = store.rows
    known, curve = _KNOWN.get(store, (-1, None))
    if known != rows or curve is None:
        curve = curve_of(usage(store, blocks(store) if lives is None else lives))
        _KNOWN[store] = rows, curve
    return curve


def curve_of(found: Usage) -> Curve:
    """Make a curve to draw of the answer of an analysis."""
    known = np.flatnonzero(found.times != none_of("time"))
    if not len(known):
        empty = np.zeros(0, np.int64)
        return Curve(empty, empty, empty)
    last_known = np.searchsorted(known, np.arange(len(found.times)), "right") - 1
    times = np.maximum.accumulate(found.times[known[np.maximum(last_known, 0)]])
    return Curve(times, narrow(found.bytes), narrow(found.rows))


def decimate(curve: Curve, start: int, end: int, samples: int) -> Ints:
    """Give the highest live bytes in each of ``samples`` equal parts of start .. end (ns, both included).

    A part without a change keeps the level it began with, so a short peak is never lost and a plateau never sinks.
    """
    if samples <= 0:
        return np.zeros(0, np.int64)
    # Relative to the start: a float has no room for the nanoseconds of an epoch.
    edges = np.arange(samples + 1, dtype=np.float64) * (max(end - start, 1) / samples)
    edges[-1] += 1
    cuts = np.searchsorted(curve.times, start + np.ceil(edges).astype(np.int64), "left")
    held = np.where(cuts[:-1] > 0, curve.live[np.maximum(cuts[:-1], 1) - 1], 0) if len(curve.live) else cuts[:-1]
    highest = held.copy()
    busy = cuts[1:] > cuts[:-1]
    if busy.any():
        starts = cuts[:-1][busy]
        peaks = np.maximum.reduceat(curve.live[: cuts[-1]], starts)
        highest[busy] = np.maximum(held[busy], peaks)
    return highest
