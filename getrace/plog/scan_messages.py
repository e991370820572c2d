"""Messages of many records: which row claims each, and the columns it fills."""

from functools import cache

import numpy as np
import numpy.typing as npt

from getrace.events import KIND_NUMBER
from getrace.events.markers import KernelEnd
from getrace.events.text import LogLine
from getrace.plog.codec import TRACE_TAG
from getrace.plog.known import Known
from getrace.plog.row import GE, MARK, RUNTIME, TRACE
from getrace.plog.rows import ROWS
from getrace.plog.scan_asks import ANSWER, DOUBTFUL, Asks
from getrace.plog.scan_lines import Lines, narrowed
from getrace.plog.scan_machine import Claims, claim
from getrace.plog.scan_rows import SCOPES
from getrace.plog.table import rule_of
from getrace.plog.words import Padded, Places, find, starts_with
from getrace.store.columns import none_of
from getrace.store.forms import Form, Sparse
from getrace.store.names import Names

_NAME_WORDS = 40
_TAG = TRACE_TAG.encode()
_NO_SCOPE = -1
_ORDINARY = 2 * SCOPES.index(GE)  # the first scope of ordinary messages, as scopes and speakers are numbered

Rows = npt.NDArray[np.intp]


class MessageScanner:
    """Splits the NAME off messages and claims them; what is more than numbers is asked for once and remembered."""

    def __init__(self, names: Names, asks: Asks) -> None:
        self._names = names
        self._kernels = Known(asks.kernel, 1)
        self._memo = Known(asks.message, len(ANSWER))

    def read(self, block: Padded, lines: Lines) -> tuple[Lines, dict[str, Form]]:
        """Read messages: adds ``kernel``, ``kind`` and ``rule``, and gives the event columns that have a value."""
        lines = self._names_of(block, lines, self._scopes(lines))
        which = lines.pop("which")
        count = len(which)
        lines["kind"] = np.full(count, KIND_NUMBER[LogLine.kind], np.int64)
        lines["rule"] = np.zeros(count, np.int64)
        empty = np.flatnonzero((lines["at"] == lines["end"]) & (which == 2 * SCOPES.index(TRACE)))
        lines["kind"][empty] = KIND_NUMBER[KernelEnd.kind]
        lines["rule"][empty] = kernel_end_rule()
        rows = np.flatnonzero((which != _NO_SCOPE) & (lines["rule"] == 0))
        claims = claim(block, lines["at"][rows], lines["end"][rows], which[rows])
        claimed = claims.rule != 0
        lines["rule"][rows[claimed]], lines["kind"][rows[claimed]] = claims.rule[claimed], claims.kind[claimed]
        asked = rows[~claimed & (claims.asked | (which[rows] < _ORDINARY))]
        remembered = self._remembered(block, lines, asked, which)
        return lines, _events(rows, claims, remembered)

    def _scopes(self, lines: Lines) -> Places:
        """Give scope and speaker of ordinary messages as one number; only two modules have rows."""
        scopes = np.full(len(lines["at"]), _NO_SCOPE, np.int64)
        for name in (GE, RUNTIME):
            number = self._names.find(name)
            if number is not None:
                scopes = np.where(lines["module"] == number, 2 * SCOPES.index(name) + lines["spoken"], scopes)
        return scopes

    def _names_of(self, block: Padded, lines: Lines, which: Places) -> Lines:
        """Split NAMEs off trace messages; a NAME that is not sure leaves its line to the table."""
        at, ends = lines["at"], lines["end"]
        kernels = np.full(len(at), none_of("kernel"), np.int64)
        sure = np.ones(len(at), np.bool_)
        traces = np.flatnonzero(starts_with(block, at, _TAG) & (at + len(_TAG) <= ends))
        if len(traces):
            behind = at[traces] + len(_TAG)
            which[traces] = 2 * SCOPES.index(MARK)
            at = at.copy()
            at[traces] = behind
            named = (block.bytes[behind] == ord("[")) & (behind < ends[traces])
            rows, start = traces[named], behind[named] + 1
            closing = find(block, start, ord("]"), ends[rows], _NAME_WORDS)
            ids = self._kernels.each(block, start, np.where(closing < 0, 0, closing - start))[:, 0]
            sure[rows] = (closing >= 0) & (ids != DOUBTFUL)
            kernels[rows], which[rows], at[rows] = ids, 2 * SCOPES.index(TRACE), closing + 1
        return narrowed(sure, {**lines, "at": at, "kernel": kernels, "which": which})

    def _remembered(self, block: Padded, lines: Lines, rows: Rows, which: Places) -> dict[str, Sparse]:
        """Say what the table said of the same text before: fills ``kind`` and ``rule``, gives the event columns."""
        if not len(rows):
            return {}
        at = lines["at"][rows]
        answers = self._memo.each(block, at, lines["end"][rows] - at, tags=which[rows])
        lines["kind"][rows], lines["rule"][rows] = answers[:, 0], answers[:, 1]
        told = answers[:, 2:] != none_of("addr")
        return {
            name: Sparse(rows[told[:, number]], answers[told[:, number], 2 + number])
            for number, name in enumerate(ANSWER[2:])
            if told[:, number].any()
        }


def _events(rows: Rows, claims: Claims, remembered: dict[str, Sparse]) -> dict[str, Form]:
    """Put the event columns together, each in the order of its rows."""
    found: dict[str, Form] = {}
    for name in {**claims.values, **remembered}:
        parts = [Sparse(rows[at], values) for at, values in claims.values.get(name, ())]
        parts += [remembered[name]] if name in remembered else []
        at, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.argsort(at)
        found[name] = Sparse(at[order], values[order])
    return found


@cache
def kernel_end_rule() -> int:
    """Give the rule of a trace without a message: the end of a kernel."""
    return next(rule_of(row) for row in ROWS if row.event is KernelEnd)
