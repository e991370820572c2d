"""Searching the text of logs: rows by what stands anywhere in them, read from the files, as texts are not in memory."""

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from getrace.plog.file_store import FileStore
from getrace.plog.source import Bytes

_CHUNK = 8 << 20

Rows = npt.NDArray[np.intp]


def rows_with(store: FileStore, text: str) -> Iterator[Rows]:
    """Give the rows that hold a text, those of each few megabytes of a log as soon as they are found.

    Rows come in the order of their places in each source; a text that goes from one line to the next is found too.
    """
    wanted = text.encode("utf-8", "surrogateescape")
    if not wanted:
        return
    for number, data in enumerate(store.data):
        rows = _rows_of(store, number)
        offsets = store.column("offset")[rows]
        ends = offsets + store.column("length")[rows]
        for places in _places(data, wanted):
            at = np.searchsorted(offsets, places, side="right") - 1
            inside = (at >= 0) & (places + len(wanted) <= ends[at])
            yield rows[np.unique(at[inside])]


def _rows_of(store: FileStore, source: int) -> Rows:
    """Give the rows of a source in the order of their places."""
    rows = np.arange(store.rows) if len(store.data) == 1 else np.flatnonzero(store.column("source") == source)
    offsets = store.column("offset")[rows]
    return rows if np.all(offsets[1:] > offsets[:-1]) else rows[np.argsort(offsets, kind="stable")]


def _places(data: Bytes, wanted: bytes) -> Iterator[npt.NDArray[np.int64]]:
    find = re.compile(re.escape(wanted)).finditer
    start = 0
    while start < len(data):
        chunk = data.read(start, start + _CHUNK + len(wanted) - 1)
        if not chunk:
            return
        found = np.array([hit.start() for hit in find(chunk)], np.int64)
        if len(found):
            yield found[found < _CHUNK] + start
        start += _CHUNK
