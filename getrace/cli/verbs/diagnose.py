"""``getrace diagnose``: the card of the first failure, and findings with evidence and a next step."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace

from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Failure, KernelAt, Verdict
from getrace.analysis.failure.ruled import rule_findings
from getrace.analysis.resolution import NodeAt, node_of, tensors
from getrace.analysis.rules import Language, Matches, RuleBook, match, with_rules_of
from getrace.analysis.rules.guide import walk_guide
from getrace.analysis.rules.matching import LOUD_ROWS, QUIET_ROWS
from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json, clean, place_json, time_json
from getrace.cli.findings import finding_json, findings_text, guide_json, guide_text
from getrace.cli.layout import Paint, columns, moment_text
from getrace.cli.options import add_language, add_paths, language
from getrace.cli.resolved import operator_json, tensor_text
from getrace.cli.source_names import SourceNames

EXAMPLES = (
    "getrace diagnose plog-370.log",
    "getrace diagnose --json ~/ascend/log",
    "getrace diagnose --guide --lang zh plog-370.log",
    "getrace diagnose --rules ours.toml plog-370.log",
)

_CODES = {Verdict.FAILED: ExitCode.FOUND, Verdict.CLEAN: ExitCode.FINE, Verdict.UNKNOWN: ExitCode.UNREADABLE}
_EFFECTS = 12


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    parser.add_argument(
        "--rules",
        action="append",
        default=[],
        metavar="FILE.toml",
        help="rules of your own besides the table: [[rule]] with id, match (regular expressions without nested or "
        "endless repetition), phase, severity, role, cause, next; several files may be given",
    )
    parser.add_argument(
        "--guide", action="store_true", help="walk the flow chart of GE's guide with this log's evidence"
    )
    add_language(parser)


def answer(options: Namespace, tools: Tools) -> Answer:
    """Diagnose the logs: exit 1 when a failure was found, 0 when none, 3 when the log cannot tell."""
    book = RuleBook(with_rules_of(options.rules))
    tongue = Language(language(options.lang, os.environ))
    store = tools.open(options.paths)
    found, matches = diagnose(store), match(store, book)
    diagnosis = replace(found, findings=(*found.findings, *rule_findings(store, matches, tongue)))
    failure = diagnosis.failure
    at = node_of(store, failure.op) if failure is not None and failure.op else None
    names = SourceNames([source.path for source in store.sources])
    guide = walk_guide(store, matches, None if failure is None else failure.phase) if options.guide else None

    def text(paint: Paint) -> Iterator[str]:
        yield from _text(diagnosis, names, paint, at)
        if guide is not None:
            yield from guide_text(guide, names, paint, tongue)

    data = _data(diagnosis, at)
    if guide is not None:
        data["guide"] = guide_json(guide, tongue)
    return Answer(_CODES[diagnosis.verdict], data, text, store.sources, _warnings(matches))


def _warnings(matches: Matches) -> list[str]:
    if not matches.unread:
        return []
    read = f"{LOUD_ROWS} records at WARNING and above and {QUIET_ROWS} of each module below"
    return [f"the rules read the first {read}: {matches.unread} were left out"]


def _data(diagnosis: Diagnosis, at: NodeAt | None) -> Json:
    return {
        "verdict": str(diagnosis.verdict),
        "failure": None if diagnosis.failure is None else _failure_json(diagnosis.failure, at),
        "findings": [finding_json(finding) for finding in diagnosis.findings],
    }


def _failure_json(failure: Failure, node: NodeAt | None) -> Json:
    at = failure.at
    return {
        "phase": failure.phase,
        "kernel": failure.kernel,
        "kernel_type": failure.kernel_type,
        "op": failure.op,
        "op_type": failure.op_type,
        "stream_id": failure.stream_id,
        "task_id": failure.task_id,
        "file": None if at is None else clean(at.file),
        "line": None if at is None else at.line,
        **time_json(None if at is None else at.time_ns),
        "error": place_json(failure.error),
        "first_sign": place_json(failure.first_sign),
        "confidence": str(failure.confidence),
        "how": str(failure.how),
        "evidence": failure.evidence,
        "pid": failure.pid,
        "consequences": [spot.line for spot in failure.consequences],
        "last_good": _kernel_json(failure.last_good),
        "expected_next": _kernel_json(failure.expected_next),
        "op_node": None if node is None else operator_json(node),
    }


def _kernel_json(known: KernelAt | None) -> Json | None:
    if known is None:
        return None
    spot = place_json(known.place) or {}
    return {"kernel": known.kernel, **{key: spot[key] for key in ("file", "line", "time_ns", "time")}}


def _text(diagnosis: Diagnosis, names: SourceNames, paint: Paint, at: NodeAt | None) -> Iterator[str]:
    if diagnosis.failure is not None:
        yield from _card(diagnosis, diagnosis.failure, names, paint, at)
    elif diagnosis.verdict is Verdict.CLEAN:
        yield paint("green", "CLEAN") + "  every graph run of the log ended, and no record shows a failure"
    else:
        yield paint("yellow", "UNKNOWN") + "  the log shows neither a failure nor a complete run"
    if diagnosis.failure is None:
        yield from columns(names.heading())
    yield from findings_text(diagnosis.findings, names, paint)


def _card(diagnosis: Diagnosis, failure: Failure, names: SourceNames, paint: Paint, at: NodeAt | None) -> Iterator[str]:
    blamed = failure.kernel or failure.op or "no kernel is named"
    style = "red" if diagnosis.verdict is Verdict.FAILED else "yellow"
    yield f"{paint(style, str(diagnosis.verdict).upper())}  {paint('bold', blamed)}  at {failure.phase}"
    rows = [*names.heading(), ("evidence", f"{failure.evidence} ({failure.confidence} confidence)")]
    if failure.op:
        rows.append(("operator", failure.op + (f" of type {failure.op_type}" if failure.op_type else "")))
    rows += _node_rows(at)
    if failure.task_id is not None:
        stream = "?" if failure.stream_id is None else failure.stream_id
        rows.append(("task", f"stream {stream}, task {failure.task_id}"))
    for name, spot in (("kernel at", failure.at), ("error", failure.error), ("first sign", failure.first_sign)):
        if spot is not None:
            rows.append((name, f"{names.at(spot.file, spot.line)}  {moment_text(spot.time_ns)}"))
            rows.append(("", paint("dim", spot.head)))
    for name, known in (("last good", failure.last_good), ("expected", failure.expected_next)):
        if known is not None:
            rows.append((name, f"{known.kernel}  {names.at(known.place.file, known.place.line)}"))
    if failure.consequences:
        rows.append(("only effects", f"lines {names.lines(failure.consequences, _EFFECTS)}"))
    yield from columns(rows)


def _node_rows(at: NodeAt | None) -> list[tuple[str, str]]:
    """Say which node of a graph beside the log the operator is, and what it takes and gives."""
    if at is None:
        return []
    sides = (", ".join(tensor_text(each) for each in tensors(at.node, side)) for side in ("input", "output"))
    file = at.snapshot.source.rpartition("/")[2]
    return [("node", f"{at.node.type} in graph {at.graph} of {file}"), ("", " -> ".join(sides))]
