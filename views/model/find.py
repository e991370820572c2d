"""Finding rows: the next error, and the next line that matches a pattern.

Errors are found in a column at once. A pattern is looked for line by line, in steps that can be stopped and that say
how far they came, so that a screen stays awake over millions of lines.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from getrace.errors import UsageError
from getrace.store.store import Store
from views.model.operators import next_where
from views.model.style import ERROR_LEVELS

FIRST_STEP = 500
STEP = 40_000
"""Rows of the first step of a search, and of the longest; each is twice the one before, for a hit is mostly near."""


class Progress(NamedTuple):
    """How far a search came. ``row`` is the hit, or -1; ``wrapped`` says that it passed the end of the log."""

    seen: int
    total: int
    row: int
    wrapped: bool


def next_error(store: Store, row: int, direction: int) -> int:
    """Give the next row above WARNING in a direction (1 or -1), not ``row`` itself; -1 when there is none."""
    return next_where(store.column("level"), np.array(ERROR_LEVELS), row, direction)


def count_errors(store: Store) -> int:
    """Give the number of rows above WARNING."""
    return int(np.isin(store.column("level"), ERROR_LEVELS).sum())


def compile_pattern(text: str) -> re.Pattern[str]:
    """Read what the user typed: a regular expression; without a capital letter it matches both cases, as less does.

    Raises:
        UsageError: it is no regular expression.
    """
    try:
        return re.compile(text, 0 if any(map(str.isupper, text)) else re.IGNORECASE)
    except re.error as error:
        raise UsageError(f"not a pattern: {error}", "write \\ before ( [ * + ? to mean the sign itself") from error


def search(store: Store, pattern: re.Pattern[str], start: int, direction: int) -> Iterator[Progress]:
    """Look for a pattern from ``start`` on (included), around the end of the log and back to it.

    Yields a report after each step, and last one with the hit, or with row -1 when no line matches.
    """
    total, seen = store.rows, 0
    for first, last, wrapped in _windows(total, start, direction):
        hits = store.matching(pattern, first, last)
        seen += last - first
        if len(hits):
            yield Progress(seen, total, int(hits[0] if direction > 0 else hits[-1]), wrapped)
            return
        yield Progress(seen, total, -1, wrapped)
    yield Progress(total, total, -1, wrapped=True)


def _windows(total: int, start: int, direction: int) -> Iterator[tuple[int, int, bool]]:
    """Give (first, last + 1, wrapped) of steps over all rows, from ``start`` to the end and around it."""
    ways = (
        ((start, total, False), (0, start, True))
        if direction > 0
        else ((0, start + 1, False), (start + 1, total, True))
    )
    step = FIRST_STEP
    for first, last, wrapped in ways:
        low, high = first, last
        while low < high:
            size = min(step, high - low)
            if direction > 0:
                yield low, low + size, wrapped
                low += size
            else:
                yield high - size, high, wrapped
                high -= size
            step = min(2 * step, STEP)
