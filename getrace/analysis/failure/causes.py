"""The cause of each process in the words of its lines, with the facts around it.

Works on lines, so that a plog and a text without records are read alike; ``lines_of`` makes lines of a store.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from getrace.analysis.failure.words import FACTS, IGNORE_ABOVE, Told, Weight, fact_in, told_by
from getrace.analysis.places import TEXT_LIMIT, Place, place
from getrace.events import Level
from getrace.store.store import Store

LIMIT = 10_000
"""Records that are read for each reason; a log with more repeats itself."""
PlaceOf = Callable[["Line"], Place]
"""Gives the place of a line."""
_OF_A_TASK = ("stream", "task", "kernel")
"""Facts that a reason takes from its own line only: the tasks around it are those that suffer."""
_AFTER = 12
_BEFORE = 6


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a record: the record's row and process, and the physical line."""

    row: int
    pid: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Cause:
    """What went wrong in one process, as its line says. Facts are texts of the log; None: not said near the line.

    ``own`` are the names of the facts that the line itself says; the others stand in the lines around it.
    """

    what: str
    phase: str
    weight: Weight
    pid: int
    place: Place
    facts: dict[str, str]
    own: frozenset[str]

    def fact(self, name: str) -> str | None:
        """Give a fact by its name."""
        return self.facts.get(name)

    def number(self, name: str) -> int | None:
        """Give a fact that is a number."""
        return None if (value := self.facts.get(name)) is None else int(value)


def lines_of(store: Store) -> Iterator[Line]:
    """Give the lines that may tell a cause: of loud records, of HCCL, and those that no record begins."""
    level, module = store.column("level"), store.column("module")
    hccl = [number for number in np.unique(module).tolist() if store.names.text(number) == "HCCL"]
    loud = np.isin(level, [int(Level.ERROR), int(Level.CRITICAL), int(Level.EXCEPTION)])
    wanted: set[int] = set()
    for mask in (loud, np.isin(module, hccl), store.column("lines") > 1):
        wanted.update(np.flatnonzero(mask)[:LIMIT].tolist())
    wanted.update((np.flatnonzero(loud)[:LIMIT] + 1).tolist())
    pid, number = store.column("pid"), store.column("line")
    for row in sorted(row for row in wanted if row < store.rows):
        for offset, text in enumerate(store.text(row)[:TEXT_LIMIT].split("\n")):
            yield Line(row, int(pid[row]), int(number[row]) + offset, text)


def cause_of(lines: Sequence[Line], spot: PlaceOf) -> Cause | None:
    """Give the cause of one process's lines, in their order: the first line of the greatest weight."""
    best: tuple[int, Told] | None = None
    for index, line in enumerate(lines):
        told = told_by(line.text)
        better = told is not None and (best is None or told.family.weight > best[1].family.weight)
        if told is not None and better and not _taken_back(lines, index):
            best = (index, told)
    if best is None:
        return None
    index, told = best
    facts, own = _facts(lines, index, told)
    family = told.family
    return Cause(family.name, family.phase, family.weight, lines[index].pid, spot(lines[index]), facts, own)


def causes_of(lines: Iterable[Line], spot: PlaceOf) -> tuple[Cause, ...]:
    """Give the cause of each process that tells one, in the order of their rows."""
    by_process: dict[int, list[Line]] = {}
    for line in lines:
        by_process.setdefault(line.pid, []).append(line)
    found = (cause_of(own, spot) for own in by_process.values())
    return tuple(sorted((cause for cause in found if cause), key=lambda cause: cause.place.row))


def store_causes(store: Store) -> tuple[Cause, ...]:
    """Give the causes that a store's records tell."""

    def spot(line: Line) -> Place:
        at = place(store, line.row)
        return at if line.number == at.line else Place(at.row, at.file, line.number, at.time_ns, line.text)

    return causes_of(lines_of(store), spot)


def _taken_back(lines: Sequence[Line], index: int) -> bool:
    """Say whether a line near after this one says that it can be ignored."""
    return any(IGNORE_ABOVE.search(line.text) for line in lines[index + 1 : index + 2])


def _written(line: Line) -> bool:
    """Say whether a line has words: an empty one parts two stories."""
    return bool(line.text.strip())


def _facts(lines: Sequence[Line], index: int, told: Told) -> tuple[dict[str, str], frozenset[str]]:
    """Read facts from the line that tells, then from the lines after it, then from those before, the nearest first."""
    facts = dict(told.facts)
    for fact in FACTS:
        value = fact_in(lines[index].text, fact)
        if value is not None:
            facts.setdefault(fact, value)
    own = frozenset(facts)
    after, before = lines[index + 1 : index + 1 + _AFTER], reversed(lines[max(0, index - _BEFORE) : index])
    near = [*takewhile(_written, after), *takewhile(_written, before)]
    reason = told.family.weight is Weight.REASON
    for fact in FACTS:
        if fact not in facts and not (reason and fact in _OF_A_TASK):
            value = next((v for line in near if (v := fact_in(line.text, fact)) is not None), None)
            if value is not None:
                facts[fact] = value
    return facts, own
