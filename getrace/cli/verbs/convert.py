"""``getrace convert``: write a log again through the codec, and say how much of it went through a row."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.layout import Paint
from getrace.cli.options import add_paths
from getrace.errors import UsageError
from getrace.plog.convert import convert
from getrace.plog.file_store import FileStore

EXAMPLES = ("getrace convert plog-370.log -o again.log",)


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")


def answer(options: Namespace, tools: Tools) -> Answer:
    """Convert one log; the counts say how many lines the grammar wrote and how many were kept as they are."""
    if len(options.paths) != 1:
        raise UsageError("convert takes one PATH", "convert the logs one by one; merging would change their order")
    source, target = options.paths[0], Path(options.output)
    _refuse_itself(Path(source), target)
    store = tools.open([source])
    if not isinstance(store, FileStore) or len(store.sources) != 1:
        raise UsageError(f"{source} is not one log", "convert the logs one by one; name a file")
    with tools.diagnostics.progress("converting"):
        result = convert(store, target)
    data = {
        "source": source,
        "output": str(target),
        "lines": result.lines,
        "through_rows": result.through_rows,
        "kept": result.kept,
    }

    def text(paint: Paint) -> Iterator[str]:
        yield f"{paint('bold', str(target))}: {result.lines} lines"
        yield f"  {result.through_rows} written from events through a row of the grammar"
        yield f"  {result.kept} kept as they are"

    return Answer(ExitCode.FINE, data, text, store.sources)


def _refuse_itself(source: Path, target: Path) -> None:
    """Refuse to write a log over itself: it is read while it is written."""
    try:
        same = target.samefile(source)
    except OSError:
        return  # one of them is not there, or nobody may look: reading or writing it says so
    if same:
        raise UsageError(f"{target} is the log itself", "name another file")
