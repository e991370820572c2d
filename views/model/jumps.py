"""Where a user can jump by typing: a line, a record, a moment, an operator."""

import re
from datetime import timedelta
from typing import NamedTuple

import numpy as np

from getrace.clock import NS_PER_SECOND, parse_time, plog_time
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.operators import kernels_of_operator, next_where

_LINE = re.compile(r"\d{1,10}\Z")
_RECORD = re.compile(r"#(\d{1,10})\Z")
_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{1,16}\Z")
_MOST = (1 << 63) - 1
"""The store's addresses are signed numbers; a larger one names no block."""
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.([\d.]{1,12}))?)?\Z")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY_NS = 24 * 3600 * NS_PER_SECOND


class Jump(NamedTuple):
    """A place to go to, in words."""

    words: str
    row: int


def jumps(store: Store, typed: str, cursor: int) -> list[Jump]:
    """Give the places that a typed text may mean; a clock time is that of the day the cursor is at."""
    typed = typed.strip()
    if not store.rows:
        return []
    found: list[Jump] = []
    if _LINE.match(typed):
        row = row_of_line(store, int(typed), cursor)
        found += [Jump(f"line {int(typed):,}", row)] if row >= 0 else []
    if record := _RECORD.match(typed):
        number = min(max(int(record[1]), 1), store.rows)
        found.append(Jump(f"record {number:,} of {store.rows:,}", number - 1))
    if address := _ADDRESS.match(typed):
        row = row_of_address(store, int(address[0], 16), cursor)
        found += [Jump(f"next record of {address[0].lower()}", row)] if row >= 0 else []
    moment = _moment(store, typed, cursor)
    if moment is not None:
        row = row_of_time(store, moment)
        when = f"{plog_time(moment)[11:]}" if row >= 0 else ""
        found += [Jump(f"first record at or after {when}", row)] if row >= 0 else []
    return found


def row_of_line(store: Store, line: int, cursor: int) -> int:
    """Give the row that holds a physical line of the cursor's source; in a live run, the record of that number."""
    lines = store.column("line")
    own = store.column("source") == store.column("source")[min(cursor, store.rows - 1)]
    if not lines[own].any():
        return min(max(line, 1), store.rows) - 1
    rows = np.flatnonzero(own & (lines <= line))
    if not len(rows):
        return int(np.flatnonzero(own)[0])
    return int(rows[np.argmax(lines[rows])])


def row_of_address(store: Store, address: int, cursor: int) -> int:
    """Give the next row behind the cursor whose record is about an address, around the end; -1 when there is none."""
    column, wanted = store.column("addr"), np.array([address & _MOST])
    row = next_where(column, wanted, cursor, 1)
    return row if row >= 0 else next_where(column, wanted, -1, 1)


def row_of_time(store: Store, time_ns: int) -> int:
    """Give the first row with a time at or after a moment; -1 when there is none."""
    times = store.column("time")
    late = times >= time_ns
    return int(np.argmax(late)) if late.any() else -1


def operators(store: Store) -> list[str]:
    """Give the operators that kernel names speak of, sorted."""
    nodes = {split_kernel_name(store.names.text(number)).node for number in range(len(store.names))}
    return sorted(nodes - {""})


def row_of_operator(store: Store, operator: str) -> int:
    """Give the first row of an operator, or -1."""
    return next_where(store.column("kernel"), kernels_of_operator(store, operator), -1, 1)


def _moment(store: Store, typed: str, cursor: int) -> int | None:
    if _DAY.match(typed):
        try:
            return parse_time(typed)
        except ValueError:
            return None
    clock = _CLOCK.match(typed)
    if clock is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in clock.groups()[:3])
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    fraction = (clock[4] or "").replace(".", "")[:9].ljust(9, "0")
    inside = int(timedelta(hours=hours, minutes=minutes, seconds=seconds).total_seconds()) * NS_PER_SECOND
    day = _day_of(store, cursor)
    return None if day is None else day + inside + int(fraction)


def _day_of(store: Store, cursor: int) -> int | None:
    time = store.time_or_none(min(cursor, store.rows - 1))
    if time is None:
        times = store.column("time")
        known = times[times != none_of("time")]
        if not len(known):
            return None
        time = int(known[0])
    return time - time % _DAY_NS
