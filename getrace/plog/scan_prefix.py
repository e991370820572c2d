"""Prefixes of many lines: ``[LEVEL] MODULE(pid,process):time`` up to the body.

Only the plain form is read here, with milliseconds and microseconds; every other line is for the table.
"""

import numpy as np

from getrace.clock import NS_PER_SECOND
from getrace.plog.known import Known
from getrace.plog.scan_asks import BAD_SECOND, DOUBTFUL, Asks
from getrace.plog.scan_lines import Lines, narrowed
from getrace.plog.words import WIDTH, Mask, Padded, Places, Words, bitmap, count_trailing, find, members

_WORDS = 40
_FIRST = 8  # the shortest head, [INFO] A(1,), closes behind this
_SECOND = 19
_UPPER = np.array([65 <= byte <= 90 for byte in range(256)])
_TIME = 28  # 2026-03-05-10:11:12.130.001 and the blank behind it

# The eight bytes .130.001 as one word: points where points belong, digits elsewhere.
_POINTS = np.uint64(0x3030302E3030302E)
_SIX = np.uint64(0x0606060006060600)
_HALVES = np.uint64(0xF0F0F0FFF0F0F0FF)


class PrefixScanner:
    """Reads prefixes; each distinct head and each distinct second is read once by the record layer."""

    def __init__(self, asks: Asks) -> None:
        self._outers = Known(asks.outer, 1)
        self._heads = Known(asks.head, 3)
        self._seconds = Known(asks.second, 1)

    def read(self, block: Padded, lines: Lines) -> Lines:
        """Read the prefixes of lines; those that are plain get time, level, module, pid, and ``at``: their bodies."""
        windows = block.windows(lines["start"])
        lines, windows = self._without_outer(block, lines, windows)
        closing = _closing(block, lines, windows)
        time = lines["head"] + closing + 2
        stamps = block.windows(np.minimum(time, block.size))
        micros, plain = _fraction(stamps)
        plain &= (closing > 0) & (windows[:, 0] & np.uint64(0xFF) == ord("[")) & (time + _TIME <= lines["end"])
        plain &= block.bytes[np.minimum(time - 1, block.size)] == ord(":")
        lines = narrowed(plain, {**lines, "time": time, "closing": closing, "micros": micros})
        time, closing, micros = lines["time"], lines.pop("closing"), lines.pop("micros")
        windows, stamps = (windows, stamps) if plain.all() else (windows[plain], stamps[plain])
        heads = self._heads.each(block, lines["head"], closing, windows=windows)
        seconds = self._read_seconds(block, time, stamps)
        lines["time"] = seconds * NS_PER_SECOND + micros * 1000
        for number, name in enumerate(("level", "module", "pid")):
            lines[name] = heads[:, number]
        lines["at"] = time + _TIME
        return narrowed((heads[:, 0] >= 0) & (seconds != BAD_SECOND), lines)

    def _without_outer(self, block: Padded, lines: Lines, windows: Words) -> tuple[Lines, Words]:
        """Find where records begin behind what other programs put in front: adds ``head``, and its windows."""
        odd = ~_begins(windows[:, 0])
        head = lines["start"]
        if odd.any():
            rows = np.flatnonzero(odd)
            seen = windows[rows]
            front = count_trailing(bitmap(seen, ord("[")) & (members(seen, _UPPER) >> np.uint64(1)) & ~np.uint64(1))
            front = np.where(head[rows] + front < lines["end"][rows], np.minimum(front, WIDTH), WIDTH)
            rows, seen, front = rows[front < WIDTH], seen[front < WIDTH], front[front < WIDTH]
            shapes = seen.view(np.uint8)
            alike = np.where(shapes - np.uint8(48) < 10, np.uint8(48), shapes).view("<u8")
            known = self._outers.each(block, head[rows], front, windows=alike)[:, 0] != DOUBTFUL
            head = head.copy()
            head[rows[known]] += front[known]
            windows = block.windows(head)
        return {**lines, "head": head}, windows

    def _read_seconds(self, block: Padded, time: Places, stamps: Words) -> Places:
        """Read the seconds; a second goes on for many lines, so only where it changes is it looked up."""
        if not len(time):
            return time
        low = stamps[:, 2] & np.uint64(0xFFFFFF)
        changed = np.ones(len(time), np.bool_)
        changed[1:] = (low[1:] != low[:-1]) | (stamps[1:, 0] != stamps[:-1, 0]) | (stamps[1:, 1] != stamps[:-1, 1])
        first = np.flatnonzero(changed)
        seconds = self._seconds.each(block, time[first], np.full(len(first), _SECOND))[:, 0]
        return np.repeat(seconds, np.diff(np.append(first, len(time))))


def _closing(block: Padded, lines: Lines, windows: Words) -> Places:
    """Find the bracket that closes each head, counted from the line's start; -1 where there is none."""
    closing = count_trailing(bitmap(windows, ord(")")) & ~np.uint64((1 << _FIRST) - 1))
    far = np.flatnonzero(closing >= windows.shape[1] * 8)
    if len(far):
        start = lines["head"][far]
        found = find(block, start + _FIRST, ord(")"), lines["end"][far], _WORDS)
        closing[far] = np.where(found < 0, -1, found - start)
    return closing


def _begins(words: Words) -> Mask:
    """Say which lines begin with a bracket and a capital letter."""
    found: Mask = (words & np.uint64(0xFF) == ord("[")) & (
        ((words >> np.uint64(8)) & np.uint64(0xFF)) - np.uint64(65) < 26
    )
    return found


def _fraction(stamps: Words) -> tuple[Places, Mask]:
    """Read ``.130.001 `` behind the second: microseconds, and where it has this form."""
    word = (stamps[:, 2] >> np.uint64(24)) | (stamps[:, 3] << np.uint64(40))
    digits = word ^ _POINTS
    good = ((digits | (digits + _SIX)) & _HALVES) == 0
    good &= (stamps[:, 3] >> np.uint64(24)) & np.uint64(0xFF) == ord(" ")
    tens = digits * np.uint64(10) + (digits >> np.uint64(8))  # bytes 1, 5: two digits each
    hundreds = (tens >> np.uint64(8)) & np.uint64(0xFF), (tens >> np.uint64(40)) & np.uint64(0xFF)
    millis = hundreds[0] * np.uint64(10) + ((digits >> np.uint64(24)) & np.uint64(0xFF))
    micros = hundreds[1] * np.uint64(10) + ((digits >> np.uint64(56)) & np.uint64(0xFF))
    return np.where(good, millis * np.uint64(1000) + micros, 0).astype(np.int64), good
