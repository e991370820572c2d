"""Messages of many records: which row claims each, and the columns it fills."""

from functools import cache

import numpy as np
import numpy.typing as npt

from getrace.events import KIND_NUMBER
from getrace.events.markers import KernelEnd
from getrace.events.text import LogLine
from getrace.plog.known import Known
from getrace.plog.row import GE, MARK, RUNTIME, TRACE
from getrace.plog.rows import ROWS
from getrace.plog.scan_rows import NumericRow, numeric_rows
from getrace.plog.table import decode, message_cells, rule_of
from getrace.plog.words import Mask, Padded, Places, low_bytes, starts_with, word_of
from getrace.store.columns import EVENT_COLUMNS, none_of

_HEAD = 5
SCOPES = (TRACE, MARK, GE, RUNTIME)
"""Scopes by the numbers that the scanner uses; -1 is a message that no row can claim."""

_ANSWER = ("kind", "rule", *EVENT_COLUMNS)

Columns = dict[str, Places]


class Messages:
    """Claims messages; ``memo`` answers for texts that are more than numbers."""

    def __init__(self) -> None:
        self._memo = {
            (scope, spoken): Known(_Ask(scope, spoken), len(_ANSWER)) for scope in SCOPES for spoken in (False, True)
        }

    def scan(self, block: Padded, starts: Places, ends: Places, scopes: Places, spoken: Mask) -> Columns:
        """Give kind, rule and event columns of messages; ``scopes`` are indices into SCOPES or -1."""
        columns = {name: np.full(len(starts), none_of(name), np.int64) for name in EVENT_COLUMNS}
        columns["kind"] = np.full(len(starts), KIND_NUMBER[LogLine.kind], np.int64)
        columns["rule"] = np.zeros(len(starts), np.int64)
        self._headers_only(columns, starts, ends, scopes)
        for number, scope in enumerate(SCOPES):
            for speaking in (False, True):
                chosen = (scopes == number) & (spoken == speaking) & (columns["rule"] == 0)
                if number >= SCOPES.index(GE):
                    chosen &= _has_row_head(block, starts, scope)
                left = _numeric(block, columns, np.flatnonzero(chosen), starts, ends, (scope, speaking))
                self._remembered(block, columns, left, starts, ends, (scope, speaking))
        return columns

    @staticmethod
    def _headers_only(columns: Columns, starts: Places, ends: Places, scopes: Places) -> None:
        empty = (starts == ends) & (scopes == SCOPES.index(TRACE))
        columns["kind"][empty] = KIND_NUMBER[KernelEnd.kind]
        columns["rule"][empty] = _kernel_end_rule()

    def _remembered(
        self,
        block: Padded,
        columns: Columns,
        at: npt.NDArray[np.intp],
        starts: Places,
        ends: Places,
        which: tuple[str, bool],
    ) -> None:
        if len(at):
            answers = self._memo[which].each(block, starts[at], ends[at])
            for number, name in enumerate(_ANSWER):
                columns[name][at] = answers[:, number]


class _Ask:
    """Asks the table what a message says."""

    def __init__(self, scope: str, spoken: bool) -> None:
        self._scope = scope
        self._allocator = "allocator" if spoken else None

    def __call__(self, text: bytes) -> tuple[int, ...]:
        cells = message_cells(self._scope, decode(text), self._allocator)
        return tuple(cells.get(name, none_of(name)) for name in _ANSWER)


@cache
def _kernel_end_rule() -> int:
    return next(rule_of(row) for row in ROWS if row.event is KernelEnd)


@cache
def _heads(scope: str) -> npt.NDArray[np.uint64]:
    heads = {row.template.head.encode()[:_HEAD] for row in ROWS if row.scope == scope}
    return np.array(sorted(word_of(head) for head in heads if len(head) == _HEAD), np.uint64)


@cache
def _short_heads(scope: str) -> tuple[bytes, ...]:
    return tuple({row.template.head.encode() for row in ROWS if row.scope == scope and len(row.template.head) < _HEAD})


def _has_row_head(block: Padded, starts: Places, scope: str) -> Mask:
    """Say which messages begin like a row of an ordinary scope; most log lines do not."""
    words = block.words[starts] & low_bytes(_HEAD)
    heads = _heads(scope)
    found: Mask = heads[np.minimum(np.searchsorted(heads, words), len(heads) - 1)] == words
    for head in _short_heads(scope):
        found |= starts_with(block, starts, head)
    return found


@cache
def _rows_by_head(scope: str, spoken: bool) -> dict[bytes, list[NumericRow]]:
    rows: dict[bytes, list[NumericRow]] = {}
    for row in numeric_rows():
        if (row.scope, row.spoken) == (scope, spoken):
            rows.setdefault(row.head[:8], []).append(row)
    return rows


def _numeric(
    block: Padded, columns: Columns, at: npt.NDArray[np.intp], starts: Places, ends: Places, which: tuple[str, bool]
) -> npt.NDArray[np.intp]:
    """Read the messages that hold only numbers; give back those that are left."""
    if not len(at):
        return at
    left = np.ones(len(at), np.bool_)
    words = block.words[starts[at]]
    for head, rows in _rows_by_head(*which).items():
        alike = np.flatnonzero((words & low_bytes(len(head))) == word_of(head))
        for row in rows if len(alike) else ():
            mine = alike[left[alike]]
            mine = mine[starts_with(block, starts[at[mine]], row.head)]
            chosen = at[mine]
            fits, values = row.read(block, starts[chosen], ends[chosen])
            _fill(columns, chosen[fits], row, {name: value[fits] for name, value in values.items()})
            left[mine[fits]] = False
    return at[left]


def _fill(columns: Columns, rows: npt.NDArray[np.intp], row: NumericRow, values: Columns) -> None:
    columns["rule"][rows] = row.rule
    columns["kind"][rows] = KIND_NUMBER[ROWS[row.rule - 1].event.kind]
    for name, value in values.items():
        columns[name][rows] = value
