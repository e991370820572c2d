"""``getrace diagnose``: the card of the first failure, and findings with evidence and a next step."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Failure, Finding, KernelAt, Severity, Verdict
from getrace.analysis.failure.plain import diagnose_text
from getrace.analysis.resolution import NodeAt, node_of, tensors
from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json, clean, place_json, time_json
from getrace.cli.layout import Paint, columns, moment_text, quoted
from getrace.cli.options import add_paths
from getrace.cli.resolved import operator_json, tensor_text
from getrace.cli.source_names import SourceNames
from getrace.errors import InputError, UsageError

EXAMPLES = ("getrace diagnose plog-370.log", "getrace diagnose --json ~/ascend/log", "getrace diagnose --text out.txt")

_CODES = {Verdict.FAILED: ExitCode.FOUND, Verdict.CLEAN: ExitCode.FINE, Verdict.UNKNOWN: ExitCode.UNREADABLE}
_SEVERITY_STYLE = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}
_EFFECTS = 12
_TEXT_BYTES = 64 * 1024 * 1024


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    parser.add_argument("--text", action="store_true", help="read console output or an error page: words, no records")


def answer(options: Namespace, tools: Tools) -> Answer:
    """Diagnose the logs: exit 1 when a failure was found, 0 when none, 3 when the log cannot tell."""
    if options.text:
        return _of_text(options.paths)
    store = tools.open(options.paths)
    diagnosis = diagnose(store)
    at = node_of(store, diagnosis.failure.op) if diagnosis.failure is not None and diagnosis.failure.op else None
    names = SourceNames([source.path for source in store.sources])
    return Answer(
        _CODES[diagnosis.verdict], _data(diagnosis, at), lambda paint: _text(diagnosis, names, paint, at), store.sources
    )


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
    diagnosis = diagnose_text(path, data.decode("utf-8", errors="replace").split("\n"))
    names = SourceNames([path])
    return Answer(_CODES[diagnosis.verdict], _data(diagnosis, None), lambda paint: _text(diagnosis, names, paint, None))


def _data(diagnosis: Diagnosis, at: NodeAt | None) -> Json:
    return {
        "verdict": str(diagnosis.verdict),
        "failure": None if diagnosis.failure is None else _failure_json(diagnosis.failure, at),
        "findings": [_finding_json(finding) for finding in diagnosis.findings],
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
        "cause": _cause_json(failure),
        "stage": failure.stage,
        "iteration": failure.iteration,
        "addresses": _addresses_json(failure),
        "tree": _tree_json(failure),
        "consequences": [spot.line for spot in failure.consequences],
        "last_good": _kernel_json(failure.last_good),
        "expected_next": _kernel_json(failure.expected_next),
        "op_node": None if node is None else operator_json(node),
    }


def _cause_json(failure: Failure) -> Json | None:
    cause = failure.cause
    if cause is None:
        return None
    return {"what": cause.what, "line": cause.place.line, "facts": {name: clean(v) for name, v in cause.facts.items()}}


def _addresses_json(failure: Failure) -> list[Json]:
    """Give the addresses of the launch, inputs first, with who made each."""
    held = () if failure.book is None else failure.book.held
    return [
        {
            "address": each.address,
            "size": each.size,
            "producer": each.producer,
            "generation": each.generation,
            "notes": [str(note) for note in each.notes],
        }
        for each in held
    ]


def _tree_json(failure: Failure) -> list[Json]:
    """Give the cascade by lines: each record, the one that it hangs under, and why."""
    spots = (failure.error, *failure.consequences)
    line = {spot.row: spot.line for spot in spots if spot is not None}
    return [{"line": line.get(e.row), "under": line.get(e.under), "tie": str(e.tie)} for e in failure.tree]


def _kernel_json(known: KernelAt | None) -> Json | None:
    if known is None:
        return None
    spot = place_json(known.place) or {}
    return {"kernel": known.kernel, **{key: spot[key] for key in ("file", "line", "time_ns", "time")}}


def _finding_json(finding: Finding) -> Json:
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "message": clean(finding.message),
        "evidence": [{"file": clean(p.file), "line": p.line, "text": clean(p.text)} for p in finding.evidence],
        "next_step": finding.next_step,
    }


def _text(diagnosis: Diagnosis, names: SourceNames, paint: Paint, at: NodeAt | None) -> Iterator[str]:
    if diagnosis.failure is not None:
        yield from _card(diagnosis, diagnosis.failure, names, paint, at)
    elif diagnosis.verdict is Verdict.CLEAN:
        yield paint("green", "CLEAN") + "  every graph run of the log ended, and no record shows a failure"
    else:
        yield paint("yellow", "UNKNOWN") + "  the log shows neither a failure nor a complete run"
    if diagnosis.failure is None:
        yield from columns(names.heading())
    for finding in diagnosis.findings:
        yield ""
        yield f"{paint(_SEVERITY_STYLE[finding.severity], str(finding.severity))}: {finding.message}"
        for spot in finding.evidence:
            yield f"    {names.at(spot.file, spot.line)}"
            yield f"        {quoted(spot.head, 8, paint)}"
        if finding.next_step:
            yield f"    -> {finding.next_step}"


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
    if failure.cause is not None:
        said = ", ".join(f"{name} {value}" for name, value in failure.cause.facts.items())
        rows.append(
            ("cause in words", f"{failure.cause.what.replace('_', ' ')}" + (f" ({clean(said)})" if said else ""))
        )
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
