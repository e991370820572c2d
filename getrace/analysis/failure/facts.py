"""Facts in lines: operators, codes, devices, ranks, streams and tasks, by the wordings of ``rules/data/facts.toml``.

A rule knows that its line tells a cause; which operator or device is meant often stands in the lines beside it.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files

from getrace.analysis.rules.pattern import LONGEST


@cache
def wordings() -> dict[str, tuple[re.Pattern[str], ...]]:
    """Give the wordings of each fact, the best first. They are read once, when they are first asked for."""
    text = (files("getrace.analysis.rules") / "data" / "facts.toml").read_text(encoding="utf-8")
    return {row["name"]: tuple(re.compile(wording) for wording in row["match"]) for row in tomllib.loads(text)["fact"]}


def fact_in(line: str, fact: str) -> str | None:
    """Read one fact from a line, by the best wording that fits."""
    for wording in wordings()[fact]:
        found = wording.search(line[:LONGEST])
        if found:
            return found[1]
    return None
