"""``getrace stats``: how often each kernel ran, and how long as far as a log can tell."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from getrace.analysis.stats import GROUPINGS, StatRow, stats
from getrace.analysis.switches import GE_SWITCH
from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json, duration_json
from getrace.cli.layout import Paint, columns, duration_text
from getrace.cli.options import add_paths

EXAMPLES = ("getrace stats plog-370.log --by type", "getrace stats plog-370.log --by op --json")

_PROVENANCE = "inferred"
_MODULE = "module"


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    parser.add_argument("--by", choices=(*GROUPINGS, _MODULE), default="type", help="what to group by (default: type)")


def answer(options: Namespace, tools: Tools) -> Answer:
    """Group the kernels of the logs; exit 3 when the logs trace no kernel."""
    store = tools.open(options.paths)
    rows = stats(store, options.by)
    code = ExitCode.FINE if rows else ExitCode.UNREADABLE
    warnings = () if rows else (f"no KernelTrace line in the log: run with {GE_SWITCH}",)
    data = {"by": options.by, "rows": [_row_json(row) for row in rows]}
    return Answer(code, data, lambda paint: _text(options.by, rows, paint), store.sources, warnings)


def _row_json(row: StatRow) -> Json:
    return {
        "name": row.name,
        "count": row.count,
        "total": duration_json(row.total, _PROVENANCE),
        "p50": duration_json(row.p50, _PROVENANCE),
        "p90": duration_json(row.p90, _PROVENANCE),
        "p99": duration_json(row.p99, _PROVENANCE),
    }


def _text(by: str, rows: Sequence[StatRow], paint: Paint) -> Iterator[str]:
    if by == _MODULE:
        counts = [(row.name or "", str(row.count)) for row in rows]
        lines = columns([(_MODULE, "records"), *counts], frozenset({1}), "", width=paint.width, squeeze=0)
    else:
        head = (by, "count", "total", "p50", "p90", "p99")
        table = [head, *map(_cells, rows)]
        lines = columns(table, frozenset(range(1, 6)), "", width=paint.width, squeeze=0)
    yield paint("bold", lines[0])
    yield from lines[1:]
    if by != _MODULE:
        yield paint("dim", "times are inferred: from the end before on the thread to the kernel's own end")


def _cells(row: StatRow) -> tuple[str, ...]:
    times = (duration_text(value) for value in (row.total, row.p50, row.p90, row.p99))
    return ("(not said)" if row.name is None else row.name, str(row.count), *times)
