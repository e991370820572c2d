"""Findings and the walked flow chart, as JSON and as text.

In text a finding whose lines only follow or repeat takes one line, so that what explains is not buried; JSON has all.
"""

from collections.abc import Iterator, Sequence

from getrace.analysis.failure.model import Finding, Severity
from getrace.analysis.failure.sayings import phrase
from getrace.analysis.rules.guide import State, Walked, WalkedBranch
from getrace.analysis.rules.model import Language
from getrace.cli.envelope import Json, clean
from getrace.cli.layout import Paint, quoted
from getrace.cli.source_names import SourceNames

_STYLE = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}
_SHORT = frozenset({"effect", "report", "note"})
_STATE = {
    State.SHOWN: {Language.EN: "shown", Language.ZH: "有证据"},
    State.NOT_SHOWN: {Language.EN: "no sign", Language.ZH: "无迹象"},
    State.UNKNOWN: {Language.EN: "cannot tell", Language.ZH: "无法判断"},
}


def finding_json(finding: Finding) -> Json:
    """Spell a finding; the fields of the table are there when the finding comes from it."""
    data: Json = {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "message": clean(finding.message),
        "evidence": [{"file": clean(p.file), "line": p.line, "text": clean(p.text)} for p in finding.evidence],
        "next_step": clean(finding.next_step),
    }
    if finding.role:
        data |= {"role": finding.role, "phase": finding.phase, "count": finding.count}
    return data


def findings_text(findings: Sequence[Finding], names: SourceNames, paint: Paint, language: Language) -> Iterator[str]:
    """Print findings: those that explain in full, the others a line each."""
    for finding in findings:
        if finding.role not in _SHORT:
            yield from _whole(finding, names, paint, language)
    short = [finding for finding in findings if finding.role in _SHORT]
    if short:
        yield ""
        yield phrase("also in the log:", language)
    for finding in short:
        first = finding.evidence[0]
        lines = phrase("1 line" if finding.count == 1 else "{count} lines", language, count=finding.count)
        role = phrase(finding.role, language)
        yield f"    {names.at(first.file, first.line)}  {lines}, {role}: {clean(finding.message)}"


def _whole(finding: Finding, names: SourceNames, paint: Paint, language: Language) -> Iterator[str]:
    yield ""
    yield f"{paint(_STYLE[finding.severity], phrase(_kind(finding), language))}: {clean(finding.message)}"
    for spot in finding.evidence:
        yield f"    {names.at(spot.file, spot.line)}"
        yield f"        {quoted(spot.head, 8, paint)}"
    if finding.next_step:
        yield f"    -> {clean(finding.next_step)}"


def _kind(finding: Finding) -> str:
    return finding.role if finding.role in {"misleading", "harmless"} else str(finding.severity)


def guide_json(guide: Sequence[WalkedBranch], language: Language) -> list[Json]:
    """Spell the walked flow chart."""
    return [
        {
            "branch": each.branch.id,
            "title": each.branch.title.in_language(language),
            "here": each.here,
            "steps": [_step_json(walked, language) for walked in each.steps],
        }
        for each in guide
    ]


def _step_json(walked: Walked, language: Language) -> Json:
    return {
        "step": walked.step.id,
        "check": walked.step.check,
        "ge_file": walked.step.file,
        "state": str(walked.state),
        "missing": walked.missing or None,
        "evidence": [
            {
                "rule": rule.id,
                "file": clean(spot.file),
                "line": spot.line,
                "text": clean(spot.text),
                "next_step": rule.next_step.in_language(language),
            }
            for rule, spot in walked.evidence
        ],
    }


def guide_text(guide: Sequence[WalkedBranch], names: SourceNames, paint: Paint, language: Language) -> Iterator[str]:
    """Print the walked flow chart."""
    for each in guide:
        yield ""
        title = each.branch.title.in_language(language)
        yield f"{paint('bold', title)}{' <- ' + str(_STATE[State.SHOWN][language]) if each.here else ''}"
        for walked in each.steps:
            state = _STATE[walked.state][language]
            yield f"  {walked.step.id:<3} {walked.step.check}  ({walked.step.file}): {state}"
            for rule, spot in walked.evidence:
                yield f"        {names.at(spot.file, spot.line)}  {rule.cause.in_language(language)}"
                yield f"        -> {rule.next_step.in_language(language)}"
            if walked.missing:
                yield f"        -> {walked.missing}"
