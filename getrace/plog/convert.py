"""Writing a log again through the codec: what a row claimed is written from its event, the rest is kept.

A line that went through a row was spelled from the prefix's fields, the header's fields and the event; its own text was
not looked at again. So a log whose lines come back to the letter was understood to the letter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from getrace.errors import UsageError
from getrace.events import Event
from getrace.plog.codec import Claim, claim, trace_text
from getrace.plog.dialects import DIALECTS
from getrace.plog.file_store import FileStore
from getrace.plog.record import Record, spell_body, spell_prefix
from getrace.plog.row import MARK, TRACE, Row
from getrace.plog.table import claim_pieces, payload, piece_size, read_record


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


def _goes_through(record: Record | None, found: Claim | None) -> bool:
    if record is None or found is None or found.row is None or not record.prefix.tidy:
        return False
    return any(DIALECTS[dialect].written for dialect in found.row.dialects)


def _rewrite(store: FileStore, row: int) -> tuple[list[bytes], int]:
    """Write the record of a row again: its lines, and how many of them went through a row of the grammar."""
    first, *rest = store.raw(row).split(b"\n")
    record = read_record(store.first_line(row))
    found = None if record is None else claim(record)
    if first.endswith(b"\r") or not _goes_through(record, found):
        return [first, *rest], 0
    assert record is not None
    assert found is not None
    assert found.row is not None
    return [_encode(spell_record(record, found.row, found.kernel, found.event)), *rest], 1


def _rewrite_split(store: FileStore, row: int) -> dict[int, bytes]:
    """Write the pieces of a split message again from its one event: the line of each row, or nothing."""
    rows = [row, *store.pieces[row]]
    records = [read_record(store.first_line(at)) for at in rows]
    parts = [payload(record) for record in records if record is not None]
    texts = [part for part in parts if part is not None]
    if len(texts) != len(rows):
        return {}
    name = texts[0][0]
    found = claim_pieces(name, [text for _, text in texts])
    if found.row is None or not all(record is not None and record.prefix.tidy for record in records):
        return {}
    message = found.row.spell(found.event).encode("utf-8", "surrogateescape")
    size = piece_size(name)
    pieces = [message[start : start + size] for start in range(0, len(message), size)]
    return {
        at: _encode(spell_prefix(record.prefix) + spell_body(record, trace_text(name, _decode(piece))))
        for at, record, piece in zip(rows, records, pieces, strict=True)
        if record is not None
    }


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
    try:
        with target.open("wb") as file:
            last = store.rows - 1
            for row, (text, count) in enumerate(rewrite(store)):
                through += count
                file.write(text if row == last and not _ends_with_newline(store, row) else text + b"\n")
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from error
    return Converted(lines, through, lines - through)


def _ends_with_newline(store: FileStore, row: int) -> bool:
    data = store.data[int(store.column("source")[row])].data
    return len(data) > 0 and data[len(data) - 1] == ord("\n")
