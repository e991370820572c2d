"""Searching the text of logs: rows by a text that stands anywhere in them, read from the files.

Texts are not kept in memory. One without anything special about it is looked for in the bytes as they are, which takes
hardly longer than reading them.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from getrace.plog.source import Bytes
from getrace.store.columns import Column
from getrace.store.store import Store

_CHUNK = 1 << 18  # stays in the processor's cache between being read and being searched
_PLAIN = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^a-zA-Z0-9])+", re.DOTALL)

Rows = npt.NDArray[np.intp]


def literal_of(pattern: re.Pattern[str]) -> str | None:
    """Give the text that a pattern stands for; None when it is more than a text."""
    if pattern.flags != re.UNICODE or not _PLAIN.fullmatch(pattern.pattern):
        return None
    return re.sub(r"\\(.)", r"\1", pattern.pattern, flags=re.DOTALL)


def rows_with(store: Store, sources: Sequence[Bytes], text: str, first: int, last: int) -> Iterator[Rows]:
    """Give the rows of ``first`` .. ``last - 1`` that hold a text, in parts as they are found, source after source."""
    wanted = text.encode("utf-8", "surrogateescape")
    part = slice(first, last)
    for number, data in enumerate(sources):
        rows = None if len(sources) == 1 else np.flatnonzero(store.column("source")[part] == number)
        offsets = _chosen(store.column("offset")[part], rows)
        if len(offsets) and np.any(offsets[1:] < offsets[:-1]):
            order = np.argsort(offsets, kind="stable")
            rows, offsets = _chosen(np.arange(len(offsets)), order) if rows is None else rows[order], offsets[order]
        lengths = _chosen(store.column("length")[part], rows)
        if len(offsets):
            for places in _places(data, wanted, int(offsets[0]), int(offsets[-1]) + int(lengths[-1])):
                at = np.searchsorted(offsets, places, side="right") - 1
                found = np.unique(at[places + len(wanted) <= offsets[at] + lengths[at]])
                yield first + (found if rows is None else rows[found])


def _chosen(column: Column, rows: Rows | None) -> Column:
    return column if rows is None else column[rows]


def _places(data: Bytes, wanted: bytes, start: int, end: int) -> Iterator[npt.NDArray[np.int64]]:
    """Give the places of a text between two others, chunk after chunk."""
    for begin in range(start, end, _CHUNK):
        chunk = data.read(begin, min(begin + _CHUNK + len(wanted) - 1, end))
        found: list[int] = []
        at = chunk.find(wanted)
        while 0 <= at < _CHUNK:
            found.append(begin + at)
            at = chunk.find(wanted, at + 1)
        if found:
            yield np.array(found)
