"""The block scanner: columns of a whole block with numpy, no Python per line for what logs are full of.

Theory of operation. A line is made of spans that repeat: the prefix up to the time, the second, the place and function
in front of the message, the kernel's NAME, and often the message itself. The scanner finds the borders of the spans for
all lines at once and lets the table read each distinct span once. Messages that hold only numbers are read by their
templates for all lines at once. A line whose borders are doubtful in any way goes to the table as it is, so the two
cannot mean different things; a property test holds them to each other.
"""

import numpy as np
import numpy.typing as npt

from getrace.plog.codec import TRACE_TAG, is_plain_name
from getrace.plog.known import Known
from getrace.plog.row import GE, MARK, RUNTIME, TRACE
from getrace.plog.scan_header import HeaderScanner
from getrace.plog.scan_messages import SCOPES, Messages
from getrace.plog.scan_prefix import Prefixes, PrefixScanner
from getrace.plog.scan_table import Block, Scan, collect, line_bounds
from getrace.plog.table import VISIBLE_LIMIT, decode, read_line
from getrace.plog.words import Mask, Padded, Places, find, starts_with
from getrace.store.columns import COLUMNS, CUT, none_of
from getrace.store.names import Names

_NAME_WORDS = 40
_TAG = TRACE_TAG.encode()
_DOUBTFUL_NAME = -1

Index = npt.NDArray[np.intp]


def numpy_scanner(names: Names) -> Scan:
    """Make the block scanner for one log."""
    return BlockScanner(names).scan


class BlockScanner:
    """Scans the blocks of one log; what it learned of spans in one block serves the next."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._prefixes = PrefixScanner(names)
        self._headers: dict[str, HeaderScanner] = {}
        self._kernels = Known(self._kernel, 1)
        self._messages = Messages()

    def scan(self, view: memoryview) -> tuple[Block, int]:
        """Read a block of whole lines: the columns of its records, and how many lines it has."""
        block = Padded(view)
        starts, ends = line_bounds(block.bytes[: block.size])
        fast, rows = self._plain_records(block, starts, ends)
        slow = np.ones(len(starts), np.bool_)
        slow[rows] = False
        rest = [
            (int(starts[line]), int(line), cells)
            for line in np.flatnonzero(slow)
            if (cells := read_line(block.text(int(starts[line]), int(ends[line])), self._names)) is not None
        ]
        return _together(fast, collect(rest) if rest else None), len(starts)

    def _plain_records(self, block: Padded, starts: Places, ends: Places) -> tuple[dict[str, Places], Index]:
        """Read the records of plain form; give their columns and their line numbers."""
        found = self._prefixes.scan(block, starts, ends)
        messages, tids, spoken, plain = self._scan_headers(block, found.bodies, ends, found)
        rows = np.flatnonzero(plain)
        messages, line_ends = messages[rows], ends[rows]
        kernels, scopes, texts, good = self._scan_trace(block, messages, line_ends)
        scopes = np.where(scopes < 0, self._module_scopes(found.module[rows]), scopes)
        rows, kernels, scopes, texts, line_ends = (part[good] for part in (rows, kernels, scopes, texts, line_ends))
        spoken = spoken[rows] & (scopes >= SCOPES.index(GE))  # a trace message says who speaks by itself
        columns = self._messages.scan(block, texts, line_ends, scopes, spoken)
        columns |= {
            "time": found.time[rows],
            "level": found.level[rows],
            "module": found.module[rows],
            "pid": found.pid[rows],
            "tid": tids[rows],
            "kernel": kernels,
            "flags": np.where(line_ends - starts[rows] == VISIBLE_LIMIT, CUT, 0),
            "offset": starts[rows],
            "line": rows.astype(np.int64),
        }
        return columns, rows

    def _scan_headers(
        self, block: Padded, bodies: Places, ends: Places, found: Prefixes
    ) -> tuple[Places, Places, Mask, Mask]:
        """Read headers by module: where messages begin, tids, whether an allocator speaks, which are plain."""
        messages, tids = bodies.copy(), np.full(len(bodies), none_of("tid"), np.int64)
        spoken, plain = np.zeros(len(bodies), np.bool_), np.zeros(len(bodies), np.bool_)
        for module in np.unique(found.module[found.plain]).tolist():
            rows = np.flatnonzero(found.plain & (found.module == module))
            headers = self._header_scanner(self._names.text(module)).scan(block, bodies[rows], ends[rows])
            messages[rows], tids[rows] = headers.messages, headers.tid
            spoken[rows], plain[rows] = headers.spoken, headers.plain
        return messages, tids, spoken, plain

    def _header_scanner(self, module: str) -> HeaderScanner:
        if module not in self._headers:
            self._headers[module] = HeaderScanner(module)
        return self._headers[module]

    def _scan_trace(self, block: Padded, messages: Places, ends: Places) -> tuple[Places, Places, Places, Mask]:
        """Split NAMEs off trace messages: kernel ids, scopes (-1: no trace message), texts, and which are sure."""
        kernels = np.full(len(messages), none_of("kernel"), np.int64)
        scopes = np.full(len(messages), -1, np.int64)
        texts, good = messages.copy(), np.ones(len(messages), np.bool_)
        traces = np.flatnonzero(starts_with(block, messages, _TAG) & (messages + len(_TAG) <= ends))
        behind = messages[traces] + len(_TAG)
        texts[traces], scopes[traces] = behind, SCOPES.index(MARK)
        named = np.flatnonzero(starts_with(block, behind, b"[") & (behind < ends[traces]))
        rows, at = traces[named], behind[named] + 1
        closing = find(block, at, ord("]"), ends[rows], _NAME_WORDS)
        good[rows[closing < 0]] = False
        ids = self._kernels.each(block, at, np.where(closing < 0, at, closing))[:, 0]
        good[rows[ids == _DOUBTFUL_NAME]] = False
        kernels[rows], scopes[rows], texts[rows] = ids, SCOPES.index(TRACE), closing + 1
        return kernels, scopes, texts, good

    def _kernel(self, name: bytes) -> tuple[int]:
        """Give the id of a NAME, or "doubtful" when it might go on behind its first bracket."""
        text = decode(name)
        return (self._names.id(text) if is_plain_name(text) else _DOUBTFUL_NAME,)

    def _module_scopes(self, modules: Places) -> Places:
        """Give the scope of ordinary messages by module id; only two modules have rows."""
        scopes = np.full(len(modules), -1, np.int64)
        for name in (GE, RUNTIME):
            number = self._names.find(name)
            if number is not None:
                scopes[modules == number] = SCOPES.index(name)
        return scopes


def _together(fast: dict[str, Places], slow: Block | None) -> Block:
    """Put the records of both ways in the order of their lines."""
    if slow is None:
        columns = {name: fast[name] for name in fast}
    else:
        order = np.argsort(np.concatenate((fast["line"], slow["line"])), kind="stable")
        columns = {name: np.concatenate((fast[name], slow[name].astype(np.int64)))[order] for name in fast}
    return {name: column.astype(COLUMNS[name]) for name, column in columns.items()}
