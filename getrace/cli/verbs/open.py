"""``getrace open``: the terminal screens on logs."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.growing import LARGE, WhenRead, verdict_of
from getrace.cli.layout import Paint
from getrace.cli.options import add_paths
from getrace.cli.selecting import selection_of
from getrace.errors import UsageError

if TYPE_CHECKING:
    from getrace.store.store import Store
    from views.tui.settings import Settings

EXAMPLES = (
    "getrace open plog-370.log",
    "getrace open ~/ascend/log",
    "getrace open --follow ~/ascend/log",
    "getrace open today.log --compare yesterday.log",
    "getrace open plog-370.log --linear overview",
)
VIEWS = ("overview", "events", "timeline", "memory", "streams", "graphs", "sources", "compare")
"""What can be told in plain lines: the screens by name."""


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    parser.add_argument("--compare", metavar="PATH", help="open the Compare screen, with this log at its right")
    parser.add_argument("--at", metavar="TIME|LINE|#RECORD", help="open the events there: 07:42:40.5, 8363 or #12")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII signs only")
    parser.add_argument("--light", action="store_true", help="colours for a light terminal")
    parser.add_argument("--follow", action="store_true", help="read on as the logs grow, and find new ones")
    parser.add_argument("--fresh", action="store_true", help="forget where these logs were left the last time")
    parser.add_argument(
        "--linear",
        metavar="VIEW",
        choices=VIEWS,
        help=f"print one view as plain lines, for a screen reader or a pipe: {', '.join(VIEWS)}",
    )


def answer(options: Namespace, tools: Tools) -> Answer:
    """Open the screens; they need a terminal at both ends, and there is nothing to print in JSON."""
    if options.json:
        raise UsageError("open has no JSON answer", "use `getrace diagnose --json` or another verb that answers")
    if options.linear is not None:
        return _linear(options, tools)
    if "-" in options.paths:
        raise UsageError("open cannot read a log from standard input, where its keys come from", "give a file")
    if not tools.interactive:
        raise UsageError(
            "open needs a terminal at standard input, output and error",
            "without one, `getrace open --linear overview` prints plain lines",
        )
    store, code = _shown(options, tools)
    if code:
        raise KeyboardInterrupt

    def text(_paint: Paint) -> Iterator[str]:
        yield from ()

    return Answer(ExitCode.FINE, {}, text, store.sources)


def _linear(options: Namespace, tools: Tools) -> Answer:
    """Print one view as plain lines, of what is there now."""
    from views.model.linear import Wanted  # noqa: PLC0415 - brings numpy, which --help must not
    from views.model.linear_views import linear_lines  # noqa: PLC0415 - the same

    if options.follow:
        raise UsageError("--linear prints what is there now", "leave --follow away")
    store = tools.open(options.paths)
    wanted = Wanted(
        at=None if options.at is None else _row_at(store, options.at),
        title=" ".join(options.paths),
        other=None if options.compare is None else tools.open([options.compare]),
        other_title=options.compare or "",
    )

    def text(_paint: Paint) -> Iterator[str]:
        return linear_lines(store, options.linear, wanted)

    return Answer(ExitCode.FINE, {}, text, store.sources)


def _shown(options: Namespace, tools: Tools) -> "tuple[Store, int]":
    """Show the logs: the store, and how the screen was left."""
    from views.tui.app import open_app  # noqa: PLC0415 - brings textual, wanted only when a screen opens
    from views.tui.session_file import session_file  # noqa: PLC0415 - the same
    from views.tui.settings import Settings  # noqa: PLC0415 - the same

    given = Settings(
        " ".join(options.paths),
        ascii_only=options.ascii,
        light=options.light,
        no_colour=options.color == "never",
        session=session_file(os.environ, options.paths, part=_part(options), fresh=options.fresh),
    )
    if options.follow or (options.compare is None and options.at is None and _is_large(options)):
        store, given = _growing(options, given)
        return store, open_app(store, given)
    store = _lenient(tools.open(options.paths))
    other = None if options.compare is None else _lenient(tools.open([options.compare]))
    at = None if options.at is None else _row_at(store, options.at)
    given = replace(given, at=at, verdict=verdict_of(store), other=other, other_title=options.compare or "")
    return store, open_app(store, given)


def _part(options: Namespace) -> str:
    """Name the selection, "" for the whole log."""
    selection = selection_of(options)
    return "" if selection is None else repr(selection)


def _growing(options: Namespace, given: "Settings") -> "tuple[Store, Settings]":
    """Give a store that is read while it is shown, and the settings of its screen."""
    from getrace.ingest.cache import cache_of  # noqa: PLC0415 - brings numpy, which --help must not
    from getrace.replay import follow_store, keep_read  # noqa: PLC0415 - the same

    selection, cache = selection_of(options), cache_of(os.environ, _unheard)
    store = follow_store(options.paths, selection=selection, grow=options.follow, cache=cache)
    if options.follow:
        return store, replace(given, live=True)
    read = WhenRead(store, lambda: keep_read(store, cache if selection is None else None))
    return store, replace(given, live=True, at=0, ended=read.verdict, behind=lambda: store.behind)


def _lenient(store: "Store") -> "Store":
    """Let a store outlive its files: a screen shows what is left when a log is cut under it."""
    from getrace.plog.file_store import FileStore  # noqa: PLC0415 - brings numpy, which --help must not

    if isinstance(store, FileStore):
        store.lenient = True
    return store


def _row_at(store: "Store", wanted: str) -> int:
    """Give the row of a time, a line or a record."""
    from views.model.jumps import jumps  # noqa: PLC0415 - brings numpy, which --help must not

    found = jumps(store, wanted, 0)
    if not found:
        raise UsageError(f"--at {wanted}: no such place", "write a line, #RECORD, or a time as 07:42:40.5")
    return found[0].row


def _unheard(_sentence: str) -> None:
    """Take what the cache has to say: there is a screen in the place where it would be written."""


def _is_large(options: Namespace) -> bool:
    """Whether the screen should not wait for a log: one large file, of which no more is asked than to be read."""
    selection = selection_of(options)
    if len(options.paths) != 1 or (selection is not None and selection.asks_whole_log):
        return False
    path = Path(options.paths[0])
    return path.is_file() and path.stat().st_size >= LARGE
