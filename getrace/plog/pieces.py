"""Messages that GE split into several records, put together again (spec/kerneltrace.md 1.7).

A full piece goes on in the next record of its thread, when that has the same NAME. Each record belongs to one attempt
at most, so a log of nothing but full pieces costs no more than its length.
"""

import numpy as np

from getrace.events import KIND_NUMBER
from getrace.events.text import Note
from getrace.plog.file_store import FileStore
from getrace.plog.table import claim_cells, claim_pieces, payload, piece_size, read_record
from getrace.store.columns import EVENT_COLUMNS, JOINED, Column, none_of

_LONG = 900  # a full piece, its header and the shortest prefix are longer than this
_NOTHING = -1
_STRETCH = 1 << 20
"""Rows that are sorted by thread at once, so that the memory for it has a bound."""

Following = dict[int, int]
Joined = dict[int, dict[str, int]]
"""Rows of split messages with the cells that they are to have; of their flags, those that are added."""


def join_pieces(store: FileStore, first_row: int) -> None:
    """Join the split messages of the rows from ``first_row`` on: the event stands at the first piece."""
    rows = _long_rows(store, first_row)
    if not len(rows):
        return
    following = _next_of_thread(store, first_row, rows)
    joined: Joined = {}
    tried: set[int] = set()
    for row in rows.tolist():
        if row not in tried:
            chain, name, texts = _chain(store, row, following)
            tried.update(chain)
            _join(store, joined, chain, (name, texts))
    if joined:
        _set_cells(store, joined)


def _long_rows(store: FileStore, first_row: int) -> Column:
    """Find the rows that may be full pieces."""
    long = store.column("length")[first_row:] > _LONG
    rows = np.flatnonzero(long) + first_row
    return np.asarray(rows[store.at("kernel", rows) != none_of("kernel")])


def _chain(store: FileStore, row: int, following: Following) -> tuple[list[int], str, list[str]]:
    """Follow full pieces from a row to the last one: the rows, their NAME and their texts."""
    chain: list[int] = []
    texts: list[str] = []
    at, name = row, ""
    while at != _NOTHING:
        record = read_record(store.first_line(at))
        part = payload(record) if record is not None else None
        if part is None:
            return [*chain, at], name, []
        name, text = part
        chain.append(at)
        texts.append(text)
        full = len(text.encode("utf-8", "surrogateescape")) == piece_size(name)
        at = following.get(at, _NOTHING) if full else _NOTHING
    return chain, name, texts


def _join(store: FileStore, joined: Joined, chain: list[int], said: tuple[str, list[str]]) -> None:
    """Take note of what the rows of a split message are: the event, and its later pieces."""
    name, texts = said
    if len(texts) < 2:
        return
    found = claim_pieces(name, texts)
    if found.row is None:
        return
    row, *later = chain
    store.pieces[row] = later
    joined[row] = claim_cells(found, store.names)
    joined |= {piece: {"kind": KIND_NUMBER[Note.kind], "rule": 0, "flags": JOINED} for piece in later}


def _next_of_thread(store: FileStore, first_row: int, rows: Column) -> Following:
    """Give for each of some rows the next row of its process and thread, if that is of the same kernel.

    Stretch by stretch: a row whose thread says nothing more in one goes on into the next.
    """
    columns = [store.column(name) for name in ("pid", "tid", "kernel")]
    following: Following = {}
    waiting = rows[:0]
    for start in range(first_row, store.rows, _STRETCH):
        end = min(start + _STRETCH, store.rows)
        own = rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)]
        if not len(own) and not len(waiting):
            continue
        part = np.concatenate((waiting, np.arange(start, end)))
        pid, tid, kernel = (column[part] for column in columns)
        order = np.lexsort((tid, pid))
        before, after = order[:-1], order[1:]
        thread = (pid[before] == pid[after]) & (tid[before] == tid[after])
        long = np.isin(part, rows)
        same = thread & long[before] & (kernel[before] == kernel[after])
        following.update(zip(part[before[same]].tolist(), part[after[same]].tolist(), strict=True))
        last = np.append(before[~thread], order[-1])
        waiting = part[last[long[last]]]
    return following


def _set_cells(store: FileStore, joined: Joined) -> None:
    """Set all cells of a column at once: to change a column of few rows costs as much as going through it."""
    rows = np.array(sorted(joined), np.int64)
    for name in ("kind", "rule", *EVENT_COLUMNS):
        store.columns.put(name, rows, [joined[row].get(name, none_of(name)) for row in rows.tolist()])
    more = np.array([joined[row].get("flags", 0) for row in rows.tolist()], np.uint8)
    store.columns.put("flags", rows, store.at("flags", rows) | more)
