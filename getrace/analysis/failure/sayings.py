"""The sentences of a diagnosis, as data: findings with their next step, and the parts that they are put together from.

``rules/data/findings.toml`` has them in English and Chinese. Were they in code, a language would be as many changes as
there are findings, and nobody could read what the tool may say without reading how it finds it.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from getrace.analysis.failure.model import Finding, Severity
from getrace.analysis.places import Place
from getrace.analysis.rules.model import Language, Words


@dataclass(frozen=True, slots=True)
class Saying:
    """One row of the table; ``text`` and ``next_step`` have names in braces for what is filled in."""

    rule: str
    severity: Severity
    text: Words
    next_step: Words


@cache
def _table() -> Mapping[str, Any]:
    text = (files("getrace.analysis.rules") / "data" / "findings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def sayings() -> Mapping[str, Saying]:
    """Give all rows by name. They are read once, when they are first asked for."""
    return {
        row["name"]: Saying(
            row.get("rule", row["name"]),
            Severity(row["severity"]),
            Words(row["text"], row["text_zh"]),
            Words(row["next"], row["next_zh"]),
        )
        for row in _table()["finding"]
    }


def finding(name: str, language: Language, evidence: tuple[Place, ...] = (), **values: object) -> Finding:
    """Make a finding of the table; ``values`` are filled in."""
    saying = sayings()[name]
    text, step = (words.in_language(language) for words in (saying.text, saying.next_step))
    return Finding(saying.rule, saying.severity, text.format(**values), evidence, step.format(**values))


def phrase(text: str, language: Language, **values: object) -> str:
    """Give a part of a sentence, or a label, in a language; one that has no Chinese stays English."""
    known: Mapping[str, str] = _table()["phrases"]
    said = known.get(text, text) if language is Language.ZH else text
    return said.format(**values) if values else said
