"""Prefixes of many lines: ``[LEVEL] MODULE(pid,process):time`` up to the body.

Only the plain form is read here, with milliseconds and microseconds; every other line is for the table.
"""

from dataclasses import dataclass

import numpy as np

from getrace.clock import NS_PER_SECOND, parse_plog_second
from getrace.plog.known import Known
from getrace.plog.record import read_prefix
from getrace.plog.table import decode
from getrace.plog.words import Mask, Padded, Places, digits_at, find, number_of, starts_with
from getrace.store.columns import none_of
from getrace.store.names import Names

_WORDS = 10
_SECOND = 19
_TIME = 28  # 2026-03-05-10:11:12.130.001 and the blank behind it
_ANY_TIME = b"):2000-01-01-00:00:00.000.000 "
_BAD_SECOND = none_of("time")

_DOUBTFUL = (-1, 0, 0)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The prefixes of some lines: which are plain, where their bodies begin, and their columns."""

    plain: Mask
    bodies: Places
    time: Places
    level: Places
    module: Places
    pid: Places


class PrefixScanner:
    """Reads prefixes; each distinct head and each distinct second is read once by the record layer."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._heads = Known(self._read_head, 3)
        self._seconds = Known(_read_second, 1)

    def _read_head(self, text: bytes) -> tuple[int, int, int]:
        """Read a head: level (-1: not a plain head), module id, pid."""
        found = read_prefix(decode(text + _ANY_TIME))
        if found is None or found[1]:
            return _DOUBTFUL
        prefix = found[0]
        return int(prefix.level), self._names.id(prefix.module), prefix.pid

    def scan(self, block: Padded, starts: Places, ends: Places) -> Prefixes:
        """Read the prefixes of lines."""
        closing = find(block, starts + 8, ord(")"), ends, _WORDS)
        at = np.where(closing >= 0, closing + 2, starts)
        plain = (closing >= 0) & starts_with(block, closing, b"):") & (at + _TIME <= ends)
        plain &= starts_with(block, starts, b"[")
        micros, good = _fraction(block, at + _SECOND)
        plain &= good
        heads = self._heads.each(block, starts, np.where(plain, closing, starts))
        seconds = self._seconds.each(block, at, np.where(plain, at + _SECOND, at))[:, 0]
        plain &= (heads[:, 0] >= 0) & (seconds != _BAD_SECOND)
        return Prefixes(
            plain,
            at + _TIME,
            np.where(plain, seconds, 0) * NS_PER_SECOND + micros * 1000,
            heads[:, 0],
            heads[:, 1],
            heads[:, 2],
        )


def _read_second(text: bytes) -> tuple[int]:
    try:
        return (parse_plog_second(text.decode("ascii")),)
    except ValueError:
        return (_BAD_SECOND,)


def _fraction(block: Padded, at: Places) -> tuple[Places, Mask]:
    """Read ``.130.001 ``: microseconds, and where it has this form."""
    millis, some = digits_at(block, at + 1, 4)
    rest, more = digits_at(block, at + 5, 4)
    good = starts_with(block, at, b".") & starts_with(block, at + 4, b".") & starts_with(block, at + 8, b" ")
    good &= (some == 3) & (more == 3)
    three = np.full(len(at), 3, np.int64)
    value = number_of(millis[:, :3], three, 10) * 1000 + number_of(rest[:, :3], three, 10)
    return np.where(good, value, 0), good
