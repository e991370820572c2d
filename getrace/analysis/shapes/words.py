"""What ordinary lines say of shapes: the rows that are read for the table of wordings.

Ordinary lines stand outside of graph runs, so what is read are all rows at WARNING and above, and of quieter ones those
of the modules that compile and call, without a kernel, that no run holds.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from getrace.analysis.confidence import Confidence
from getrace.analysis.places import TEXT_LIMIT, Place, file_of, line_of, time_of
from getrace.analysis.rules.pattern import LONGEST, Pattern, trusted
from getrace.analysis.runs import GraphRun
from getrace.analysis.shapes.observed import owners
from getrace.analysis.shapes.wordings import HINTS, WORDINGS
from getrace.events import Level
from getrace.store.columns import none_of
from getrace.store.store import Store

LOUD = 10_000
"""Rows at WARNING and above that are read."""
QUIET = 30_000
"""Quieter rows that are read."""
_LINES = 50
_MODULES = frozenset({"GE", "ASCENDCL", "TORCHAIR", "FMK", "FE", "OP", "TBE"})
"""Modules whose quiet lines may say something of shapes."""
_LOUD = (Level.WARNING, Level.ERROR, Level.NULL, Level.CRITICAL, Level.EXCEPTION, Level.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Word:
    """A line that a row of the table matched: its id, what its groups hold, the line as evidence.

    ``pid`` is the process that said it and ``module`` who did; -1 and "" in a text without records.
    """

    id: str
    values: dict[str, str]
    place: Place
    pid: int = -1
    module: str = ""

    @property
    def confidence(self) -> Confidence:
        """How far to trust the line: an application may quote what GE said once, and a text has no module at all."""
        return Confidence.HIGH if self.module in _MODULES else Confidence.LOW

    @property
    def topic(self) -> str:
        """The first part of the id."""
        return self.id.partition(".")[0]

    def number(self, name: str) -> int | None:
        """Give a value as a number; None when it is absent or none."""
        text = self.values.get(name, "")
        return int(text) if re.fullmatch(r"-?\d{1,20}", text) else None

    def numbers(self, name: str) -> tuple[int, ...]:
        """Give all numbers of a value."""
        return tuple(int(text) for text in re.findall(r"-?\d{1,18}", self.values.get(name, "")))


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, Pattern], ...]:
    return tuple((name, trusted(text)) for name, text in WORDINGS)


def _hints(text: str) -> bool:
    return any(hint in text for hint in HINTS)


def words_of_line(line: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Give what the rows of the table find in one line: the first row of each topic."""
    line = line[:LONGEST]
    if not _hints(line):
        return
    found: set[str] = set()
    for name, pattern in _patterns():
        topic = name.partition(".")[0] if name != "gear.shape" else name
        values = pattern.search(line) if topic not in found else None
        if values is not None:
            found.add(topic)
            yield name, values


def read_words(store: Store, runs: Sequence[GraphRun]) -> tuple[list[Word], int]:
    """Read the ordinary lines of a log: what they say, and how many of them were not looked at."""
    level = store.column("level")
    loud = np.isin(level, [int(each) for each in _LOUD]) | (store.column("lines") > 1)
    speaking = [number for number in range(len(store.names)) if store.names.text(number) in _MODULES]
    soft = ~loud & (store.column("kernel") == none_of("kernel")) & np.isin(store.column("module"), speaking)
    noisy, quiet = np.flatnonzero(loud), np.flatnonzero(soft)
    chosen, left = quiet[: 4 * QUIET], len(quiet) - len(quiet[: 4 * QUIET])
    outside = chosen[owners(store, runs, chosen.astype(np.int64)) < 0]
    rows = np.sort(np.concatenate([noisy[:LOUD], outside[:QUIET]])).astype(np.int64)
    told = zip(rows.tolist(), store.texts(rows, TEXT_LIMIT), strict=True)
    words = [word for row, text in told for word in _of_row(store, row, text)]
    return words, left + max(0, len(noisy) - LOUD) + max(0, len(outside) - QUIET)


def _of_row(store: Store, row: int, text: str) -> Iterator[Word]:
    if not _hints(text):
        return
    for number, line in enumerate(text.split("\n", _LINES)[:_LINES]):
        for name, values in words_of_line(line):
            first = line_of(store, row)
            at = Place(row, file_of(store, row), first + number if first else 0, time_of(store, row), line[:LONGEST])
            module = "" if number else store.names.text(int(store.column("module")[row]))
            yield Word(name, values, at, int(store.column("pid")[row]), module)


def words_of_text(file: str, lines: Iterable[str]) -> list[Word]:
    """Read a text without records."""
    return [
        Word(name, values, Place(number - 1, file, number, None, line[:LONGEST]))
        for number, line in enumerate(lines, 1)
        for name, values in words_of_line(line)
    ]
