"""``getrace diagnose``: the card of the first failure, and findings with evidence and a next step."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Verdict
from getrace.analysis.failure.plain import diagnose_text
from getrace.analysis.failure.ruled import rule_findings
from getrace.analysis.resolution import NodeAt, node_of
from getrace.analysis.rules import Language, Matches, RuleBook, match, with_rules_of
from getrace.analysis.rules.guide import walk_guide
from getrace.analysis.rules.matching import LOUD_ROWS, QUIET_ROWS
from getrace.analysis.shapes import Shapes, shapes_of, shapes_of_text
from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json
from getrace.cli.failure_card import failure_json, failure_text
from getrace.cli.findings import finding_json, findings_text, guide_json, guide_text
from getrace.cli.hangs import hangs_json, hangs_text, ranks_json
from getrace.cli.layout import Paint, columns
from getrace.cli.options import add_language, add_paths, language
from getrace.cli.shapes import shapes_json
from getrace.cli.shapes_text import shapes_text
from getrace.cli.source_names import SourceNames
from getrace.errors import InputError, UsageError

EXAMPLES = (
    "getrace diagnose plog-370.log",
    "getrace diagnose --json ~/ascend/log",
    "getrace diagnose --guide --lang zh plog-370.log",
    "getrace diagnose --rules ours.toml plog-370.log",
    "getrace diagnose --text out.txt",
)

_CODES = {Verdict.FAILED: ExitCode.FOUND, Verdict.CLEAN: ExitCode.FINE, Verdict.UNKNOWN: ExitCode.UNREADABLE}
_TEXT_BYTES = 64 * 1024 * 1024


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
    parser.add_argument("--text", action="store_true", help="read console output or an error page: words, no records")
    add_language(parser)


def answer(options: Namespace, tools: Tools) -> Answer:
    """Diagnose the logs: exit 1 when a failure was found, 0 when none, 3 when the log cannot tell."""
    if options.text:
        return _of_text(options.paths)
    book = RuleBook(with_rules_of(options.rules))
    tongue = Language(language(options.lang, os.environ))
    store = tools.open(options.paths)
    found, matches = diagnose(store), match(store, book)
    diagnosis = replace(found, findings=(*found.findings, *rule_findings(store, matches, tongue)))
    failure = diagnosis.failure
    at = node_of(store, failure.op) if failure is not None and failure.op else None
    names = SourceNames([source.path for source in store.sources])
    shapes = shapes_of(store)
    guide = walk_guide(store, matches, None if failure is None else failure.phase) if options.guide else None

    def text(paint: Paint) -> Iterator[str]:
        yield from _text(diagnosis, names, paint, at, shapes)
        if guide is not None:
            yield from guide_text(guide, names, paint, tongue)

    data = _data(diagnosis, at, shapes)
    if guide is not None:
        data["guide"] = guide_json(guide, tongue)
    return Answer(_CODES[diagnosis.verdict], data, text, store.sources, _warnings(matches))


def _warnings(matches: Matches) -> list[str]:
    if not matches.unread:
        return []
    read = f"{LOUD_ROWS} records at WARNING and above and {QUIET_ROWS} of each module below"
    return [f"the rules read the first {read}: {matches.unread} were left out"]


def _of_text(paths: list[str]) -> Answer:
    """Diagnose one text that has no records."""
    if len(paths) != 1:
        raise UsageError("diagnose: --text reads one file", "a text has no times by which files could be merged")
    (path,) = paths
    try:
        with Path(path).open("rb") as file:
            data = file.read(_TEXT_BYTES)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "give the file of the text") from error
    lines = data.decode("utf-8", errors="replace").split("\n")
    diagnosis, shapes = diagnose_text(path, lines), shapes_of_text(path, lines)
    names = SourceNames([path])
    told = _data(diagnosis, None, shapes)
    return Answer(_CODES[diagnosis.verdict], told, lambda paint: _text(diagnosis, names, paint, None, shapes))


def _data(diagnosis: Diagnosis, at: NodeAt | None, shapes: Shapes) -> Json:
    return {
        "verdict": str(diagnosis.verdict),
        "failure": None if diagnosis.failure is None else failure_json(diagnosis.failure, at),
        "findings": [finding_json(finding) for finding in diagnosis.findings],
        "hangs": hangs_json(diagnosis.hangs),
        "ranks": ranks_json(diagnosis.hangs),
        "shapes": shapes_json(shapes),
    }


def _text(diagnosis: Diagnosis, names: SourceNames, paint: Paint, at: NodeAt | None, shapes: Shapes) -> Iterator[str]:
    if diagnosis.failure is not None:
        yield from failure_text(diagnosis, diagnosis.failure, names, paint, at)
    elif diagnosis.verdict is Verdict.CLEAN:
        yield paint("green", "CLEAN") + "  every graph run of the log ended, and no record shows a failure"
    else:
        yield paint("yellow", "UNKNOWN") + "  the log shows neither a failure nor a complete run"
    if diagnosis.failure is None:
        yield from columns(names.heading())
    yield from hangs_text(diagnosis, names, paint)
    yield from shapes_text(shapes, names, paint)
    yield from findings_text(diagnosis.findings, names, paint)
