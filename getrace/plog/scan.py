"""The block scanner: columns of a whole block with numpy, no Python per line for what logs are full of.

Theory of operation. A line is made of spans that repeat: the prefix up to the time, the second, the place and function
in front of the message, the kernel's NAME, and often the message itself. The scanner finds the borders of the spans for
all lines at once and lets the table read each distinct span once. Messages of numbers and single words are read by the
programs of their rows, for all lines at once. A line whose borders are doubtful in any way goes to the table as it is,
so the two cannot mean different things; a property test holds them to each other.
"""

import numpy as np
import numpy.typing as npt

from getrace.plog.scan_asks import Asks
from getrace.plog.scan_header import HeaderScanner
from getrace.plog.scan_lines import Lines, narrowed
from getrace.plog.scan_messages import MessageScanner
from getrace.plog.scan_prefix import PrefixScanner
from getrace.plog.scan_table import Block, Scan, records_of, together
from getrace.plog.table import VISIBLE_LIMIT
from getrace.plog.words import Mask, Padded, Places
from getrace.store.columns import COLUMNS, CUT
from getrace.store.forms import Form
from getrace.store.names import Names

_WAYS = ("start", "end", "at", "head", "spoken")  # what the stages tell each other
_LARGEST_KEPT = (1 << 25) - (1 << 13)  # glibc learns from no piece of 32 MiB and more
_OFTEN_ALIKE = ("pid", "tid", "level", "kernel")
_DATE, _DATE_KEEPS = np.uint64(0x2D00002D00000000), np.uint64(0xFF0000FF00000000)  # 2026-03-0


def numpy_scanner(names: Names) -> Scan:
    """Make the block scanner for one log."""
    return BlockScanner(names).scan


class BlockScanner:
    """Scans the blocks of one log; what it learned of spans in one block serves the next."""

    def __init__(self, names: Names) -> None:
        _keep_freed_memory()
        self._names = names
        self._buffer: npt.NDArray[np.uint8] | None = None
        asks = Asks(names)
        self._prefixes = PrefixScanner(asks)
        self._headers = HeaderScanner(asks)
        self._messages = MessageScanner(names, asks)

    def scan(self, view: memoryview) -> tuple[Block, int]:
        """Read a block of whole lines: the columns of its records, and how many lines it has."""
        block = Padded(view, self._buffer)
        self._buffer = block.buffer
        starts, ends = block.lines()
        lines: Lines = {"line": np.arange(len(starts)), "start": starts, "end": ends}
        lines = self._prefixes.read(block, lines)
        lines = narrowed(~_holds_another(block, lines), lines)
        events: dict[str, Form] = {}
        if len(lines["line"]):
            lines, events = self._messages.read(block, self._headers.read(block, lines))
        left = np.ones(len(starts), np.bool_)
        left[lines["line"]] = False
        rest = records_of(view, starts[left], ends[left], np.flatnonzero(left), self._names)
        return together({**_columns(lines), **events}, rest), len(starts)


def _keep_freed_memory() -> None:
    """Let the C library keep what is freed: else most arrays of a block are new pages, cleared by the system each time.

    glibc learns from the largest piece that was freed; nothing is written to this one, so it costs nothing.
    """
    np.empty(_LARGEST_KEPT, np.uint8)


def _holds_another(block: Padded, lines: Lines) -> Mask:
    """Say in which lines a second record may begin: a bracket, a colon and a date stand there once more."""
    if not len(lines["at"]):
        return np.zeros(0, np.bool_)
    places = block.pairs(ord(")"), ord(":"), at_least=len(lines["at"]))
    found = np.zeros(len(lines["at"]), np.bool_)
    if len(places):
        dates = places[block.words[places + 2] & _DATE_KEEPS == _DATE]
        line = np.searchsorted(lines["at"], dates, side="right") - 1
        inside = (line >= 0) & (dates < lines["end"][line])
        found[line[inside]] = True
    return found


def _columns(lines: Lines) -> dict[str, Form]:
    lines["flags"] = np.where(lines["end"] - lines["start"] == VISIBLE_LIMIT, CUT, 0)
    lines["offset"] = lines["start"]
    return {name: _small(name, values) for name, values in lines.items() if name not in _WAYS}


def _small(name: str, values: Places) -> Form:
    """Give a column in its type, or as one number: a block may go to another process."""
    if name in _OFTEN_ALIKE and len(values) and values[0] == values[-1] and (values == values[0]).all():
        return int(values[0])
    return values.astype(COLUMNS[name])
