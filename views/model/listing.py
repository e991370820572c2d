"""Which rows a table shows, in which lines: all of them, those that pass filters, with context, with repeats folded.

A table asks for the row of a line and the line of a row; nothing is copied but row numbers of four bytes.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.events import KIND_NUMBER, text
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.lookup import place_of

Rows = npt.NDArray[np.uint32]

SAME_TEXTS = 50_000
"""Ordinary log lines that are compared by their text when repeats are folded; further ones are not folded."""
_SAME_COLUMNS = ("kind", "level", "module", "pid", "tid")
_WORDS = (text.LogLine, text.Note, text.Foreign)


class Listing(NamedTuple):
    """Lines of a table over the first ``total`` rows of a store.

    ``rows`` are the rows shown, None for all. ``hits`` are those that passed the filters, None when all shown did.
    ``starts`` are places in ``rows`` (or rows) at which a folded line begins, None when nothing is folded.
    """

    total: int
    rows: Rows | None = None
    hits: Rows | None = None
    starts: Rows | None = None

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self.starts) if self.starts is not None else self._places

    @property
    def matched(self) -> int:
        """How many rows passed the filters."""
        return self._places if self.hits is None else len(self.hits)

    @property
    def passed(self) -> Rows | None:
        """The rows that passed the filters, None for all."""
        return self.rows if self.hits is None else self.hits

    def row(self, line: int) -> int:
        """Give the first row of a line."""
        place = line if self.starts is None else int(self.starts[line])
        return place if self.rows is None else int(self.rows[place])

    def times(self, line: int) -> int:
        """Give how many rows a line stands for."""
        if self.starts is None:
            return 1
        end = int(self.starts[line + 1]) if line + 1 < len(self.starts) else self._places
        return end - int(self.starts[line])

    def line(self, row: int) -> int:
        """Give the line of a row, or the line before it when the row is not shown; the first line before all."""
        place = row if self.rows is None else place_of(self.rows, row, "right") - 1
        line = place if self.starts is None else place_of(self.starts, place, "right") - 1
        return max(min(line, self.lines - 1), 0)

    def holds(self, row: int) -> bool:
        """Say whether a row is shown, alone or in a folded line."""
        if self.rows is None:
            return row < self.total
        place = place_of(self.rows, row)
        return place < len(self.rows) and int(self.rows[place]) == row

    def is_hit(self, row: int) -> bool:
        """Say whether a shown row passed the filters; the others are context."""
        if self.hits is None:
            return True
        place = place_of(self.hits, row)
        return place < len(self.hits) and int(self.hits[place]) == row

    @property
    def _places(self) -> int:
        return self.total if self.rows is None else len(self.rows)


def listing_of(
    store: Store,
    total: int,
    hits: Rows | None,
    context: int = 0,
    *,
    fold: bool = False,
    stop: Callable[[], bool] = bool,
) -> Listing:
    """Lay rows out: ``hits`` (None: all rows) with ``context`` rows around each, repeats in one line if ``fold``.

    ``stop`` is asked now and then; the listing of a stopped call is not folded.
    """
    rows = hits if hits is None or not context else with_context(hits, total, context)
    starts = fold_starts(store, total, rows, stop) if fold else None
    return Listing(total, rows, hits if context else None, starts)


def with_context(hits: Rows, total: int, context: int) -> Rows:
    """Give the rows that stand at most ``context`` rows from a hit."""
    mask = np.zeros(total, np.bool_)
    for distance in range(-context, context + 1):
        moved = hits.astype(np.int64) + distance
        mask[moved[(moved >= 0) & (moved < total)]] = True
    return np.flatnonzero(mask).astype(np.uint32)


def fold_starts(store: Store, total: int, rows: Rows | None, stop: Callable[[], bool] = bool) -> Rows | None:
    """Give the places at which something else begins than stood in the line before.

    Equal are rows of one thread with the same kind, level, module and kernel type, so the fifty ``Const`` of a graph
    are one line; ordinary log lines only when their words are equal.
    """
    picked = slice(total) if rows is None else rows
    size = total if rows is None else len(rows)
    fresh = np.ones(size, np.bool_)
    if size > 1:
        same = _kernel_types(store, picked)
        fresh[1:] = same[1:] != same[:-1]
        for name in _SAME_COLUMNS:
            cells = store.column(name)[picked]
            fresh[1:] |= cells[1:] != cells[:-1]
        _tell_words_apart(store, rows, fresh, stop)
    return np.flatnonzero(fresh).astype(np.uint32)


def _tell_words_apart(store: Store, rows: Rows | None, fresh: npt.NDArray[np.bool_], stop: Callable[[], bool]) -> None:
    kinds, lengths = store.column("kind"), store.column("length")
    picked = slice(len(fresh)) if rows is None else rows
    words = np.isin(kinds[picked], [KIND_NUMBER[kind.kind] for kind in _WORDS])
    sizes = lengths[picked]
    doubtful = np.flatnonzero(~fresh & words)
    differ = doubtful[sizes[doubtful] != sizes[doubtful - 1]]
    fresh[differ] = True
    doubtful = np.flatnonzero(~fresh & words)
    fresh[doubtful[SAME_TEXTS:]] = True
    for place in doubtful[:SAME_TEXTS].tolist():
        if stop():
            return
        row, before = (place, place - 1) if rows is None else (int(rows[place]), int(rows[place - 1]))
        fresh[place] = store.event(row) != store.event(before)


def _kernel_types(store: Store, picked: slice | Rows) -> npt.NDArray[np.int32]:
    """Give a number for the kernel type of each row, -1 outside a kernel."""
    seen: dict[str, int] = {}
    count = len(store.names)
    numbers = [seen.setdefault(split_kernel_name(store.names.text(name)).type, len(seen)) for name in range(count)]
    kernels = store.column("kernel")[picked]
    found = np.full(len(kernels), -1, np.int32)
    named = kernels != none_of("kernel")
    found[named] = np.array(numbers, np.int32)[kernels[named]]
    return found
