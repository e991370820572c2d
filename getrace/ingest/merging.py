"""Several sources as one log: rows by time, parts of one log behind one another, and clocks that are known to differ.

The order of a source's own records is never changed: within a thread it is the true one, also where times run a little
backwards (spec/kerneltrace.md 1.8). Parts of a rotated log count as one source for this.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from getrace.clock import NS_PER_SECOND
from getrace.ingest.names import is_log_name, series_of
from getrace.plog.file_store import FileStore
from getrace.store.columns import Column, none_of

OVERLAP_NS = NS_PER_SECOND
"""How far the times of two parts of one log may overlap: threads are late by less. What overlaps more are two logs."""

KEPT_PARTS = 10
"""Files that GE keeps of one process and type (spec/kerneltrace.md 1.8)."""

Rows = npt.NDArray[np.intp]


def series(store: FileStore) -> list[list[int]]:
    """Group the sources that are parts of one log: by their names, and by what their records say. In their order.

    Parts of one log have a process in common, and one begins where the other ends.
    """
    by_name: dict[tuple[str, str], list[int]] = {}
    for number, source in enumerate(store.sources):
        by_name.setdefault(series_of(source.path), []).append(number)
    spans = _spans(store)
    groups = []
    for numbers in by_name.values():
        ordered = sorted(numbers, key=lambda number: (spans[number][0], store.sources[number].path))
        groups.append([ordered[0]])
        for number in ordered[1:]:
            before, own = spans[groups[-1][-1]], spans[number]
            if own[0] >= before[1] - OVERLAP_NS and own[2] & before[2]:
                groups[-1].append(number)
            else:
                groups.append([number])
    return sorted(groups, key=min)


def perhaps_lost(store: FileStore, groups: Sequence[Sequence[int]]) -> list[str]:
    """Say of which logs older parts may be gone: GE keeps a number of files and removes the oldest (spec 1.8)."""
    full = [group for group in groups if len(group) >= KEPT_PARTS and is_log_name(store.sources[group[0]].path)]
    if not full:
        return []
    first, more = store.sources[full[0][0]].path, len(full) - 1
    others = f", and so it is with {more} other logs" if more else ""
    text = f"{first} and {len(full[0]) - 1} more are as many files of a process as GE keeps: older ones may be lost"
    return [f"{text} (ASCEND_HOST_LOG_FILE_NUM sets how many){others}"]


def _spans(store: FileStore) -> list[tuple[int, int, set[int]]]:
    """Give for each source its first and its last time, and its processes."""
    time, pid = store.column("time"), store.column("pid")
    spans = []
    for own in rows_by_source(store):
        times = time[own]
        times = times[times != none_of("time")]
        first, last = (int(times[0]), int(times.max())) if len(times) else (0, 0)
        spans.append((first, last, set(np.unique(pid[own]).tolist())))
    return spans


def merge(store: FileStore, groups: Sequence[Sequence[int]]) -> None:
    """Order the rows of all sources by time; the order within each group of sources stays.

    A record without a time stands behind the one before it. Where a source's clock is known to be ahead
    (``Source.clock``), its records are placed as if it were not; their times stay what the log says.
    """
    time, source = store.column("time"), store.column("source")
    ahead, of_source = _ahead(store), rows_by_source(store)
    rows, keys = [], []
    for group in groups:
        own = np.concatenate([of_source[number] for number in group])
        keys.append(np.maximum.accumulate(_moments(time[own], source[own], ahead)))
        rows.append(own)
    order = np.concatenate(rows)[np.argsort(np.concatenate(keys), kind="stable")]
    if not np.array_equal(order, np.arange(len(order))):
        store.keep(order)


def _ahead(store: FileStore) -> Column:
    """Give how far each source's clock is proven to be ahead, and 1 ns more: of two records the cause comes first."""
    proven = np.array([0 if each.clock is None else each.clock.proven_ns for each in store.sources], np.int64)
    return proven + np.sign(proven)


def _moments(time: Column, source: Column, ahead: Column) -> Column:
    """Give times by the host's clock, as far as it is known."""
    if not ahead.any():
        return time
    return np.where(time == none_of("time"), time, time - ahead[source])


def rows_by_source(store: FileStore) -> list[Rows]:
    """Give the rows of each source, found in one pass: one for each of thousands costs more than reading them."""
    source = store.column("source")
    ends = np.cumsum(np.bincount(source, minlength=len(store.sources)))
    return np.split(np.argsort(source, kind="stable"), ends[:-1])
