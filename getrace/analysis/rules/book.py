"""Which rules speak of a line: the book of all rules, opened at the few whose fixed parts the line may hold."""

from collections.abc import Iterable, Sequence
from functools import cache
from time import perf_counter

from getrace.analysis.rules.line_shapes import LineShapes
from getrace.analysis.rules.load import own_rules
from getrace.analysis.rules.model import Rule
from getrace.analysis.rules.pattern import LONGEST, Pattern

Entry = tuple[str, Pattern, Rule]
"""The fixed part of a wording, the wording, its rule."""
Said = tuple[Rule, Pattern, dict[str, str]]
"""A rule that speaks of a line, the wording that fits, and what its groups hold."""

SPENT = 2.0
"""Seconds that a rule's dear searches may cost in one log. Its form bounds a pattern on one line; this bounds it on a
million lines made to hurt."""
_DEAR = 0.001
"""Seconds of a search that is counted; a search that costs less is paid for by the length of the log."""


class RuleBook:
    """The rules by the module whose lines they look at."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._shapes = LineShapes(self._entries)
        self._cost: dict[str, float] = {}
        self.slow: set[str] = set()
        """Rules that have cost ``SPENT`` seconds in a log and are asked no more."""
        self.quiet = RuleBook(_quiet(self.rules)) if any(not rule.quiet for rule in self.rules) else self

    @property
    def modules(self) -> frozenset[str]:
        """The modules that the rules name."""
        return frozenset(module for rule in self.rules for module in rule.modules)

    def begin(self) -> None:
        """Forget what the wordings of the last log cost."""
        self._cost.clear()
        self.slow.clear()
        if self.quiet is not self:
            self.quiet.begin()

    def said_of(self, line: str, module: str = "") -> Sequence[Said]:
        """Give the rules that speak of a line of a module, each once; "" stands for a line that belongs to none."""
        entries = self._shapes.may_fit(line, module)
        return self._asked(entries, line[:LONGEST]) if entries else ()

    def _asked(self, entries: Iterable[Entry], line: str) -> list[Said]:
        """Ask the wordings in order; of each rule the first that fits speaks."""
        found: dict[str, Said] = {}
        for literal, pattern, rule in entries:
            if literal not in line or rule.id in found or rule.id in self.slow:
                continue
            start = perf_counter()
            values = pattern.search(line)
            if perf_counter() - start > _DEAR:
                self._note_cost(rule.id, perf_counter() - start)
            if values is not None:
                found[rule.id] = (rule, pattern, values)
        return list(found.values())

    def _note_cost(self, rule: str, seconds: float) -> None:
        self._cost[rule] = self._cost.get(rule, 0.0) + seconds
        if self._cost[rule] > SPENT:
            self.slow.add(rule)

    def _entries(self, module: str) -> list[tuple[Iterable[str], Entry]]:
        """Give (fixed parts, entry) of the rules for a module."""
        return [
            (pattern.fixed, (pattern.literal, pattern, rule))
            for rule in self.rules
            if not module or not rule.modules or module in rule.modules
            for pattern in rule.patterns
        ]


@cache
def own_book() -> RuleBook:
    """Give the book of the tool's own table."""
    return RuleBook(own_rules())


def _quiet(rules: Iterable[Rule]) -> list[Rule]:
    return [rule for rule in rules if rule.quiet]
