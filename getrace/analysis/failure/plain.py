"""The failure that a text without records tells: a console, an error page, a pasted excerpt.

There is no process, no time and no kernel in it, only words; so its answers have low confidence.
"""

import re
from collections.abc import Sequence

from getrace.analysis.failure.causes import Cause, Line, cause_of
from getrace.analysis.failure.model import CONFIDENCE, Diagnosis, Failure, How, Verdict
from getrace.analysis.failure.words import Weight
from getrace.analysis.hangs import find_hangs_in_text
from getrace.analysis.places import Place

_PID = re.compile(r"\b(?:PID: ?|pid=)(\d+)")


def diagnose_text(file: str, texts: Sequence[str]) -> Diagnosis:
    """Say what the lines of a text tell: the verdict is ``unknown`` when no line tells a cause."""
    lines = [Line(number - 1, -1, number, text) for number, text in enumerate(texts, start=1)]
    cause = cause_of(lines, lambda line: Place(line.row, file, line.number, None, line.text))
    hangs = find_hangs_in_text(file, texts)
    if cause is None:
        return Diagnosis(Verdict.UNKNOWN, hangs=hangs)
    return Diagnosis(Verdict.FAILED, _failure(cause, texts), (), (cause,), hangs)


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
        evidence="the words of a line" if cause.weight > Weight.FOLLOWER else "a code that a call handed on",
        cause=cause,
    )
