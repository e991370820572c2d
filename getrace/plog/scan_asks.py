"""What scanners ask the record layer and the table, about one span of text at a time; answers are rows of numbers.

Both fast scanners remember these answers and decide nothing themselves, so they cannot differ in what a span means.
"""

from collections.abc import Sequence

from getrace.clock import parse_plog_second
from getrace.events import Level
from getrace.plog.codec import is_plain_name
from getrace.plog.prefix import Prefix, is_outer, read_prefix
from getrace.plog.record import read_body
from getrace.plog.scan_rows import SCOPES
from getrace.plog.table import decode, message_cells
from getrace.store.columns import EVENT_COLUMNS, held, none_of
from getrace.store.names import Names

ANSWER = ("kind", "rule", *EVENT_COLUMNS)
"""The columns of an answer about a message."""

DOUBTFUL = -1
"""The first number of an answer that leaves the line to the table."""

BAD_SECOND = none_of("time")
"""The answer about a second that no calendar has."""

_ANY_TIME = b"):2000-01-01-00:00:00.000.000 "


class Asks:
    """The questions about the spans of one log. Each takes a text and a tag: what else the answer depends on."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def outer(self, text: bytes, _tag: int) -> Sequence[int]:
        """Say whether a text is what other programs put in front of a record: 1 or DOUBTFUL.

        Scanners ask with any digits: no shape of such a text depends on which they are.
        """
        return (1 if is_outer(decode(text)) else DOUBTFUL,)

    def head(self, text: bytes, _tag: int) -> Sequence[int]:
        """Read ``[LEVEL] MODULE(pid,process``: level (or DOUBTFUL), module id, pid."""
        found = read_prefix(decode(text + _ANY_TIME))
        if found is None or found[1]:
            return DOUBTFUL, 0, 0
        prefix = found[0]
        return int(prefix.level), self._names.id(prefix.module), prefix.pid

    def second(self, text: bytes, _tag: int) -> Sequence[int]:
        """Read ``2026-03-05-10:11:12``: seconds since the epoch, or BAD_SECOND."""
        try:
            return (parse_plog_second(text.decode("ascii")),)
        except ValueError:
            return (BAD_SECOND,)

    def header(self, text: bytes, module: int) -> Sequence[int]:
        """Read a header of a module: its length in bytes (or DOUBTFUL), tid (or none), whether an allocator speaks."""
        prefix = Prefix(Level.INFO, self._names.text(module), 0, "", 0, 6, tidy=True, outer="")
        record = read_body(prefix, decode(text))
        length = len(text) - len(record.text.encode("utf-8", "surrogateescape"))
        if record.code is not None or record.tags:
            # the record layer may have read a part of the message as header
            length = DOUBTFUL if record.layout in ("ge-error", "plain") else length
        tid = none_of("tid") if record.tid is None else held("tid", record.tid)
        return length, tid, int(record.allocator is not None)

    def kernel(self, text: bytes, _tag: int) -> Sequence[int]:
        """Give the id of a NAME, or DOUBTFUL when it might go on behind its first bracket."""
        name = decode(text)
        return (self._names.id(name) if is_plain_name(name) else DOUBTFUL,)

    def message(self, text: bytes, which: int) -> Sequence[int]:
        """Say what a message is: the numbers of ANSWER. ``which`` is its scope, see ``scan_rows.which_of``."""
        scope, spoken = SCOPES[which // 2], which % 2
        cells = message_cells(scope, decode(text), "allocator" if spoken else None)
        return tuple(cells.get(name, none_of(name)) for name in ANSWER)
