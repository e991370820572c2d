"""The cascade as a tree: each record that repeats a failure hangs under the one that it repeats, with the rule why.

A list in row order would make the framework's last words a child of whatever thread wrote before them.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from getrace.analysis.places import text_of
from getrace.clock import NS_PER_SECOND
from getrace.store.columns import none_of
from getrace.store.store import Store

_CODE = re.compile(r"(?:ErrCode=|error code is |runtime result = ?|ret(?:code)?[:=] ?|error code[:=] ?|ret\[)(\d{4,})")
_STREAM = re.compile(r"\bstream_id[=:] ?(\d+)")
_NEAR_NS = NS_PER_SECOND
"""A caller reports what its callee told it at once, and so does a thread that waited for it."""


class Tie(StrEnum):
    """Why a record is taken for the consequence of another, the strongest first."""

    CODE = "the same error code"
    STREAM = "the same stream"
    CALLER = "the same thread, at once"
    MOMENT = "another thread, at once"
    WORDS = "the words of a known effect"
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


def tree_of(store: Store, root: int, rows: Sequence[int], effects: Collection[int] = ()) -> tuple[Link, ...]:
    """Hang every consequence under an earlier one, or under the root; ``rows`` are the consequences in order.

    ``effects`` are the rows whose words a rule knows for those of an effect or a report, never of a cause.
    """
    earlier = _Earlier()
    earlier.add(_record(store, root))
    links = []
    for row in rows:
        record = _record(store, row)
        under, tie = earlier.nearest(record) or (root, Tie.WORDS if row in effects else Tie.PROCESS)
        links.append(Link(row, under, tie))
        earlier.add(record)
    return tuple(links)


@dataclass(slots=True)
class _Earlier:
    """The last record of each code, stream and thread, and of all, so far."""

    codes: dict[str, int] = field(default_factory=dict)
    streams: dict[str, int] = field(default_factory=dict)
    threads: dict[int, _Record] = field(default_factory=dict)
    last: _Record | None = None

    def add(self, record: _Record) -> None:
        self.codes |= dict.fromkeys(record.codes, record.row)
        self.streams |= dict.fromkeys(record.streams, record.row)
        if record.time != none_of("time"):
            self.threads[record.tid] = self.last = record

    def nearest(self, record: _Record) -> tuple[int, Tie] | None:
        """Give the nearest record that the strongest tie binds one to."""
        for tie, known, said in (
            (Tie.CODE, self.codes, record.codes),
            (Tie.STREAM, self.streams, record.streams),
        ):
            found = [known[each] for each in said if each in known]
            if found:
                return max(found), tie
        for tie, before in ((Tie.CALLER, self.threads.get(record.tid)), (Tie.MOMENT, self.last)):
            if before is not None and record.time != none_of("time") and abs(record.time - before.time) <= _NEAR_NS:
                return before.row, tie
        return None


def _record(store: Store, row: int) -> _Record:
    text = text_of(store, row)
    tid, time = (int(store.column(name)[row].astype(np.int64)) for name in ("tid", "time"))
    return _Record(row, tid, time, frozenset(_CODE.findall(text)), frozenset(_STREAM.findall(text)))
