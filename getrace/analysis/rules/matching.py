"""Rules over a log: which rules say something about which lines, and which line tells the cause of each process.

One pass over the rows that can matter: the ones at WARNING and above, the ones without a level, the ones that hold
more than one line (an application's words follow the record before them), and, for ``quiet`` rules, the INFO and EVENT
rows of the modules they name. A log with more of one kind than is read repeats itself; its beginning and its end are
read, as a cause stands early and a process dies late.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from getrace.analysis.places import TEXT_LIMIT, Place, file_of, line_of, time_of
from getrace.analysis.rules.book import RuleBook, Said
from getrace.analysis.rules.model import Role, Rule
from getrace.analysis.rules.pattern import LONGEST, Pattern
from getrace.analysis.rules.telling import Tale, Tales
from getrace.analysis.sampling import both_ends, ends_of, is_any_of
from getrace.events import Level
from getrace.store.columns import Column
from getrace.store.store import Store

KEPT = 20
"""Hits of a rule that are kept; the others are counted."""
ERROR_ROWS = 20_000
"""Rows at ERROR and above that are read; the answer says how many were left."""
WARNING_ROWS = 10_000
"""The same for rows at WARNING and without a level, and for rows of several lines."""
QUIET_ROWS = 10_000
"""The same for rows at INFO and EVENT, of each module that a quiet rule names."""
LINES = 2_000
"""Lines of one record that are read."""

_LOUD = (Level.ERROR, Level.CRITICAL, Level.EXCEPTION)
_SOFT = (Level.WARNING, Level.NULL, Level.UNKNOWN)
_QUIET = (Level.INFO, Level.EVENT)
_TELLERS = frozenset({"HCCL"})
"""Modules that tell causes at any level (a lost rank is INFO)."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that a rule speaks of. ``line`` counts from 0 inside the record of ``row``."""

    rule: Rule
    row: int
    line: int
    text: str
    values: dict[str, str]
    releases: str = ""

    def place(self, store: Store) -> Place:
        """Give the very line as evidence: of a record with several lines, not its first one."""
        first = line_of(store, self.row)
        return Place(
            self.row, file_of(store, self.row), first + self.line if first else 0, time_of(store, self.row), self.text
        )


@dataclass(slots=True)
class Matches:
    """What the rules found. ``unread`` rows could have held more, but were too many.

    ``harmless`` are the rows whose own words, or whose rule, say that they are no error; ``tales`` has the line of each
    process that tells most. ``slow`` rules cost so much that they were not asked to the end.
    """

    hits: dict[str, list[Hit]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    unread: int = 0
    harmless: set[int] = field(default_factory=set)
    tales: Tales = field(default_factory=Tales)
    slow: frozenset[str] = frozenset()

    @property
    def rules(self) -> list[Rule]:
        """The rules that fired, in the order of their first lines."""
        firsts = sorted((hits[0] for hits in self.hits.values()), key=lambda hit: (hit.row, hit.line))
        return [hit.rule for hit in firsts]

    def add(self, hit: Hit) -> None:
        """Count a hit, and keep it if it is one of the first."""
        self.counts[hit.rule.id] = self.counts.get(hit.rule.id, 0) + 1
        kept = self.hits.setdefault(hit.rule.id, [])
        if len(kept) < KEPT:
            kept.append(hit)

    def moved(self, new: Callable[[int], int]) -> "Matches":
        """Give the same with other numbers for all rows."""
        tales = {pid: replace(tale, row=new(tale.row)) for pid, tale in self.tales.best.items()}
        moved = replace(self, hits={}, harmless=set(map(new, self.harmless)), tales=Tales(tales))
        for rule, kept in self.hits.items():
            moved.hits[rule] = sorted(
                (replace(hit, row=new(hit.row)) for hit in kept), key=lambda hit: (hit.row, hit.line)
            )
        return moved


@dataclass(frozen=True, slots=True)
class _Read:
    """Rows in order, with what the pass asks of each: is it loud (all rules), may its first line tell a cause."""

    rows: Column
    loud: Column
    tells: Column


def match(store: Store, book: RuleBook) -> Matches:
    """Look for all rules in a store; the order of its rows is that in which lines tell."""
    matches = Matches()
    book.begin()
    read = _rows(store, book, matches)
    pids, modules = store.column("pid")[read.rows].tolist(), store.column("module")[read.rows].tolist()
    names = {module: store.names.text(module) for module in set(modules)}
    marks = zip(read.rows.tolist(), pids, modules, read.loud.tolist(), read.tells.tolist(), strict=True)
    for (row, pid, module, loud, tells), text in zip(marks, store.texts(read.rows, TEXT_LIMIT), strict=True):
        own = book if loud else book.quiet
        for number, line in enumerate(text.split("\n", LINES)[:LINES]):
            said = own.said_of(line, "" if number else names[module])
            if said or matches.tales.listening:
                _take(matches, said, (pid, row, number), line, tells=tells or number > 0)
    matches.tales.end()
    matches.slow = frozenset(book.slow | book.quiet.slow)
    return matches


def match_text(book: RuleBook, text: str) -> list[tuple[int, Rule, dict[str, str]]]:
    """Give (line from 1, rule, values) for a text that is no log: what a user pasted, or an application printed."""
    lines = enumerate(text.split("\n"), 1)
    return [(number, rule, values) for number, line in lines for rule, _, values in book.said_of(line)]


def match_lines(book: RuleBook, lines: Iterable[str]) -> Matches:
    """Look for all rules in the lines of a text without records: each is a row of its own, of no process (-1)."""
    matches = Matches()
    book.begin()
    for row, line in enumerate(lines):
        _take(matches, book.said_of(line), (-1, row, 0), line, tells=True)
    matches.tales.end()
    matches.slow = frozenset(book.slow)
    return matches


def _take(matches: Matches, said: Sequence[Said], at: tuple[int, int, int], line: str, *, tells: bool) -> None:
    pid, row, number = at
    text = line[: LONGEST - 1] + "…" if len(line) > LONGEST else line
    for rule, pattern, values in said:
        matches.add(Hit(rule, row, number, text, values, pattern.releases))
    harmless = any(rule.role is Role.HARMLESS for rule, _, _ in said)
    if harmless and not number:
        matches.harmless.add(row)
    matches.tales.hear(pid, _tales(said, at, text, only_back=harmless) if tells or harmless else ())


def _tales(said: Sequence[Said], at: tuple[int, int, int], text: str, *, only_back: bool) -> Iterator[Tale]:
    """Give what a line tells; one that is harmless by its own words can only take back another."""
    told: Iterator[tuple[Pattern, dict[str, str]]] = ((pattern, values) for _, pattern, values in said)
    for pattern, values in told:
        if pattern.told is not None and not (only_back and pattern.told.telling):
            yield Tale(pattern.told, *at, text, values)


def _rows(store: Store, book: RuleBook, matches: Matches) -> _Read:
    """Choose the rows to read."""
    level, lines, module = (store.column(name) for name in ("level", "lines", "module"))
    error = store.rows_at(*_LOUD)
    several = np.flatnonzero(lines > 1)
    several = several[~np.isin(level[several], _LOUD)]
    soft = store.rows_at(*_SOFT)
    parts = [
        _ends(error, ERROR_ROWS, matches),
        _ends(several, WARNING_ROWS, matches),
        _ends(soft[lines[soft] < 2] if len(several) else soft, WARNING_ROWS, matches),
    ]
    shouted = sum(map(len, parts))
    parts += _quiet_rows(store, book, matches)
    rows = np.concatenate(parts)
    is_loud = np.arange(len(rows)) < shouted
    order = np.argsort(rows, kind="stable")
    rows, is_loud = rows[order], is_loud[order]
    tellers = [number for name in _TELLERS if (number := store.names.find(name)) is not None]
    # Text in front of the first record has no level, and it is what an application printed.
    tells = np.isin(level[rows], (*_LOUD, Level.UNKNOWN)) | (lines[rows] > 1)
    return _Read(rows, is_loud, tells | np.isin(module[rows], tellers))


def _ends(rows: Column, count: int, matches: Matches) -> Column:
    matches.unread += max(0, len(rows) - count)
    return both_ends(rows, count)


def _quiet_rows(store: Store, book: RuleBook, matches: Matches) -> Iterator[Column]:
    """Give the quiet rows of one line of each module that a quiet rule names, from both ends of the log."""
    named = [number for name in sorted(book.quiet.modules) if (number := store.names.find(name)) is not None]
    quiet = is_any_of(store.column("level"), _QUIET) if named else np.zeros(0, bool)
    quiet[np.flatnonzero(store.column("lines") > 1) if named else []] = False
    for number in named:
        own = store.column("module") == number
        own &= quiet
        matches.unread += max(0, int(np.count_nonzero(own)) - QUIET_ROWS)
        yield ends_of(own, QUIET_ROWS - QUIET_ROWS // 3, QUIET_ROWS // 3)
