"""What the table of rules says of a log, as findings: one for each rule that fired, the ones that explain most first.

These findings change no verdict: a rule knows a line, not whether the process survived it.
"""

from collections.abc import Callable

from getrace.analysis.failure.model import Finding, Severity
from getrace.analysis.places import Place
from getrace.analysis.rules.matching import Hit, Matches
from getrace.analysis.rules.model import Language, Role

_SHOWN = 3
_ORDER = (Role.CAUSE, Role.MISLEADING, Role.HARMLESS, Role.EFFECT, Role.REPORT, Role.NOTE)


def rule_findings(spot: Callable[[Hit], Place], matches: Matches, language: Language) -> tuple[Finding, ...]:
    """Give a finding for each rule that fired: by role, then by its first line. ``spot`` gives the place of a hit."""
    rules = sorted(matches.rules, key=lambda rule: _ORDER.index(rule.role))
    return tuple(
        Finding(
            rule.id,
            Severity(str(rule.weight)),
            rule.cause.in_language(language),
            tuple(spot(hit) for hit in matches.hits[rule.id][:_SHOWN]),
            rule.next_step.in_language(language),
            role=str(rule.role),
            phase=rule.phase,
            count=matches.counts[rule.id],
        )
        for rule in rules
    )
