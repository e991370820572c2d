"""``getrace diagnose``: the card of the first failure, and findings with evidence and a next step."""

import os
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Verdict
from getrace.analysis.failure.next_steps import with_known
from getrace.analysis.failure.plain import diagnose_text
from getrace.analysis.failure.ruled import rule_findings
from getrace.analysis.failure.sayings import phrase
from getrace.analysis.rules import Language, Matches, RuleBook, with_rules_of
from getrace.analysis.rules.guide import walk_guide
from getrace.analysis.rules.matching import ERROR_ROWS, QUIET_ROWS, WARNING_ROWS
from getrace.analysis.shapes import Shapes, shapes_of, shapes_of_text
from getrace.cli.answer import Answer, Tools
from getrace.cli.console_text import has_words, lines_of
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json
from getrace.cli.failure_card import Around, around, failure_json, failure_text
from getrace.cli.findings import finding_json, findings_text, guide_json, guide_text
from getrace.cli.hangs import hang_warnings, hangs_json, hangs_text, ranks_json
from getrace.cli.layout import Paint, columns
from getrace.cli.options import add_language, add_paths, language
from getrace.cli.shapes import shapes_json
from getrace.cli.shapes_text import shapes_text
from getrace.cli.source_names import SourceNames
from getrace.errors import InputError, UsageError
from getrace.printable import printable
from getrace.store.store import Store

EXAMPLES = (
    "getrace diagnose plog-370.log",
    "getrace diagnose --json ~/ascend/log",
    "getrace diagnose --guide --lang zh plog-370.log",
    "getrace diagnose --rules ours.toml plog-370.log",
    "getrace diagnose --text out.txt",
)

_CODES = {Verdict.FAILED: ExitCode.FOUND, Verdict.CLEAN: ExitCode.FINE, Verdict.UNKNOWN: ExitCode.UNREADABLE}


class _Told(NamedTuple):
    """All that is told: the diagnosis, what stands around the failure, and the shapes."""

    diagnosis: Diagnosis
    near: Around
    shapes: Shapes


RULES = """A file of rules:
  [[rule]]
  id = "shop.queue_full"
  modules = ["SHOP"]                                # optional: whose records say it
  match = ['order queue full, depth (?P<depth>\\d+)']
  phase = "execute"
  severity = "error"                                # error, warning, info
  role = "cause"                                    # cause, effect, report, misleading, harmless, note
  cause = "The order queue is full."
  next = "Raise its depth."
  tells = "reason"                                  # optional: reason, fault, wait, code, takes_back
"""


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = RULES
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
    book = RuleBook(with_rules_of(options.rules))
    tongue = Language(language(options.lang, os.environ))
    if options.text:
        return _of_text(options.paths, book, tongue)
    store = _opened(options.paths, tools)
    found = diagnose(store, book, tongue)
    matches = found.matches
    ruled = rule_findings(lambda hit: hit.place(store), matches, tongue)
    diagnosis = replace(found, findings=with_known((*found.findings, *ruled), found.failure))
    failure = diagnosis.failure
    names = SourceNames([source.path for source in store.sources])
    told = _Told(diagnosis, around(store, failure), shapes_of(store))
    guide = walk_guide(store, matches, None if failure is None else failure.phase) if options.guide else None

    def text(paint: Paint) -> Iterator[str]:
        yield from _text(told, names, paint, tongue)
        if guide is not None:
            yield from guide_text(guide, names, paint, tongue)

    data = _data(told)
    if guide is not None:
        data["guide"] = guide_json(guide, tongue)
    return Answer(
        _CODES[diagnosis.verdict], data, text, store.sources, [*_warnings(matches), *hang_warnings(diagnosis.hangs)]
    )


def _opened(paths: list[str], tools: Tools) -> Store:
    """Open the logs; where one file is text but no plog, its words can still be asked, and the refusal says how."""
    try:
        return tools.open(paths)
    except InputError as error:
        if len(paths) != 1 or not has_words(paths[0]):
            raise
        path = printable(shlex.quote(paths[0]))
        hint = f"{error.hint}; or ask the words that are there: getrace diagnose --text {path}"
        raise InputError(error.message, hint) from error


def _warnings(matches: Matches) -> list[str]:
    slow = [
        f"rule {rule} took too long on the lines of this log and was left out: name more of the line in its pattern"
        for rule in sorted(matches.slow)
    ]
    if not matches.unread:
        return slow
    read = f"{ERROR_ROWS} records at ERROR, {WARNING_ROWS} at WARNING and {QUIET_ROWS} of each module below"
    return [*slow, f"the rules read at most {read}, the first and the last ones: {matches.unread} were left out"]


def _of_text(paths: list[str], book: RuleBook, tongue: Language) -> Answer:
    """Diagnose one text that has no records."""
    if len(paths) != 1:
        raise UsageError("diagnose: --text reads one file", "a text has no times by which files could be merged")
    (path,) = paths
    lines = lines_of(path)
    told = _Told(diagnose_text(path, lines, book, tongue), Around(), shapes_of_text(path, lines))
    names = SourceNames([path])

    def text(paint: Paint) -> Iterator[str]:
        yield from _text(told, names, paint, tongue)

    return Answer(_CODES[told.diagnosis.verdict], _data(told), text, (), _warnings(told.diagnosis.matches))


def _data(told: _Told) -> Json:
    failure = told.diagnosis.failure
    return {
        "verdict": str(told.diagnosis.verdict),
        "failure": None if failure is None else failure_json(failure, told.near),
        "findings": [finding_json(finding) for finding in told.diagnosis.findings],
        "hangs": hangs_json(told.diagnosis.hangs),
        "ranks": ranks_json(told.diagnosis.hangs),
        "shapes": shapes_json(told.shapes),
    }


def _text(told: _Told, names: SourceNames, paint: Paint, tongue: Language) -> Iterator[str]:
    diagnosis, say = told.diagnosis, partial(phrase, language=tongue)
    if diagnosis.failure is not None:
        yield from failure_text(diagnosis, names, paint, told.near, say)
    elif diagnosis.verdict is Verdict.CLEAN:
        ended = say("every graph run of the log ended, and no record shows a failure")
        yield f"{paint('green', say('CLEAN'))}  {ended}"
    else:
        yield f"{paint('yellow', say('UNKNOWN'))}  {say('the log shows neither a failure nor a complete run')}"
    if diagnosis.failure is None:
        yield from columns(names.heading())
    yield from hangs_text(diagnosis, names, paint, say)
    yield from shapes_text(told.shapes, names, paint)
    yield from findings_text(diagnosis.findings, names, paint, tongue)
