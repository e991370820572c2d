"""What is known of single lines, as data: each rule says what a line means, what follows from it, and what to do.

``data/*.toml`` is the table; ``load`` reads and checks it and the rules of users, ``pattern`` bounds the time that a
pattern may take, ``matching`` finds the lines, ``guide`` walks the flow chart of seed 002 5.2 with them. A text of a
log is a fact of a release, not of the program: were it in code, each new wording would be a change of code.
"""

from getrace.analysis.rules.book import RuleBook, own_book
from getrace.analysis.rules.load import own_rules, with_rules_of
from getrace.analysis.rules.matching import Hit, Matches, match, match_text
from getrace.analysis.rules.model import Language, Role, Rule, Weight

__all__ = [
    "Hit",
    "Language",
    "Matches",
    "Role",
    "Rule",
    "RuleBook",
    "Weight",
    "match",
    "match_text",
    "own_book",
    "own_rules",
    "with_rules_of",
]
