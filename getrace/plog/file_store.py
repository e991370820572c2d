"""A store over files: columns from a scanner, events and lines by reading a row's bytes again."""

from collections.abc import Iterator

import numpy as np

from getrace.events import Event
from getrace.events.text import Foreign
from getrace.plog.codec import claim
from getrace.plog.source import Bytes
from getrace.plog.table import claim_pieces, decode, payload, read_record
from getrace.store.columns import Column
from getrace.store.store import Store


class FileStore(Store):
    """Rows of one or several logs. ``pieces`` maps the first row of a split message to its later rows."""

    def __init__(self) -> None:
        super().__init__()
        self.data: list[Bytes] = []
        self.pieces: dict[int, list[int]] = {}

    def raw(self, row: int) -> bytes:
        """Give the bytes of a row's record as they stand in its source, without the last newline."""
        start = int(self.column("offset")[row])
        data = self.data[int(self.column("source")[row])].data
        return bytes(data[start : start + int(self.column("length")[row])])

    def text(self, row: int) -> str:
        """Give the record of a row as it stands in the log; bytes that are no UTF-8 come as surrogates."""
        return decode(self.raw(row))

    def texts(self, rows: Column, limit: int) -> Iterator[str]:
        """Give the records of many rows: their places are looked up at once, their bytes one after the other."""
        data = [source.data for source in self.data]
        starts = self.column("offset")[rows]
        ends = starts + np.minimum(self.column("length")[rows], limit)
        sources = self.column("source")[rows]
        for start, end, source in zip(starts.tolist(), ends.tolist(), sources.tolist(), strict=True):
            yield decode(data[source][start:end])

    def may_end_in(self, rows: Column, words: bytes) -> Column:
        """Say of each of some rows whether its line may end in words; a record of several lines may always."""
        may = np.ones(len(rows), bool)
        ends = self.column("offset")[rows] + self.column("length")[rows] - len(words)
        sources, single = self.column("source")[rows], (self.column("lines")[rows] == 1) & (ends >= 0)
        for number, source in enumerate(self.data):
            data = np.frombuffer(source.data, np.uint8)
            left = np.flatnonzero(single & (sources == number))
            for at, byte in enumerate(words):
                fits = data[ends[left] + at] == byte
                may[left[~fits]] = False
                left = left[fits]
        return may

    def first_line(self, row: int) -> str:
        """Give the line that begins the record of a row."""
        return decode(self.raw(row).split(b"\n", 1)[0].removesuffix(b"\r"))

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
