"""Filters of the event table: what a user types, and the rows that pass.

A filter is one condition on a column, or a regular expression on the lines; ``-`` before it takes rows out. All that
are switched on must let a row pass. Columns are compared at once; names are matched once each, rows by number; only an
expression on lines reads the log.
"""

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.errors import UsageError
from getrace.events import EVENTS, Level
from getrace.ids import split_kernel_name
from getrace.store.columns import EVENT_COLUMNS, none_of
from getrace.store.store import Store
from views.model.find import compile_pattern

Mask = npt.NDArray[np.bool_]
Test = Callable[[Store, int, int], Mask]
"""Which rows of ``first`` .. ``last - 1`` a condition holds for."""

WINDOW = 200_000
"""Rows between two reports, for conditions on columns."""
WINDOW_OF_LINES = 40_000
"""The same, for expressions on lines."""

_CONDITION = re.compile(r"(?P<field>[a-z]+)\s*(?P<sign>>=|<=|!=|=|>|<|~)\s*(?P<value>.+)\Z", re.DOTALL)
_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[kmgt]?)i?b?\Z", re.IGNORECASE)
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_NUMBERS: dict[str, str] = {
    "pid": "pid",
    "tid": "tid",
    "stream": "stream",
    "rt": "rt_stream",
    "task": "task",
    "event": "event_id",
    "size": "size",
    "asked": "asked",
    "addr": "addr",
    "line": "line",
}
_LEVELS = {level.name.lower(): int(level) for level in Level} | {"warn": int(Level.WARNING), "err": int(Level.ERROR)}
_WEIGHTS = np.ones(256, np.int64)
"""How much a level weighs: those that only old logs print, and EVENT, weigh as INFO."""
_WEIGHTS[[Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR, Level.CRITICAL, Level.EXCEPTION]] = [0, 1, 2, 3, 4, 4]
FIELDS = ("level", "module", "kind", "kernel", "op", *_NUMBERS)
"""What can stand before a sign."""


class Filter(NamedTuple):
    """A filter as the user typed it, without the sign of ``out``; ``lines`` says that it has to read the log."""

    text: str
    out: bool
    test: Test
    lines: bool = False
    on: bool = True

    @property
    def shown(self) -> str:
        """The filter as it is shown, and as it could be typed again."""
        return ("-" if self.out else "") + self.text


def parse_filter(typed: str) -> Filter:
    """Read a filter: ``level>=warning``, ``kernel=Const``, ``op~add``, ``size>1M``, ``-RUNTIME``, any expression.

    Raises:
        UsageError: it is none; the hint names the fields.
    """
    out = typed[:1] in {"-", "!"}
    text = typed[1:].strip() if out else typed.strip()
    if not text:
        raise UsageError("an empty filter", f"type a regular expression, or one of {', '.join(FIELDS)} with = > < ~")
    found = _CONDITION.match(text)
    if found is None or found["field"] not in FIELDS:
        pattern = compile_pattern(text)
        return Filter(text, out, lambda store, first, last: _in_lines(store, first, last, pattern), lines=True)
    return Filter(text, out, _condition(found["field"], found["sign"], found["value"].strip()))


def passing(store: Store, filters: Sequence[Filter], first: int, last: int) -> Iterator[npt.NDArray[np.uint32]]:
    """Give the rows of ``first`` .. ``last - 1`` that pass, window by window, so that a caller can stop."""
    active = sorted((one for one in filters if one.on), key=lambda one: one.lines)
    window = WINDOW_OF_LINES if any(one.lines for one in active) else WINDOW
    for start in range(first, last, window):
        end = min(start + window, last)
        mask = np.ones(end - start, np.bool_)
        for one in active:
            if mask.any():
                mask &= one.test(store, start, end) ^ one.out
        yield (np.flatnonzero(mask) + start).astype(np.uint32)


def _condition(field: str, sign: str, value: str) -> Test:
    if field == "level":
        return _of_level(sign, value)
    if field in _NUMBERS:
        return _of_number(_NUMBERS[field], sign, value)
    if sign not in {"=", "~", "!="}:
        raise UsageError(f"{field} has no order: {sign}", f"write {field}=TEXT")
    wanted = compile_pattern(value)
    pick: Callable[[Store], npt.NDArray[np.int64]] = {
        "module": lambda store: _names(store, wanted, str),
        "kernel": lambda store: _names(store, wanted, str),
        "op": lambda store: _names(store, wanted, lambda name: split_kernel_name(name).node),
        "kind": lambda _: np.array([n for n, kind in enumerate(EVENTS) if wanted.search(kind.kind)], np.int64),
    }[field]
    column = "kernel" if field == "op" else field
    negate = sign == "!="
    return lambda store, first, last: np.isin(store.column(column)[first:last], pick(store)) ^ negate


def _of_level(sign: str, value: str) -> Test:
    level = _LEVELS.get(value.lower())
    if level is None or sign == "~":
        raise UsageError(f"no such level: {value}", f"the levels are {', '.join(_LEVELS)}")
    compare, exact = _SIGNS[sign], sign in {"=", "!="}
    weights = np.arange(256) if exact else _WEIGHTS
    wanted = level if exact else int(_WEIGHTS[level])
    return lambda store, first, last: np.asarray(compare(weights[store.column("level")[first:last]], wanted), np.bool_)


def _of_number(column: str, sign: str, value: str) -> Test:
    number = _number(value)
    if sign == "~":
        raise UsageError(f"{column} is a number", f"write {column}=NUMBER, or with > < >= <=")
    compare, none = _SIGNS[sign], none_of(column)

    def test(store: Store, first: int, last: int) -> Mask:
        if column not in EVENT_COLUMNS:
            cells = store.column(column)[first:last]
            return np.asarray(compare(cells, number) & (cells != none), np.bool_)
        # Few rows say anything: only those are compared, and the column is not made whole.
        told = store.told(column)
        told = told[slice(*np.searchsorted(told, (first, last)))]
        mask = np.zeros(last - first, np.bool_)
        mask[told - first] = compare(store.at(column, told), number)
        return mask

    return test


def _number(value: str) -> int:
    """Read a number: plain, hex, or with a unit of bytes (K, M, G, T mean powers of 1,024)."""
    if value.lower().startswith("0x"):
        try:
            return int(value, 16)
        except ValueError:
            raise UsageError(f"no hex number: {value}", "write it as 0x12c041200000") from None
    if re.fullmatch(r"-\d+", value):
        return int(value)
    found = _SIZE.match(value)
    if found is None:
        raise UsageError(f"no number: {value}", "write 17, 0x12c0, 64K or 1.5M")
    return int(float(found["number"]) * 1024 ** " kmgt".index(found["unit"].lower() or " "))


def _names(store: Store, wanted: re.Pattern[str], part: Callable[[str], str]) -> npt.NDArray[np.int64]:
    return np.array(store.names.matching(lambda name: wanted.search(part(name)) is not None), np.int64)


def _in_lines(store: Store, first: int, last: int, pattern: re.Pattern[str]) -> Mask:
    mask = np.zeros(last - first, np.bool_)
    mask[store.matching(pattern, first, last) - first] = True
    return mask
