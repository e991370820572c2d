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
    try:
        with tools.diagnostics.progress("converting"):
            result = convert(source, target)
    except OSError as error:
        raise UsageError(
            f"cannot write {target}: {error.strerror}", "choose a file in a folder you can write"
        ) from error
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

    return Answer(ExitCode.FINE, data, text)
