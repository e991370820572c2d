"""Rules over a log: which rules say something about which lines, in one pass over the rows that can matter.

Those are the rows at WARNING and above, the ones without a level, the ones that hold more than one line (an
application's words follow the record before them), and, for ``quiet`` rules, the INFO and EVENT rows of the modules
they name.
A line is looked at with the rules of its module only, and first for the literal of each.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from getrace.analysis.places import Place, file_of, line_of, time_of
from getrace.analysis.rules.model import Rule
from getrace.analysis.rules.pattern import LONGEST, Pattern
from getrace.events import Level
from getrace.store.columns import Column
from getrace.store.store import Store

KEPT = 20
"""Hits of a rule that are kept; the others are counted."""
LOUD_ROWS = 60_000
"""Rows at WARNING and above that are read; a log with more repeats itself, and the answer says how many were left."""
QUIET_ROWS = 20_000
"""Rows at INFO and EVENT that are read for quiet rules, of each module that they name."""
LINES = 2_000
"""Lines of one record that are read."""

_LOUD = (Level.WARNING, Level.ERROR, Level.NULL, Level.CRITICAL, Level.EXCEPTION, Level.UNKNOWN)
_QUIET = (Level.INFO, Level.EVENT)


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
    """What the rules found. ``unread`` rows could have held more, but were too many."""

    hits: dict[str, list[Hit]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    unread: int = 0

    @property
    def rules(self) -> list[Rule]:
        """The rules that fired, in the order of their first lines."""
        firsts = sorted((hits[0] for hits in self.hits.values()), key=lambda hit: (hit.row, hit.line))
        return [hit.rule for hit in firsts]

    def of_row(self, row: int) -> list[Hit]:
        """Give the kept hits in a row."""
        return [hit for hits in self.hits.values() for hit in hits if hit.row == row]

    def add(self, hit: Hit) -> None:
        """Count a hit, and keep it if it is one of the first."""
        self.counts[hit.rule.id] = self.counts.get(hit.rule.id, 0) + 1
        kept = self.hits.setdefault(hit.rule.id, [])
        if len(kept) < KEPT:
            kept.append(hit)


_Entry = tuple[str, Pattern, Rule]


class RuleBook:
    """The rules by the module whose lines they look at."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._by_module: dict[str, list[_Entry]] = {}
        self.quiet = RuleBook(_quiet(self.rules)) if any(not rule.quiet for rule in self.rules) else self

    def entries(self, module: str) -> Sequence[_Entry]:
        """Give (literal, pattern, rule) of the rules for a module; "" stands for a line that belongs to none."""
        if module not in self._by_module:
            self._by_module[module] = [
                (pattern.literal, pattern, rule)
                for rule in self.rules
                if not module or not rule.modules or module in rule.modules
                for pattern in rule.patterns
            ]
        return self._by_module[module]

    @property
    def modules(self) -> frozenset[str]:
        """The modules that the rules name."""
        return frozenset(module for rule in self.rules for module in rule.modules)


def _quiet(rules: Iterable[Rule]) -> list[Rule]:
    return [rule for rule in rules if rule.quiet]


def match_line(book: RuleBook, line: str, module: str = "") -> list[tuple[Rule, Pattern, dict[str, str]]]:
    """Give the rules that speak of one line, each once, in the order of the table."""
    found: dict[str, tuple[Rule, Pattern, dict[str, str]]] = {}
    for literal, pattern, rule in book.entries(module):
        if literal in line and rule.id not in found:
            values = pattern.search(line)
            if values is not None:
                found[rule.id] = (rule, pattern, values)
    return list(found.values())


def match(store: Store, book: RuleBook) -> Matches:
    """Look for all rules in a store."""
    matches = Matches()
    level = store.column("level")
    loud = np.isin(level, [int(each) for each in _LOUD]) | (store.column("lines") > 1)
    rows = np.flatnonzero(loud)
    soft = ~loud & np.isin(level, [int(each) for each in _QUIET])
    read = [
        _first(rows, LOUD_ROWS, matches),
        *(_first(own, QUIET_ROWS, matches) for own in _by_module(store, book.quiet, soft)),
    ]
    return _match_rows(store, book, np.sort(np.concatenate(read)), loud, matches)


def _first(rows: Column, count: int, matches: Matches) -> Column:
    matches.unread += max(0, len(rows) - count)
    return rows[:count]


def _by_module(store: Store, book: "RuleBook", rows: Column) -> Iterator[Column]:
    """Give the rows of each module that the rules of a book name."""
    modules = store.column("module")
    for number in np.unique(modules).tolist():
        if store.names.text(number) in book.modules:
            yield np.flatnonzero(rows & (modules == number))


def _match_rows(store: Store, book: "RuleBook", read: Column, loud: Column, matches: Matches) -> Matches:
    is_loud = loud[read].tolist()
    modules = store.column("module")[read].tolist()
    for row, noisy, module in zip(read.tolist(), is_loud, modules, strict=True):
        _match_row(store, book if noisy else book.quiet, row, store.names.text(module), matches)
    return matches


def match_text(book: RuleBook, text: str) -> list[tuple[int, Rule, dict[str, str]]]:
    """Give (line from 1, rule, values) for a text that is no log: what a user pasted, or an application printed."""
    return [
        (number, rule, values)
        for number, line in enumerate(text.split("\n"), 1)
        for rule, _, values in match_line(book, line)
    ]


def _match_row(store: Store, book: RuleBook, row: int, module: str, matches: Matches) -> None:
    for number, line in enumerate(store.text(row).split("\n", LINES)[:LINES]):
        for rule, pattern, values in match_line(book, line, "" if number else module):
            text = line[: LONGEST - 1] + "…" if len(line) > LONGEST else line
            matches.add(Hit(rule, row, number, text, values, pattern.releases))
