"""What the table said of a text, remembered as numbers: logs repeat themselves.

Theory of operation. Each distinct text is asked for once and its answer becomes a row of numbers. A span finds its row
by its hash in a direct-mapped table, for all spans of a block at once; only spans whose slot holds another hash are
looked at one by one. The hash is salted, so that a log cannot choose texts that meet in one slot.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from getrace.plog.words import Padded, Places, Words, hash_spans

_SLOT_BITS = 15
_LIMIT = 200_000
_TAG_SALT = np.uint64(0x9E3779B97F4A7C15)

Ask = Callable[[bytes, int], Sequence[int]]
"""From a text and its tag (what else the answer depends on, 0 when nothing) to the numbers of the answer."""


class Known:
    """Answers of ``width`` numbers, asked once for each distinct text and tag and remembered up to a bound."""

    def __init__(self, ask: Ask, width: int, limit: int = _LIMIT) -> None:
        self._ask = ask
        self._width = width
        self._limit = limit
        self._forget()

    def _forget(self) -> None:
        self._rows: dict[int, int] = {}
        self._answers = np.zeros((64, self._width), np.int64)
        self._slot_hash = np.zeros(1 << _SLOT_BITS, np.uint64)
        self._slot_row = np.full(1 << _SLOT_BITS, -1, np.int32)

    def each(
        self,
        block: Padded,
        starts: Places,
        lengths: Places,
        *,
        tags: Places | None = None,
        windows: Words | None = None,
    ) -> npt.NDArray[np.int64]:
        """Give the answer for each span, as an array of shape (spans, width).

        ``windows`` are those at the beginnings of the spans, where the caller has fetched them already.
        """
        if len(self._rows) > self._limit:
            self._forget()
        hashes = hash_spans(block, starts, lengths, windows)
        if tags is not None:
            hashes ^= tags.astype(np.uint64) * _TAG_SALT
        slots = (hashes >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)
        rows = self._slot_row[slots]
        missed = np.flatnonzero((self._slot_hash[slots] != hashes) | (rows < 0))
        if len(missed):
            which = np.zeros(len(missed), np.int64) if tags is None else tags[missed]
            rows[missed] = self._look_up(block, hashes[missed], slots[missed], (starts[missed], lengths[missed], which))
        return np.take(self._answers, rows, axis=0)

    def _look_up(
        self, block: Padded, hashes: Words, slots: Places, spans: tuple[Places, Places, Places]
    ) -> npt.NDArray[np.int32]:
        """Find or make the rows of spans (starts, lengths, tags) that their slots do not know, in the spans' order.

        The order of hashes is another in each process, and names that are met for the first time are numbered here.
        """
        distinct, first, number = np.unique(hashes, return_index=True, return_inverse=True)
        starts, lengths, tags = (part[first].tolist() for part in spans)
        found, keys = np.empty(len(distinct), np.int32), distinct.tolist()
        for at in np.argsort(first).tolist():
            key = keys[at]
            row = self._rows.get(key)
            if row is None:
                row = self._add(key, self._ask(block.text(starts[at], starts[at] + lengths[at]), tags[at]))
            found[at] = row
        self._slot_hash[slots[first]] = distinct
        self._slot_row[slots[first]] = found
        return found[number]

    def _add(self, key: int, answer: Sequence[int]) -> int:
        row = self._rows[key] = len(self._rows)
        if row == len(self._answers):
            self._answers = np.concatenate((self._answers, np.zeros_like(self._answers)))
        self._answers[row] = answer
        return row
