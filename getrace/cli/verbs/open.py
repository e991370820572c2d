"""``getrace open``: the terminal screens on logs."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from getrace.analysis.failure import diagnose
from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.layout import Paint, failed_at
from getrace.cli.options import add_paths
from getrace.errors import UsageError

EXAMPLES = ("getrace open plog-370.log", "getrace open ~/ascend/log", "getrace open today.log --compare yesterday.log")


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    parser.add_argument("--compare", metavar="PATH", help="open the Compare screen, with this log at its right")


def answer(options: Namespace, tools: Tools) -> Answer:
    """Open the screens; they need a terminal at both ends, and there is nothing to print in JSON."""
    if options.json:
        raise UsageError("open has no JSON answer", "use `getrace diagnose --json` or another verb that answers")
    if not tools.interactive:
        raise UsageError("open needs a terminal", "without one, use `getrace diagnose` or `getrace check`")
    from views.tui.app import open_app  # noqa: PLC0415 - brings textual, wanted only when a screen opens

    store = tools.open(options.paths)
    other = None if options.compare is None else tools.open([options.compare])
    failure = diagnose(store).failure
    verdict = "" if failure is None else failed_at(failure)
    title, right = " ".join(options.paths), options.compare or ""
    code = open_app(store, title=title, live=False, verdict=verdict, other=other, other_title=right)
    if code:
        raise KeyboardInterrupt

    def text(_paint: Paint) -> Iterator[str]:
        yield from ()

    return Answer(ExitCode.FINE, {}, text, store.sources)
