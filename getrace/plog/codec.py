"""The codec: a message to an event and back, by the rows of the table.

Rows are found by their literal head, so a message meets two or three candidates and not three hundred. What no row
claims becomes a ``Note`` (a KernelTrace message) or a ``LogLine`` (anything else): nothing is dropped, nothing raises.
"""

import re
from functools import cache
from typing import NamedTuple

from getrace.events import Event
from getrace.events.text import LogLine, Note
from getrace.plog.record import Record
from getrace.plog.row import GE, GUIDE, MARK, RT2_2026, RUNTIME, TRACE, Row
from getrace.plog.rows import ROWS

TRACE_TAG = "[KernelTrace]"
_HEAD = 5
_PLAIN_NAME = re.compile(r"(?:[A-Za-z0-9]+|.*_\d+)\Z", re.DOTALL | re.ASCII)
_REMARK = re.compile(r"\s*←.*\Z", re.DOTALL)  # the guides explain their sample lines behind an arrow


class Claim(NamedTuple):
    """What a record says: the event, the kernel's NAME (None outside a kernel), and the row that read it, or None."""

    event: Event
    kernel: str | None
    row: Row | None


class Grammar:
    """All rows, indexed for reading (scope and head) and for writing (kind and dialect)."""

    def __init__(self, rows: tuple[Row, ...] = ROWS) -> None:
        by_head: dict[tuple[str, str], list[Row]] = {}
        headless: dict[str, list[Row]] = {}
        self._by_kind: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            head = row.template.head
            if len(head) >= _HEAD:
                by_head.setdefault((row.scope, head[:_HEAD]), []).append(row)
            else:
                headless.setdefault(row.scope, []).append(row)
            for dialect in row.dialects:
                self._by_kind.setdefault((dialect, row.event.kind), []).append(row)
        self._headless = {scope: tuple(rows) for scope, rows in headless.items()}
        self._by_head = {key: (*rows, *self._headless.get(key[0], ())) for key, rows in by_head.items()}

    def candidates(self, scope: str, text: str) -> tuple[Row, ...]:
        """Give the rows whose head fits the beginning of a message."""
        return self._by_head.get((scope, text[:_HEAD])) or self._headless.get(scope, ())

    def read(self, scope: str, text: str, allocator: str | None = None) -> tuple[Row, Event] | None:
        """Read a message by the first row that claims it."""
        for row in self.candidates(scope, text):
            event = row.read(text, allocator)
            if event is not None:
                return row, event
        return None

    def match(self, scope: str, text: str, allocator: str | None = None) -> tuple[Row, tuple[str | None, ...]] | None:
        """Find the row that claims a message, and the texts of its fields, without making an event."""
        for row in self.candidates(scope, text):
            if row.spoken == (allocator is not None):
                found = row.template.regex.match(text)
                if found is not None:
                    return row, found.groups()
        return None

    def claims(self, scope: str, text: str, allocator: str | None = None) -> list[Row]:
        """Give every row that claims a message: one for each message that is known, and never two."""
        return [row for row in self.candidates(scope, text) if row.read(text, allocator) is not None]

    def writer_of(self, event: Event, dialect: str = RT2_2026) -> Row | None:
        """Find the row that writes an event in a dialect, or None when the dialect has no words for it."""
        for row in self._by_kind.get((dialect, event.kind), []):
            if row.writes(event):
                return row
        return None


@cache
def grammar() -> Grammar:
    """Give the grammar of all rows, built when first asked for."""
    return Grammar()


def is_plain_name(name: str) -> bool:
    """Say whether a NAME surely ends at its bracket: a bare type, a name with an id, or none."""
    return not name or _PLAIN_NAME.match(name) is not None


def split_trace(text: str) -> tuple[str | None, str] | None:
    """Split ``[KernelTrace][NAME]rest`` into NAME and rest; NAME is None for a marker.

    A NAME may hold ``]``: the first bracket that leaves a bare type or a name with an id ends it (spec 12.22). The
    result is None when the text is no KernelTrace message.
    """
    if not text.startswith(TRACE_TAG):
        return None
    rest = text[len(TRACE_TAG) :]
    if not rest.startswith("["):
        return None, rest
    first = end = rest.find("]")
    while end > 1 and not _PLAIN_NAME.match(rest, 1, end) and end - first < 1024:
        end = rest.find("]", end + 1)
    if end <= 1:
        end = first
    return (rest[1:end], rest[end + 1 :]) if end > 0 else (None, rest)


def without_remark(text: str) -> str:
    """Take the remark behind an arrow off a sample line of a guide."""
    return _REMARK.sub("", text)


def claim_trace(kernel: str | None, text: str) -> Claim:
    """Read a KernelTrace message whose NAME is already split off."""
    found = grammar().read(MARK if kernel is None else TRACE, text)
    if found is None:
        found = grammar().read(TRACE, without_remark(text))
        if found is None or GUIDE not in found[0].dialects:
            return Claim(Note(text), kernel, None)
    return Claim(found[1], kernel, found[0])


def claim(record: Record) -> Claim:
    """Read a record: its event, its kernel and the row that claimed it."""
    split = split_trace(record.text)
    if split is not None:
        return claim_trace(*split)
    module = record.prefix.module
    if module in (GE, RUNTIME):
        found = grammar().read(module, record.text, record.allocator)
        if found is not None:
            return Claim(found[1], None, found[0])
    line = LogLine(module, record.file, record.src_line, record.func, record.text, record.code)
    return Claim(line, None, None)


def trace_text(kernel: str | None, message: str) -> str:
    """Put the tag and the NAME in front of a message."""
    return f"{TRACE_TAG}{message}" if kernel is None else f"{TRACE_TAG}[{kernel}]{message}"


def spell(event: Event, kernel: str | None, dialect: str = RT2_2026) -> tuple[Row | None, str]:
    """Write an event as a message text with its tag; the row is None for notes and ordinary lines.

    An event without words in the dialect is written as a note that says its fields, so that a log never loses it.
    """
    if isinstance(event, Note):
        return None, trace_text(kernel, event.text)
    if isinstance(event, LogLine):
        return None, event.text
    row = grammar().writer_of(event, dialect)
    if row is None:
        return None, trace_text(kernel, repr(event))
    message = row.spell(event)
    return row, trace_text(kernel, message) if row.scope in (TRACE, MARK) else message
