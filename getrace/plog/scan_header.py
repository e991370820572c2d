"""Headers of many bodies: what stands in front of the message, ``[file:line]tid Func:`` and its relatives.

The border is found by brackets and the first colon, the header is read by the record layer once for each distinct
text. Where the record layer could have looked behind the border, the line is for the table.
"""

from dataclasses import dataclass

import numpy as np

from getrace.events import Level
from getrace.plog.known import Known
from getrace.plog.record import Prefix, read_body
from getrace.plog.table import decode
from getrace.plog.words import Mask, Padded, Places, find, starts_with
from getrace.store.columns import held, none_of

_WORDS = 20
_GROUPS = 4
_STAGES = (b"[INI", b"[COM", b"[LOA", b"[EXE", b"[FIN")


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of some bodies: which are plain, where messages begin, tids, whether an allocator speaks."""

    plain: Mask
    messages: Places
    tid: Places
    spoken: Mask


class HeaderScanner:
    """Reads headers of one module; each distinct text is read once."""

    def __init__(self, module: str) -> None:
        self._prefix = Prefix(Level.INFO, module, 0, "", 0, 6, tidy=True, outer="")
        self._known = Known(self._read, 3)

    def _read(self, text: bytes) -> tuple[int, int, int]:
        """Read a header: its length in bytes (-1: for the table), tid (or none), whether an allocator speaks."""
        record = read_body(self._prefix, decode(text))
        length = len(text) - len(record.text.encode("utf-8", "surrogateescape"))
        if record.code is not None or record.tags:
            # the record layer may have read a part of the message as header
            length = -1 if record.layout in ("ge-error", "plain") else length
        tid = none_of("tid") if record.tid is None else held("tid", record.tid)
        return length, tid, int(record.allocator is not None)

    def scan(self, block: Padded, starts: Places, ends: Places) -> Headers:
        """Read the headers of bodies."""
        borders, plain = _borders(block, starts, ends)
        plain &= ~_doubtful(block, borders, ends)
        numbers = self._known.each(block, starts, np.where(plain, borders, starts))
        plain &= numbers[:, 0] >= 0
        return Headers(plain, starts + np.maximum(numbers[:, 0], 0), numbers[:, 1], numbers[:, 2] != 0)


def _borders(block: Padded, starts: Places, ends: Places) -> tuple[Places, Mask]:
    """Find the end of the header: up to four groups in brackets, then a tid up to the colon behind its function."""
    at = starts.copy()
    good = starts_with(block, at, b"[") & (at < ends)
    for _ in range(_GROUPS):
        blank = starts_with(block, at, b" [")
        opens = np.flatnonzero(good & (starts_with(block, at, b"[") | blank))
        closing = find(block, at[opens] + 1, ord("]"), ends[opens], _WORDS)
        good[opens[closing < 0]] = False
        at[opens] = np.where(closing < 0, at[opens], closing + 1)
    after = at + starts_with(block, at, b" ")
    is_tid = np.flatnonzero(good & (after < ends) & (block.bytes[after] - np.uint8(48) < 10))
    colon = find(block, at[is_tid], ord(":"), ends[is_tid], _WORDS)
    good[is_tid[colon < 0]] = False
    behind = colon + 1
    behind += starts_with(block, behind, b" ") & (behind < ends[is_tid])
    at[is_tid] = np.where(colon < 0, at[is_tid], behind)
    return at, good


def _doubtful(block: Padded, borders: Places, ends: Places) -> Mask:
    """Say where the record layer could have found more header behind the border."""
    doubt = starts_with(block, borders, b":") | starts_with(block, borders, b"ErrorNo")
    for stage in _STAGES:
        doubt |= starts_with(block, borders, stage)
    return (doubt | starts_with(block, borders, b" >>> (")) & (borders < ends)
