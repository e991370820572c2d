"""``getrace check``: the evidence gate before any other question."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from getrace.analysis.evidence import Evidence, State, evidence
from getrace.analysis.places import file_of, line_of, place
from getrace.cli.answer import Answer, Tools
from getrace.cli.clocks import clock_lines
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json, clean, duration_json, place_json, time_json
from getrace.cli.layout import Paint, columns, duration_text, quoted
from getrace.cli.options import add_paths
from getrace.cli.resolved import resolution_json
from getrace.cli.source_names import SourceNames

if TYPE_CHECKING:
    from getrace.store.store import Store

EXAMPLES = ("getrace check plog-370.log", "getrace check --json ~/ascend/log")

_STATE_STYLE = {State.POSSIBLE: "green", State.PARTLY: "yellow", State.IMPOSSIBLE: "red"}
_SHOWN = 10


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)


def answer(options: Namespace, tools: Tools) -> Answer:
    """Read the logs and say how whole they are: exit 0 all read, 1 something is missing, 3 nothing to read."""
    store = tools.open(options.paths)
    report = evidence(store)
    code = ExitCode.UNREADABLE
    if report.readable:
        code = ExitCode.FINE if report.whole else ExitCode.FOUND
    return Answer(code, _data(store, report), lambda paint: _text(store, report, paint), store.sources)


def _data(store: "Store", report: Evidence) -> Json:
    return {
        "dialects": list(report.dialects),
        "lines": report.lines,
        "records": report.records,
        "continuation_lines": max(0, report.lines - report.records + report.glued),
        "kerneltrace_lines": report.kerneltrace,
        "events": report.events,
        "by_kind": report.by_kind,
        "other_kinds": report.other_kinds,
        "unclaimed": report.unclaimed,
        "unclaimed_lines": [_line_json(store, row) for row in report.unclaimed_rows],
        "cut_lines": [line_of(store, row) for row in report.cut_rows],
        "cut_places": [{"file": clean(file_of(store, row)), "line": line_of(store, row)} for row in report.cut_rows],
        "joined_lines": report.joined,
        "glued_records": report.glued,
        "not_understood": report.not_understood,
        "levels": report.levels,
        "markers": report.markers,
        "open_runs": [_open_json(store, run.start, str(run.stage)) for run in report.open_runs],
        "broken": list(map(clean, report.broken)),
        "holes": [_hole_json(store, hole.before, hole.after, hole.length_ns) for hole in report.holes],
        "analyses": {
            name: {
                "state": str(ability.state),
                "missing": [{"what": lack.what, "switch": lack.switch or None} for lack in ability.missing],
            }
            for name, ability in report.analyses.items()
        },
        "graph_nodes": resolution_json(store),
    }


def _line_json(store: "Store", row: int) -> Json:
    spot = place(store, row)
    return {"file": clean(spot.file), "line": spot.line, "text": clean(spot.text)}


def _open_json(store: "Store", row: int, stage: str) -> Json:
    return {"stage": stage, "start": place_json(place(store, row))}


def _hole_json(store: "Store", before: int, after: int, length: int) -> Json:
    first, second = place(store, before), place(store, after)
    return {
        "file": clean(first.file),
        "from_line": first.line,
        "to_file": clean(second.file),
        "to_line": second.line,
        **time_json(first.time_ns),
        "length": duration_json(length, "inferred"),
    }


def _text(store: "Store", report: Evidence, paint: Paint) -> Iterator[str]:
    names = SourceNames([source.path for source in store.sources])
    yield _headline(report, paint)
    yield from columns(
        [
            *names.heading(),
            ("dialects", ", ".join(report.dialects) or "none found"),
            (
                "lines",
                _lines_text(report),
            ),
            ("kernel trace", f"{report.kerneltrace} lines, {report.unclaimed} without a row of the grammar"),
            ("events", f"{report.events} of {len(report.by_kind) + len(report.other_kinds)} kinds"),
            ("markers", f"{report.markers['start']} starts, {report.markers['end']} ends"),
            ("cut lines", _cut_text(store, report, names)),
            ("joined", f"{report.joined} further pieces"),
            (
                "unread",
                ", ".join(f"{count} {what}" for what, count in report.not_understood.items()) or "nothing",
            ),
            *(("clock" if not number else "", line) for number, line in enumerate(clock_lines(store.sources, names))),
            *_graph_nodes(store),
        ]
    )
    yield from _troubles(store, report, names, paint)
    yield ""
    yield paint("bold", "records by module and level")
    yield from columns([(name, _levels(levels)) for name, levels in report.levels.items()])
    yield ""
    yield paint("bold", "what can be analysed")
    for name, ability in report.analyses.items():
        yield f"  {name.ljust(11)} {paint(_STATE_STYLE[ability.state], str(ability.state))}"
        for lack in ability.missing:
            yield f"      no {lack.what}{f': run with {lack.switch}' if lack.switch else ' in this run'}"


def _lines_text(report: Evidence) -> str:
    own = report.records - report.glued
    glued = f" ({report.glued} more stand in the line of another)" if report.glued else ""
    return f"{report.lines} = {own} records{glued} + {max(0, report.lines - own)} that belong to them"


def _graph_nodes(store: "Store") -> Iterator[tuple[str, str]]:
    """Say how many kernels are nodes of the graphs beside the log, and name those that are not."""
    found = resolution_json(store)
    if found is not None:
        none = f", {found['of_no_operator']} for no operator" if found["of_no_operator"] else ""
        yield (
            "graph nodes",
            f"{found['resolved']} of {found['kernels']} kernels are nodes of {len(found['graphs'])} dumps{none}",
        )
        for each in found["unresolved"][:_SHOWN]:
            yield "", f"{each['kernel']}: {each['reason']}"


def _headline(report: Evidence, paint: Paint) -> str:
    if not report.readable:
        return paint("red", "UNREADABLE") + "  no log record was found"
    if report.whole:
        read = "every line was read"
        claimed = f"{read} and claimed" if report.kerneltrace else f"{read}; the log holds no KernelTrace line"
        return paint("green", "WHOLE") + f"  {claimed}"
    parts = (
        (report.unclaimed, "KernelTrace lines without a row"),
        (report.too_long, "lines too long for a record"),
        (len(report.cut_rows), "cut lines"),
        (len(report.holes), "holes in time"),
        (len(report.broken), "broken files"),
        (len(report.open_runs), "runs without an end"),
    )
    return paint("yellow", "INCOMPLETE") + "  " + ", ".join(f"{count} {what}" for count, what in parts if count)


def _troubles(store: "Store", report: Evidence, names: SourceNames, paint: Paint) -> Iterator[str]:
    for text in report.broken:
        yield f"  broken     {text}"
    for row in report.unclaimed_rows[:_SHOWN]:
        spot = place(store, row)
        yield f"  unclaimed  {names.at(spot.file, spot.line)}  {quoted(spot.head, 13, paint)}"
    for hole in report.holes[:_SHOWN]:
        first, second = place(store, hole.before), place(store, hole.after)
        ends = f"{names.at(first.file, first.line)} and {names.at(second.file, second.line)}"
        yield f"  hole of {duration_text(hole.length_ns)} between lines {ends}"
    for run in report.open_runs[:_SHOWN]:
        spot = place(store, run.start)
        yield f"  open run   {names.at(spot.file, spot.line)}  {run.stage} began and has no end in this log"


def _levels(levels: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in levels.items())


def _cut_text(store: "Store", report: Evidence, names: SourceNames) -> str:
    count = len(report.cut_rows)
    shown = [place(store, row) for row in report.cut_rows[: _SHOWN + 1]]
    return f"{count}: {names.lines(shown, _SHOWN)}" if count else "none"
