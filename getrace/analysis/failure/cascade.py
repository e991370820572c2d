"""The cascade as a tree: each record that repeats a failure hangs under the one that it repeats, with the rule why.

A list in row order would make the framework's last words a child of whatever thread wrote before them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from getrace.clock import NS_PER_SECOND
from getrace.store.columns import none_of
from getrace.store.store import Store

_CODE = re.compile(r"(?:ErrCode=|error code is |runtime result = ?|ret(?:code)?[:=] ?|error code[:=] ?|ret\[)(\d{4,})")
_STREAM = re.compile(r"\bstream_id[=:] ?(\d+)")
_NEAR_NS = NS_PER_SECOND
"""A caller reports what its callee told it at once."""


class Tie(StrEnum):
    """Why a record is taken for the consequence of another, the strongest first."""

    CODE = "the same error code"
    STREAM = "the same stream"
    CALLER = "the same thread, at once"
    PROCESS = "the same process, later"


@dataclass(frozen=True, slots=True)
class Link:
    """One consequence: its row, the row that it hangs under, and why."""

    row: int
    under: int
    tie: Tie


@dataclass(frozen=True, slots=True)
class _Record:
    row: int
    tid: int
    time: int
    codes: frozenset[str]
    streams: frozenset[str]


def tree_of(store: Store, root: int, rows: Sequence[int]) -> tuple[Link, ...]:
    """Hang every consequence under an earlier one, or under the root; ``rows`` are the consequences in order."""
    earlier = [_record(store, root)]
    links = []
    for row in rows:
        record = _record(store, row)
        links.append(_hang(record, earlier))
        earlier.append(record)
    return tuple(links)


def _hang(record: _Record, earlier: Sequence[_Record]) -> Link:
    for tie in (Tie.CODE, Tie.STREAM, Tie.CALLER):
        for other in reversed(earlier):
            if _tied(tie, record, other):
                return Link(record.row, other.row, tie)
    return Link(record.row, earlier[0].row, Tie.PROCESS)


def _tied(tie: Tie, record: _Record, other: _Record) -> bool:
    if tie is Tie.CODE:
        return bool(record.codes & other.codes)
    if tie is Tie.STREAM:
        return bool(record.streams & other.streams)
    none = none_of("time")
    near = none not in (record.time, other.time) and abs(record.time - other.time) <= _NEAR_NS
    return near and record.tid == other.tid


def _record(store: Store, row: int) -> _Record:
    text = store.text(row)
    tid, time = (int(store.column(name)[row].astype(np.int64)) for name in ("tid", "time"))
    return _Record(row, tid, time, frozenset(_CODE.findall(text)), frozenset(_STREAM.findall(text)))
