"""Writing a log again through the codec: what a row claimed is written from its event, the rest is kept.

A line that went through a row was spelled from the prefix's fields, the header's fields and the event; its own text was
not looked at again. So a log whose lines come back to the letter was understood to the letter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from getrace.events import Event
from getrace.plog.codec import Claim, claim, trace_text
from getrace.plog.dialects import DIALECTS
from getrace.plog.file_store import FileStore
from getrace.plog.prefix import spell_prefix
from getrace.plog.record import Record, spell_body
from getrace.plog.row import MARK, TRACE, Row
from getrace.plog.table import claim_pieces, payload, piece_size, read_record
from getrace.store.columns import GLUED
from getrace.whole_file import whole_file


@dataclass(frozen=True, slots=True)
class Converted:
    """How many lines a log has, how many went through a row, how many were kept as they are."""

    lines: int
    through_rows: int
    kept: int


def spell_record(record: Record, row: Row, kernel: str | None, event: Event) -> str:
    """Write a record's line from its envelope and its event; the record's own text is not used."""
    message = row.spell(event)
    text = trace_text(kernel, message) if row.scope in (TRACE, MARK) else message
    return spell_prefix(record.prefix) + spell_body(record, text)


def _goes_through(record: Record, found: Claim) -> bool:
    """Say whether a record can be written from its event: a tidy one, of a row of a dialect that GE prints."""
    return (
        found.row is not None
        and record.prefix.tidy
        and any(DIALECTS[dialect].written for dialect in found.row.dialects)
    )


def _rewrite(store: FileStore, row: int) -> tuple[list[bytes], int]:
    """Write the record of a row again: its lines, and how many of them went through a row of the grammar."""
    first, *rest = store.raw(row).split(b"\n")
    record = _unix_record(store, row)
    found = None if record is None else claim(record)
    if record is None or found is None or found.row is None or not _goes_through(record, found):
        return [first, *rest], 0
    return [_encode(spell_record(record, found.row, found.kernel, found.event)), *rest], 1


def _rewrite_split(store: FileStore, row: int) -> dict[int, bytes]:
    """Write the pieces of a split message again from its one event: the line of each row, or nothing."""
    rows = [row, *store.pieces[row]]
    records = [record for at in rows if (record := _unix_record(store, at)) is not None]
    parts = [part for record in records if (part := payload(record)) is not None]
    if len(parts) != len(rows):
        return {}
    name = parts[0][0]
    found = claim_pieces(name, [text for _, text in parts])
    if found.row is None or not all(_goes_through(record, found) for record in records):
        return {}
    message, size = _encode(found.row.spell(found.event)), piece_size(name)
    pieces = [message[start : start + size] for start in range(0, len(message), size)]
    if len(pieces) != len(rows):
        return {}
    return {
        at: _encode(spell_prefix(record.prefix) + spell_body(record, trace_text(name, _decode(piece))))
        for at, record, piece in zip(rows, records, pieces, strict=True)
    }


def _unix_record(store: FileStore, row: int) -> Record | None:
    """Read the first line of a row as a record; None for one that ends with a carriage return, which no event has."""
    if store.raw(row).split(b"\n", 1)[0].endswith(b"\r"):
        return None
    return read_record(store.first_line(row))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def rewrite(store: FileStore) -> Iterator[tuple[bytes, int]]:
    """Write every record of a store again: its lines as one, and how many of them went through a row."""
    split: dict[int, bytes] = {}
    for row in range(store.rows):
        if row in store.pieces:
            split.update(_rewrite_split(store, row))
        if row in split:
            _, *rest = store.raw(row).split(b"\n")
            yield b"\n".join([split.pop(row), *rest]), 1
        else:
            lines, through = _rewrite(store, row)
            yield b"\n".join(lines), through


def convert(store: FileStore, target: Path) -> Converted:
    """Write a log again to a file. Raises UsageError when the file cannot be written."""
    lines = sum(source.lines for source in store.sources)
    through = 0
    with whole_file(target) as file:
        last = store.rows - 1
        for row, (text, count) in enumerate(rewrite(store)):
            through += count
            file.write(text if _goes_on(store, row, last) else text + b"\n")
    return Converted(lines, through, lines - through)


def _goes_on(store: FileStore, row: int, last: int) -> bool:
    """Say whether a record is not followed by a newline: another is glued to it, or the file ends."""
    if row == last:
        return not _ends_with_newline(store, row)
    return bool(store.column("flags")[row + 1] & GLUED)


def _ends_with_newline(store: FileStore, row: int) -> bool:
    data = store.data[int(store.column("source")[row])]
    return data.read(len(data) - 1, len(data)) == b"\n"
