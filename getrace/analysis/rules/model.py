"""A rule: what a line of a log says, what it means, what follows from it, and what to do. Plain records."""

from dataclasses import dataclass
from enum import StrEnum

from getrace.analysis.rules.pattern import Pattern


class Weight(StrEnum):
    """How much a line matters, whatever level it was printed at."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Role(StrEnum):
    """What a line is to a failure."""

    CAUSE = "cause"
    EFFECT = "effect"
    REPORT = "report"
    HARMLESS = "harmless"
    MISLEADING = "misleading"
    NOTE = "note"


class Language(StrEnum):
    """A language that rules speak."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class Words:
    """One sentence in English and in Chinese."""

    en: str
    zh: str

    def in_language(self, language: Language) -> str:
        """Give the sentence in a language."""
        return self.zh if language is Language.ZH else self.en


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table.

    ``modules`` are the modules whose own records may say it (empty: any); a line that belongs to no record, such as one
    of an application, may say everything. ``quiet`` rules are looked for in records below WARNING too. ``leads_to`` are
    the rules whose lines are only consequences of this one. ``file`` is where GE prints it, or where to look in GE's
    source; ``source`` is where the fact comes from: ``formats FILE``, ``case NUMBER``, ``seed 002 5.1``, ``spec ...``.
    """

    id: str
    modules: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    phase: str
    weight: Weight
    role: Role
    cause: Words
    next_step: Words
    leads_to: tuple[str, ...] = ()
    file: str = ""
    source: tuple[str, ...] = ()
    quiet: bool = False
