"""What is kept of a look at some logs, to go on with it another day: where one stood, marks, filters, columns.

Rows are named by source and line, with a digest of the text: a log that has grown or was rotated still has the line or
it has not, and a mark must never stand at a line that says something else than the one that was marked.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from getrace.store.store import Store
from views.model.places import NOWHERE, Places

SCHEMA = "getrace/session/1"
MOST_MARKS = 10_000
"""Marks that are kept; a hand sets fewer."""


class Anchor(NamedTuple):
    """A row that outlives the store: its source, its line there, and a digest of its text."""

    source: str
    line: int
    digest: str


@dataclass(frozen=True, slots=True)
class Session:
    """``at`` is where the cursor was, ``markers`` are A and B; None where nothing is kept.

    ``pages`` holds by the name of a screen what that screen wants to have back.
    """

    at: Anchor | None = None
    screen: int = 0
    marks: tuple[Anchor, ...] = ()
    markers: tuple[Anchor | None, Anchor | None] = (None, None)
    pages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that somebody would miss."""
        return not (self.marks or any(self.markers) or any(self.pages.values()) or (self.at and self.at.line > 1))


def anchor_of(store: Store, row: int) -> Anchor | None:
    """Name a row for another day; None for a row that has no line in a file."""
    line = int(store.column("line")[row])
    source = int(store.column("source")[row])
    if line <= 0 or source >= len(store.sources):
        return None
    return Anchor(_whole(store.sources[source].path), line, _digest(store.text(row)))


def rows_of(store: Store, anchors: Iterable[Anchor | None]) -> list[int]:
    """Give the rows of some anchors, ``NOWHERE`` for each whose line is not there or says something else."""
    wanted = list(anchors)
    numbers = {_whole(source.path): number for number, source in enumerate(store.sources)}
    lines, sources = store.column("line"), store.column("source")
    found = []
    for anchor in wanted:
        number = NOWHERE if anchor is None else numbers.get(anchor.source, NOWHERE)
        if anchor is None or number < 0:
            found.append(NOWHERE)
            continue
        rows = np.flatnonzero((lines == anchor.line) & (sources == number))
        same = len(rows) > 0 and _digest(store.text(int(rows[0]))) == anchor.digest
        found.append(int(rows[0]) if same else NOWHERE)
    return found


def session_of(store: Store, row: int, screen: int, places: Places, pages: Mapping[str, Mapping[str, Any]]) -> Session:
    """Take note of a look at a store."""
    marks = (anchor_of(store, mark) for mark in places.marks[:MOST_MARKS])
    first, second = (anchor_of(store, mark) if mark >= 0 else None for mark in places.markers)
    return Session(
        at=anchor_of(store, row) if row < store.rows else None,
        screen=screen,
        marks=tuple(mark for mark in marks if mark is not None),
        markers=(first, second),
        pages={name: dict(kept) for name, kept in pages.items() if kept},
    )


def session_text(session: Session) -> str:
    """Write a session as JSON."""
    told = {
        "schema": SCHEMA,
        "at": session.at,
        "screen": session.screen,
        "marks": session.marks,
        "markers": session.markers,
        "pages": session.pages,
    }
    return json.dumps(told, ensure_ascii=True, indent=1, sort_keys=True) + "\n"


def read_session(text: str) -> Session | None:
    """Read a session; None for what is none, as another program's file or that of a later release."""
    try:
        told = json.loads(text)
        if told["schema"] != SCHEMA:
            return None
        first, second = map(_anchor, told["markers"])
        return Session(
            at=_anchor(told["at"]),
            screen=int(told["screen"]),
            marks=tuple(mark for mark in map(_anchor, told["marks"][:MOST_MARKS]) if mark is not None),
            markers=(first, second),
            pages={str(name): dict(kept) for name, kept in told["pages"].items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _whole(path: str) -> str:
    """Give a path that means the same from another folder."""
    return str(Path(path).absolute())


def _anchor(told: Any) -> Anchor | None:
    if told is None:
        return None
    source, line, digest = told
    return Anchor(str(source), int(line), str(digest))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
