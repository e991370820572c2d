"""A store over files: columns from a scanner, events and lines by reading a row's bytes again."""

import re
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from getrace.errors import ChangedError
from getrace.events import KIND_NUMBER, Event
from getrace.events.text import Foreign
from getrace.plog.codec import claim
from getrace.plog.finding import blocks_of, hits_in, is_dense, is_local
from getrace.plog.search import literal_of, rows_with
from getrace.plog.source import Bytes
from getrace.plog.table import claim_pieces, decode, payload, read_record
from getrace.store.columns import Column, Columns, Files
from getrace.store.store import Store

_GONE = -1
_WINDOW = 1 << 16
"""Bytes that are read at once for neighbours."""
_STRIDE = 1 << 22
"""Bytes that are read at once for many rows."""
_NO_TEXT = b"(this record is gone: the log was cut)"
_NAMED = "[KernelTrace]["
_SAID = 1 << 16
"""Bytes of a record that are compared."""


class FileStore(Store):
    """Rows of one or several logs. ``pieces`` maps the first row of a split message to its later rows.

    A log may be cut or replaced after it was read. Then a question to its text raises ChangedError; with ``lenient``,
    as a screen wants it, its rows stay and have no text any more.
    """

    def __init__(self, files: Files | None = None) -> None:
        super().__init__()
        self.columns = Columns(files=files)
        self.data: list[Bytes] = []
        self.pieces: dict[int, list[int]] = {}
        self.lenient = False
        self._forgotten: set[int] = set()

    def forget(self, number: int) -> None:
        """Give up the text of a source that is gone: its rows prove nothing any more and stay as foreign text."""
        self._forgotten.add(number)
        self.data[number] = Bytes(self.data[number].path, b"")
        own = np.flatnonzero(self.column("source") == number)
        self.columns.put("kind", own, np.full(len(own), KIND_NUMBER[Foreign.kind]))
        gone = set(own.tolist())
        self.pieces = {row: later for row, later in self.pieces.items() if row not in gone}

    def _missing(self, number: int) -> bytes:
        """Answer for a source that holds less than its rows say."""
        path = self.data[number].path
        if not self.lenient:
            raise ChangedError(f"{path} was cut while it was looked at", "open it again")
        if number not in self._forgotten:
            self.forget(number)
            self.sources[number].warnings.append(f"{path} was cut while it was looked at: its records are gone")
        return _NO_TEXT

    def keep(self, rows: npt.NDArray[np.intp]) -> None:
        """Keep some rows only, in the order in which they are given."""
        place = np.full(self.rows, _GONE, np.int64)
        place[rows] = np.arange(len(rows))
        self.columns.take(rows)
        pieces = {int(place[row]): [int(place[at]) for at in later] for row, later in self.pieces.items()}
        self.pieces = {row: later for row, later in pieces.items() if row != _GONE and _GONE not in later}

    def raw(self, row: int) -> bytes:
        """Give the bytes of a row's record as they stand in its source, without the last newline."""
        start, length = int(self.column("offset")[row]), int(self.column("length")[row])
        number = int(self.column("source")[row])
        found = self.data[number].read(start, start + length)
        return found if len(found) == length else self._missing(number)

    def text(self, row: int) -> str:
        """Give the record of a row as it stands in the log; bytes that are no UTF-8 come as surrogates."""
        return decode(self.raw(row))

    def texts(self, rows: Column, limit: int) -> Iterator[str]:
        """Give the records of many rows: their places are looked up at once, neighbours are read together."""
        reads = [source.read for source in self.data]
        starts = self.column("offset")[rows]
        ends = starts + np.minimum(self.column("length")[rows], limit)
        sources = self.column("source")[rows]
        window, first, held = b"", 0, _GONE
        for start, end, source in zip(starts.tolist(), ends.tolist(), sources.tolist(), strict=True):
            if source != held or start < first or end > first + len(window):
                window, first, held = reads[source](start, max(end, start + _WINDOW)), start, source
                if len(window) < end - start:
                    self._missing(source)
            yield window[start - first : end - first].decode("utf-8", "surrogateescape")

    def may_end_in(self, rows: Column, words: bytes) -> Column:
        """Say of each of some rows whether its line may end in words; a record of several lines may always."""
        may = np.ones(len(rows), bool)
        starts = self.column("offset")[rows] + self.column("length")[rows] - len(words)
        sources, single = self.column("source")[rows], (self.column("lines")[rows] == 1) & (starts >= 0)
        for number, source in enumerate(self.data):
            left = np.flatnonzero(single & (sources == number))
            for part in np.split(left, np.flatnonzero(np.diff(starts[left] // _STRIDE)) + 1):
                may[part] = _are(source, starts[part], words) if len(part) else True
        return may

    def first_line(self, row: int) -> str:
        """Give the line that begins the record of a row."""
        return decode(self.raw(row).split(b"\n", 1)[0].removesuffix(b"\r"))

    def said(self, rows: Sequence[int]) -> list[Hashable]:
        """Give the text of records behind the kernel's NAME; a split message is read whole."""
        texts = self.texts(np.asarray(rows, np.int64), _SAID)
        return [
            self.event(row) if row in self.pieces else _behind_name(text) for row, text in zip(rows, texts, strict=True)
        ]

    def event(self, row: int) -> Event:
        """Give the event of a row, read from its line; a split message is joined first."""
        record = read_record(self.first_line(row))
        if record is None:
            return Foreign(self.text(row))
        if row in self.pieces:
            parts = [payload(read_record(self.first_line(piece)) or record) for piece in (row, *self.pieces[row])]
            whole = [part for part in parts if part is not None]
            return claim_pieces(whole[0][0], [text for _, text in whole]).event
        return claim(record).event

    def matching(self, pattern: re.Pattern[str], first: int, last: int) -> Column:
        """Give, in order, the rows of ``first`` .. ``last - 1`` whose record matches; whole blocks are read at once."""
        text = literal_of(pattern)
        if text is not None:
            return np.unique(np.concatenate([*rows_with(self, self.data, text, first, last), np.zeros(0, np.int64)]))
        if not is_local(pattern):
            return super().matching(pattern, first, last)
        part = slice(first, last)
        sources = self.column("source")[part]
        found: list[int] = []
        for source in np.unique(sources).tolist():
            rows = first + np.flatnonzero(sources == source)
            for block in blocks_of(rows, self.column("length")[rows].astype(np.int64)):
                found.extend(self._in_block(pattern, source, block))
        return np.array(sorted(found), np.int64)

    def _in_block(self, pattern: re.Pattern[str], source: int, rows: Column) -> list[int]:
        offsets, lengths = (self.column(name)[rows].astype(np.int64) for name in ("offset", "length"))
        order = np.argsort(offsets, kind="stable")
        rows, offsets, lengths = rows[order], offsets[order], lengths[order]
        if is_dense(offsets, lengths):
            data = self.data[source].read(int(offsets[0]), int(offsets[-1] + lengths[-1]))
            if data.isascii():
                return [int(rows[index]) for index in hits_in(data, offsets - offsets[0], lengths, pattern)]
        return [row for row in rows.tolist() if pattern.search(self.text(row))]


def _behind_name(record: str) -> str:
    """Give what stands behind ``[KernelTrace][NAME]``; a NAME with a bracket leaves its end there, which is no harm."""
    return record.partition(_NAMED)[2].partition("]")[2]


def _are(source: Bytes, starts: Column, words: bytes) -> npt.NDArray[np.bool_]:
    """Say of each of some offsets that lie together whether words stand there."""
    first = int(starts.min())
    data = np.frombuffer(source.read(first, int(starts.max()) + len(words)), np.uint8)
    found = np.ones(len(starts), bool)
    left = np.flatnonzero(starts - first + len(words) <= len(data))
    for at, byte in enumerate(words):
        fits = data[starts[left] - first + at] == byte
        found[left[~fits]] = False
        left = left[fits]
    return found
