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

STEP = 2_000
"""Rows between two reports of a search."""
LINE_LIMIT = 100_000
"""Characters of a record that are searched: a megabyte of hex must not hold a search up."""


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

    Yields a report each ``STEP`` rows, and last one with the hit, or with row -1 when no line matches.
    """
    total = store.rows
    for seen in range(total):
        place = start + direction * seen
        row = place % total
        wrapped = not 0 <= place < total
        if pattern.search(store.text(row)[:LINE_LIMIT]):
            yield Progress(seen + 1, total, row, wrapped)
            return
        if seen % STEP == STEP - 1:
            yield Progress(seen + 1, total, -1, wrapped)
    yield Progress(total, total, -1, wrapped=True)
