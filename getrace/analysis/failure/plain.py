"""The failure that a text without records tells: a console, an error page, a pasted excerpt.

There is no process, no time and no kernel in it, only words; so its answers have low confidence.
"""

import re
from collections.abc import Sequence

from getrace.analysis.failure.causes import Cause, text_cause
from getrace.analysis.failure.model import CONFIDENCE, Diagnosis, Failure, How, Verdict
from getrace.analysis.failure.ruled import rule_findings
from getrace.analysis.hangs import find_hangs_in_text
from getrace.analysis.places import Place
from getrace.analysis.rules.book import RuleBook, own_book
from getrace.analysis.rules.matching import Hit, match_lines
from getrace.analysis.rules.model import Language
from getrace.analysis.rules.telling import Telling

_PID = re.compile(r"\b(?:PID: ?|pid=)(\d+)")


def diagnose_text(
    file: str, texts: Sequence[str], book: RuleBook | None = None, language: Language = Language.EN
) -> Diagnosis:
    """Say what the lines of a text tell: the verdict is ``unknown`` when no line tells a cause.

    ``book`` are the rules to look with, those of the table when None is given.
    """

    def spot(hit: Hit) -> Place:
        return Place(hit.row, file, hit.row + 1, None, hit.text)

    matches = match_lines(own_book() if book is None else book, texts)
    found = rule_findings(spot, matches, language)
    cause = text_cause(file, texts, matches.tales)
    hangs = find_hangs_in_text(file, texts)
    if cause is None:
        return Diagnosis(Verdict.UNKNOWN, findings=found, hangs=hangs, matches=matches)
    return Diagnosis(Verdict.FAILED, _failure(cause, texts), found, (cause,), hangs, matches)


def _failure(cause: Cause, texts: Sequence[str]) -> Failure:
    at = cause.place.row
    near = [*texts[at::-1], *texts[at + 1 :]]
    pid = next((int(found[1]) for text in near if (found := _PID.search(text))), -1)
    return Failure(
        phase=cause.phase,
        kernel=None,
        kernel_type=None,
        op=cause.fact("op"),
        op_type=cause.fact("op_type"),
        stream_id=cause.number("stream"),
        task_id=cause.number("task"),
        at=None,
        error=cause.place,
        first_sign=cause.place,
        confidence=CONFIDENCE[How.WORDS],
        how=How.WORDS,
        pid=pid,
        evidence="the words of a line" if cause.weight > Telling.CODE else "a code that a call handed on",
        cause=cause,
    )
