"""What the table said of a text, remembered as numbers: logs repeat themselves.

Theory of operation. Each distinct text is asked for once and its answer becomes a row of numbers. A span finds its row
by its hash in a direct-mapped table, for all spans of a block at once; only spans whose slot holds another hash are
looked at one by one. The hash is salted, so that a log cannot choose texts that meet in one slot.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from getrace.plog.words import Padded, Places, hash_spans

_SLOT_BITS = 16
_LIMIT = 200_000

Ask = Callable[[bytes], Sequence[int]]


class Known:
    """Answers of ``width`` numbers, asked once for each distinct text and remembered up to a bound."""

    def __init__(self, ask: Ask, width: int, limit: int = _LIMIT) -> None:
        self._ask = ask
        self._width = width
        self._limit = limit
        self._forget()

    def _forget(self) -> None:
        self._rows: dict[int, int] = {}
        self._answers = np.zeros((64, self._width), np.int64)
        self._slot_hash = np.zeros(1 << _SLOT_BITS, np.uint64)
        self._slot_row = np.full(1 << _SLOT_BITS, -1, np.int64)

    def each(self, block: Padded, starts: Places, ends: Places) -> npt.NDArray[np.int64]:
        """Give the answer for each span, as an array of shape (spans, width)."""
        if len(self._rows) > self._limit:
            self._forget()
        hashes = hash_spans(block, starts, ends - starts)
        slots = (hashes >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)
        rows = self._slot_row[slots]
        missed = np.flatnonzero((self._slot_hash[slots] != hashes) | (rows < 0))
        if len(missed):
            rows[missed] = self._look_up(block, hashes[missed], slots[missed], starts[missed], ends[missed])
        return self._answers[rows]

    def _look_up(
        self, block: Padded, hashes: npt.NDArray[np.uint64], slots: Places, starts: Places, ends: Places
    ) -> Places:
        """Find or make the rows of spans that their slots do not know."""
        distinct, first, number = np.unique(hashes, return_index=True, return_inverse=True)
        found = np.empty(len(distinct), np.int64)
        for at, (key, span) in enumerate(zip(distinct.tolist(), first.tolist(), strict=True)):
            row = self._rows.get(key)
            if row is None:
                row = self._add(key, block.text(int(starts[span]), int(ends[span])))
            found[at] = row
        self._slot_hash[slots[first]] = distinct
        self._slot_row[slots[first]] = found
        return found[number]

    def _add(self, key: int, text: bytes) -> int:
        row = self._rows[key] = len(self._rows)
        if row == len(self._answers):
            self._answers = np.concatenate((self._answers, np.zeros_like(self._answers)))
        self._answers[row] = self._ask(text)
        return row
