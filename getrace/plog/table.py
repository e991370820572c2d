"""Reading one line at a time through the grammar table: the reference that faster scanners are held to.

A line becomes the cells of a store row. Whatever a block scanner does not recognise at a glance comes here, so there
is one meaning of a line, and it is this one.
"""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from getrace.events import KIND_NUMBER, Level
from getrace.events.text import LogLine, Note
from getrace.plog.codec import TRACE_TAG, Claim, claim_trace, grammar, split_trace, without_remark
from getrace.plog.fields import FieldKind
from getrace.plog.prefix import NO_TIME, Prefix, glued_at, read_prefix
from getrace.plog.record import Record, read_body
from getrace.plog.row import GE, GUIDE, MARK, RUNTIME, TRACE, Row
from getrace.plog.rows import ROWS
from getrace.store.columns import CUT, EVENT_COLUMNS, GLUED, held, none_of
from getrace.store.names import Names

VISIBLE_LIMIT = 1022
"""Bytes of a record that GE cut: it stores 1,023 with the newline (spec/kerneltrace.md 1.6)."""

Cells = Mapping[str, int]

_BARE = Prefix(Level.INFO, "GE", none_of("pid"), "", NO_TIME, 0, tidy=False, outer="")
_NOTE: Cells = {"kind": KIND_NUMBER[Note.kind], "rule": 0}
_LINE: Cells = {"kind": KIND_NUMBER[LogLine.kind], "rule": 0}


@cache
def _rules() -> dict[int, int]:
    return {id(row): number for number, row in enumerate(ROWS, 1)}


def rule_of(row: Row) -> int:
    """Give the number of a row, as the store's column ``rule`` has it."""
    return _rules()[id(row)]


@cache
def _columns_of(rule: int) -> tuple[tuple[int, str, FieldKind], ...]:
    fields = ROWS[rule - 1].template.fields
    return tuple((at, field.name, field.kind) for at, field in enumerate(fields) if field.name in EVENT_COLUMNS)


def _cell(column: str, value: Any) -> int:
    """Give what a column holds of a field's value; a text that only looks like a number has none."""
    return held(column, value) if isinstance(value, int) else none_of(column)


def row_cells(row: Row, parts: tuple[str | None, ...]) -> dict[str, int]:
    """Give the columns that a claimed message fills; ``parts`` are the texts of the row's fields."""
    cells = {"kind": KIND_NUMBER[row.event.kind], "rule": rule_of(row)}
    for at, name, kind in _columns_of(cells["rule"]):
        text = parts[at]
        cells[name] = none_of(name) if text is None else _cell(name, kind.parse(text))
    return cells


def message_cells(scope: str, text: str, allocator: str | None = None) -> Cells:
    """Give the columns of a message: of the row that claims it, else those of a note or an ordinary line."""
    found = grammar().match(scope, text, allocator)
    if found is None and scope in (TRACE, MARK):
        found = grammar().match(TRACE, without_remark(text))
        found = found if found is not None and GUIDE in found[0].dialects else None
    if found is not None:
        return row_cells(*found)
    return _NOTE if scope in (TRACE, MARK) else _LINE


def claim_cells(found: Claim, names: Names) -> dict[str, int]:
    """Give the columns of a claim, as far as the event says them."""
    if found.row is None:
        return dict(_NOTE)
    cells = {"kind": KIND_NUMBER[found.event.kind], "rule": rule_of(found.row)}
    for _, name, _kind in _columns_of(cells["rule"]):
        cells[name] = _cell(name, getattr(found.event, name))
    if found.kernel is not None:
        cells["kernel"] = names.id(found.kernel)
    return cells


def decode(line: bytes) -> str:
    """Decode a line so that any byte survives the way back."""
    return line.decode("utf-8", "surrogateescape")


def read_record(line: str) -> Record | None:
    """Read a line as a record; None when it does not begin one. A line that is only a trace message is one."""
    found = read_prefix(line)
    if found is not None:
        return read_body(*found)
    return Record(_BARE, "", line) if line.startswith(TRACE_TAG) else None


def record_cells(record: Record, names: Names, length: int) -> dict[str, int]:
    """Give all columns of a record; ``length`` is the visible length of its first line in bytes."""
    prefix = record.prefix
    cells = {
        "time": prefix.time_ns,
        "level": int(prefix.level),
        "module": names.id(prefix.module),
        "pid": prefix.pid,
        "tid": none_of("tid") if record.tid is None else held("tid", record.tid),
        "flags": CUT if length == VISIBLE_LIMIT else 0,
    }
    split = split_trace(record.text)
    if split is not None:
        kernel, message = split
        if kernel is not None:
            cells["kernel"] = names.id(kernel)
        return {**cells, **message_cells(MARK if kernel is None else TRACE, message)}
    if prefix.module in (GE, RUNTIME):
        return {**cells, **message_cells(prefix.module, record.text, record.allocator)}
    return {**cells, **_LINE}


def read_line(line: bytes, names: Names) -> list[tuple[int, Cells]]:
    """Read one line, without its newline, as the cells of rows with their places in it.

    A line is one record, or several that writers glued together; none when it does not begin one.
    """
    record = read_record(decode(line))
    if record is None:
        return []
    behind = len(line) - len(record.text.encode("utf-8", "surrogateescape"))
    glued = [at for at in glued_at(line, behind) if read_record(decode(line[at:])) is not None]
    if not glued:
        return [(0, record_cells(record, names, len(line)))]
    found: list[tuple[int, Cells]] = []
    for start, end in pairwise([0, *glued, len(line)]):
        part = read_record(decode(line[start:end]))
        assert part is not None  # what follows a record's prefix does not change it
        cells = record_cells(part, names, end - start)
        found.append((start, {**cells, "flags": cells["flags"] | (GLUED if start else 0)}))
    return found


def payload(record: Record) -> tuple[str, str] | None:
    """Give NAME and message of a trace record printed by a trace printer; None for every other record."""
    split = split_trace(record.text)
    if split is None or not split[0] or record.func != "OnExecuteEvent":
        return None
    return split[0], split[1]


def piece_size(name: str) -> int:
    """Give how many bytes of a long message GE puts into one record (spec/kerneltrace.md 1.7)."""
    return 859 - len(name.encode("utf-8", "surrogateescape"))


def claim_pieces(name: str, pieces: list[str]) -> Claim:
    """Read a message that GE split into several records."""
    return claim_trace(name, "".join(pieces))
