"""The cause of each process in the words of its lines, with the facts around it.

The pass over the rules says which line tells most (``rules.telling``); what stands in it and beside it is read here,
for those few lines only. Works on lines, so that a plog and a text without records are read alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from getrace.analysis.failure.facts import fact_in, wordings
from getrace.analysis.places import Place, file_of, line_of, text_of, time_of
from getrace.analysis.rules.telling import Tale, Tales, Telling
from getrace.events import Level
from getrace.store.store import Store

_OF_A_TASK = ("stream", "task", "kernel")
"""Facts that a reason takes from its own line only: the tasks around it are those that suffer."""
_AFTER = 12
_BEFORE = 6
_NEAR_ROWS = 2_000
"""Rows before and after the one that tells in which lines of its process are looked for."""
_LOUD = (Level.ERROR, Level.CRITICAL, Level.EXCEPTION)

Around = tuple[Sequence[str], Sequence[str]]
"""Lines before a line, the nearest first, and lines after it."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What went wrong in one process, as its line says. Facts are texts of the log; None: not said near the line.

    ``own`` are the names of the facts that the line itself says; the others stand in the lines around it.
    """

    what: str
    phase: str
    weight: Telling
    pid: int
    place: Place
    facts: dict[str, str]
    own: frozenset[str]

    def fact(self, name: str) -> str | None:
        """Give a fact by its name."""
        return self.facts.get(name)

    def number(self, name: str) -> int | None:
        """Give a fact that is a number; a rule of a user may hold another text there, which is none."""
        value = self.facts.get(name)
        return int(value) if value is not None and value.isdecimal() else None


def store_causes(store: Store, tales: Tales) -> tuple[Cause, ...]:
    """Give the cause of each process that tells one, in the order of their rows."""
    told = sorted(tales.best.values(), key=lambda tale: (tale.row, tale.line))
    return tuple(_cause(tale, _place(store, tale), _around_in(store, tale)) for tale in told)


def text_cause(file: str, texts: Sequence[str], tales: Tales) -> Cause | None:
    """Give the cause that the lines of a text tell; they are of no process."""
    tale = tales.best.get(-1)
    if tale is None:
        return None
    before, after = texts[max(0, tale.row - _BEFORE) : tale.row][::-1], texts[tale.row + 1 : tale.row + 1 + _AFTER]
    around = (_story(before), _story(after))
    return _cause(tale, Place(tale.row, file, tale.row + 1, None, tale.text), around)


def _cause(tale: Tale, place: Place, around: Around) -> Cause:
    facts, own = _facts(tale, around)
    told = tale.told
    return Cause(told.family, told.phase, told.telling, tale.pid, place, facts, own)


def _facts(tale: Tale, around: Around) -> tuple[dict[str, str], frozenset[str]]:
    """Read facts from the line that tells, then from the lines after it, then from those before, the nearest first."""
    facts = {name: value for name, value in tale.values.items() if name in wordings()}
    for fact in wordings():
        value = fact_in(tale.text, fact)
        if value is not None:
            facts.setdefault(fact, value)
    own = frozenset(facts)
    before, after = around
    near = [*after, *before]
    reason = tale.told.telling is Telling.REASON
    for fact in wordings():
        if fact not in facts and not (reason and fact in _OF_A_TASK):
            value = next((value for line in near if (value := fact_in(line, fact)) is not None), None)
            if value is not None:
                facts[fact] = value
    return facts, own


def _story(lines: Iterable[str]) -> list[str]:
    """Give lines up to the first that has no words: an empty one parts two stories."""
    return list(takewhile(str.strip, lines))


def _place(store: Store, tale: Tale) -> Place:
    first = line_of(store, tale.row)
    number = first + tale.line if first else 0
    text = tale.text if tale.line else text_of(store, tale.row)
    return Place(tale.row, file_of(store, tale.row), number, time_of(store, tale.row), text)


def _around_in(store: Store, tale: Tale) -> Around:
    """Give the lines around one: of its process's records that are loud, of HCCL, of several lines, or beside loud."""
    start, end = max(0, tale.row - _NEAR_ROWS), min(store.rows, tale.row + _NEAR_ROWS)
    part = slice(start, end)
    loud = np.isin(store.column("level")[part], [int(level) for level in _LOUD])
    told = loud | (store.column("lines")[part] > 1) | (store.column("module")[part] == store.names.find("HCCL"))
    told[1:] |= loud[:-1]
    rows = np.flatnonzero(told & (store.column("pid")[part] == tale.pid)) + start
    own = text_of(store, tale.row).split("\n")
    before = _lines(store, rows[rows < tale.row][::-1].tolist(), -1)
    after = _lines(store, rows[rows > tale.row].tolist(), 1)
    return (
        [*_story(own[: tale.line][::-1]), *islice(before, _BEFORE)][:_BEFORE],
        [*_story(own[tale.line + 1 :]), *islice(after, _AFTER)][:_AFTER],
    )


def _lines(store: Store, rows: Iterable[int], step: int) -> Iterator[str]:
    """Give the lines of some records one after the other; a negative step gives those of each record backwards.

    What stands behind an empty line in a record is of no record: it was pasted there.
    """
    for row in rows:
        yield from _story(text_of(store, row).split("\n"))[::step]
