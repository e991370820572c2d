"""The lines that may tell of a wait between device and host or between ranks, of a store or of a text without records.

A text has neither times nor processes of its own; both are read from its lines where they say them.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from getrace.analysis.hangs.wordings import Sort, may_tell, told
from getrace.analysis.places import Place, place
from getrace.analysis.sampling import ends_of, is_any_of
from getrace.clock import NS_PER_SECOND
from getrace.events import Level
from getrace.store.store import Store

Rows = npt.NDArray[np.intp]
LIMIT = 10_000
"""Records of each kind that are read from both ends of a log: settings stand at its start, a hang at its end."""
RECORD_LIMIT = 1 << 22
"""Characters of one record: a dump of queues is one, and has thousands of lines."""
MOST_TEXT = 1 << 27
"""Characters that are read in all."""
SPEAKERS = ("HCCL", "HCCP", "TSCH")
"""Modules whose quiet lines count, too: time-outs, heartbeats, and which rank a process is."""
_LOUD = (Level.ERROR, Level.CRITICAL, Level.EXCEPTION)
_PIDS = tuple(re.compile(words + r"(\d{1,18})") for words in (r"PID: ?", r"\bpid=", r"\((?=\d+,)"))
"""How a text names a process; CANN's own words come first, as what starts processes puts its own number before them."""
_PREFIX = re.compile(r"\[[A-Z]{4,9}\] ?[A-Z]+\((\d{1,18}),")
_ARRIVAL = re.compile(r"Arrival Time:\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})\]")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[- ](\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?(?:\.(\d{3}))?")


@dataclass(frozen=True, slots=True)
class Said:
    """One line that tells something of a wait; ``facts`` are the groups of its wording. ``pid`` -1: not said."""

    sort: Sort
    pid: int
    time_ns: int | None
    row: int
    number: int
    text: str
    facts: dict[str, str]
    place: Callable[[], Place]

    def fact(self, name: str) -> int | None:
        """Give a fact that is a number."""
        value = self.facts.get(name, "")
        return int(value) if value.isascii() and value.isdecimal() else None


def said_in(store: Store) -> tuple[list[Said], int]:
    """Give what the lines of a store tell, in row order, and how many records were left unread."""
    found: list[Said] = []
    pid, first = store.column("pid"), store.column("line")
    rows, unread = _rows(store)
    left = MOST_TEXT
    for index, (row, text) in enumerate(zip(rows.tolist(), store.texts(rows, RECORD_LIMIT), strict=True)):
        left -= len(text)
        if left < 0:
            return found, unread + len(rows) - index
        if "\n" in text and not may_tell(text):
            continue
        for offset, line in enumerate(text.split("\n")):
            number = int(first[row]) + offset
            for sort, facts in told(line):
                own, time = (int(pid[row]), store.time_or_none(row)) if not offset else _of_line(store, row, line)
                found.append(Said(sort, own, time, row, number, line, facts, _spot(store, row, number, line)))
    return found, unread


def said_in_text(file: str, texts: Sequence[str]) -> list[Said]:
    """Give what the lines of a text without records tell."""
    found, pid = [], -1
    for index, line in enumerate(texts):
        pid = next((int(own[1]) for words in _PIDS if (own := words.search(line))), pid)
        time = time_in(line)
        for sort, facts in told(line):
            spot = _text_spot(Place(index, file, index + 1, time, line))
            found.append(Said(sort, pid, time, index, index + 1, line, facts, spot))
    return found


def time_in(line: str) -> int | None:
    """Read the first time of a line, as the wall clock of its log says it; None when it has none."""
    found = _TIME.search(line)
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:  # a number that only looks like a time
        return None
    parts = (int(found[7] or 0), int(found[8] or 0))
    return int(moment.timestamp()) * NS_PER_SECOND + parts[0] * 1_000_000 + parts[1] * 1_000


def _of_line(store: Store, row: int, line: str) -> tuple[int, int | None]:
    """Give process and time of a line that belongs to a record; a record with a prefix of another tool has its own."""
    own, time = _PREFIX.search(line), time_in(line)
    return (
        int(own[1]) if own else int(store.column("pid")[row]),
        store.time_or_none(row) if time is None or own is None else time,
    )


def arrival_in(line: str) -> int | None:
    """Read when a heartbeat was found lost, which is minutes before the line of it; None when a line does not say."""
    found = _ARRIVAL.search(line)
    if found is None or found[1] not in _MONTHS:
        return None
    month = _MONTHS.index(found[1]) + 1
    return time_in(f"{found[4]}-{month:02}-{int(found[2]):02}-{found[3]}")


def _rows(store: Store) -> tuple[Rows, int]:
    """Give the rows to read, and how many of the same kinds are not among them."""
    numbers = [number for name in SPEAKERS if (number := store.names.find(name)) is not None]
    loud, speaks = store.rows_at(*_LOUD), is_any_of(store.column("module"), numbers)
    speakers = speaks[loud]
    speaks[loud] = False
    several = store.column("lines") > 1
    several[loud] = False
    several &= ~speaks
    rows: Rows = np.sort(
        np.concatenate(
            [
                *(_both_ends(each) for each in (loud[speakers], loud[~speakers])),
                *(ends_of(each, LIMIT, LIMIT) for each in (speaks, several)),
            ]
        )
    )
    return rows, len(loud) + int(np.count_nonzero(speaks)) + int(np.count_nonzero(several)) - len(rows)


def _both_ends(rows: Rows) -> Rows:
    return rows if len(rows) <= 2 * LIMIT else np.concatenate([rows[:LIMIT], rows[-LIMIT:]])


def _spot(store: Store, row: int, number: int, line: str) -> Callable[[], Place]:
    def make() -> Place:
        at = place(store, row)
        return at if number == at.line or not at.line else Place(at.row, at.file, number, at.time_ns, line)

    return make


def _text_spot(spot: Place) -> Callable[[], Place]:
    return lambda: spot
