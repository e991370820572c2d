"""From a command line to an exit code: choose the verb, let it answer, print the answer.

``getrace --version`` has to be instant, so nothing here imports an analysis, a view or the runtime.
"""

import contextlib
import difflib
import errno
import importlib
import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO, cast

from getrace import __version__
from getrace.cli.answer import Answer, Opener, Tools, Verb
from getrace.cli.diagnostics import Diagnostics, ExitCode
from getrace.cli.envelope import envelope
from getrace.cli.layout import Paint, wrapped
from getrace.cli.options import Parser, add_common, dashed
from getrace.cli.selecting import selection_of, selection_text
from getrace.cli.verbs import TABLE
from getrace.errors import ChangedError, GetraceError, InputError, UsageError
from getrace.plog.pace import Pace

if TYPE_CHECKING:
    from getrace.store.selection import Selection
    from getrace.store.store import Store

_ATTEMPTS = 3
_WARNINGS = 20
"""Warnings that are printed: a folder of thousands of logs may have as many, and the answer would be out of sight."""
_OF_THE_MACHINE = {
    getattr(errno, name)
    for name in ("EACCES", "EPERM", "ENAMETOOLONG", "EROFS", "EIO", "ENOSPC", "EDQUOT", "ESTALE", "EMFILE", "ENFILE")
    if hasattr(errno, name)
}
"""What a system says of files that is no fault of ours, wherever it is said; each system has some of these."""

_HELP = """Examples:
  getrace diagnose plog-370.log          what failed first, where, and what to do next
  getrace check plog-370.log             is the log whole, and which switch is missing
  getrace memory plog-370.log --addr 0x124080054000
  getrace run add_example --no-tui       lower a model and run it on the simulated device
  getrace graph add_example -o g.svg     draw its Init, Main and DeInit graphs

getrace reads, replays and draws what GE RT2.0, Ascend's dynamic-shape executor, did.

usage: getrace VERB [options]

Verbs:
"""


def main(argv: Sequence[str] | None = None, opener: Opener | None = None) -> int:
    """Run one command line and give its exit code (see ``ExitCode``).

    ``argv`` is without the program's name and defaults to the process's arguments; ``opener`` replaces
    ``getrace.replay.open_store``.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    before_verbs = Diagnostics(quiet="--quiet" in arguments, debug="--debug" in arguments)
    try:
        _check_stdout()
        code = _run(arguments, before_verbs, opener)
        _flush()
        return int(code)
    except GetraceError as error:
        return int(before_verbs.failed(error))
    except KeyboardInterrupt:
        return int(before_verbs.interrupted())
    except BrokenPipeError:
        _drop_stdout()
        return int(ExitCode.FINE)
    except MemoryError:
        hint = "read fewer logs at once, or run with smaller inputs"
        return int(before_verbs.failed(InputError("this machine has not enough memory for that", hint)))
    except Exception as error:  # noqa: BLE001 - the outermost frame: a fault of ours becomes one sentence and exit 4
        return int(_unexpected(error, before_verbs))


def _unexpected(error: Exception, diagnostics: Diagnostics) -> ExitCode:
    """Say what nobody below expected: a file that the system keeps back, or a fault of ours."""
    if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE and error.filename is not None:
        text = f"{error.filename} cannot be used: {error.strerror}"
        return diagnostics.failed(InputError(text, "check the path, its rights and the disk"))
    return diagnostics.broken(error)


def _run(arguments: list[str], diagnostics: Diagnostics, opener: Opener | None) -> ExitCode:
    first = arguments[0] if arguments else "--help"
    if first in ("-h", "--help", "help"):
        _write(_top_help())
        return ExitCode.FINE
    if first == "--version":
        _write(f"getrace {__version__}\n")
        return ExitCode.FINE
    verb = _verb(first)
    parser = Parser(first, TABLE[first].help, verb.EXAMPLES)
    verb.arguments(parser)
    add_common(parser)
    try:
        options = parser.parse_args(dashed(arguments[1:]))
    except SystemExit:  # argparse has printed the help
        return ExitCode.FINE
    if diagnostics.debug:
        _start_logging(diagnostics, first)
    interactive = shows_screens(sys.stdin, sys.stdout, sys.stderr)
    selection = selection_of(options)
    pace = Pace()
    tools = Tools(opener or _opener(selection, diagnostics, pace), diagnostics, interactive, pace.__str__)
    answer = _answer(verb, options, tools)
    _print(first, options, answer, diagnostics, selection)
    return _code(answer, diagnostics)


def _answer(verb: Verb, options: Namespace, tools: Tools) -> Answer:
    """Let a verb answer; where a log was cut or replaced under it, once more on what is there then."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return verb.answer(options, tools)
        except ChangedError as error:
            tools.diagnostics.warning(f"{error.message}: it is read again")
    return verb.answer(options, tools)


def _verb(name: str) -> Verb:
    if name in TABLE:
        _check_rooms(TABLE[name].rooms)
        return cast("Verb", importlib.import_module(TABLE[name].module))
    if name.startswith("-"):
        raise UsageError(f"unknown option {name} before the verb", "options come after the verb; see `getrace --help`")
    near = difflib.get_close_matches(name, TABLE, n=1)
    raise UsageError(
        f"there is no verb {name!r}",
        f"did you mean `getrace {near[0]}`?" if near else f"the verbs are {', '.join(TABLE)}",
    )


def _check_rooms(rooms: tuple[str, ...]) -> None:
    if rooms:
        from getrace.rooms import check_rooms  # noqa: PLC0415 - looks at the installed packages, which takes its time

        check_rooms(rooms)


def shows_screens(*streams: TextIO | None) -> bool:
    """Say whether people sit at all ends: keys come from the first, and textual draws on standard error."""
    return all(stream is not None and stream.isatty() for stream in streams)


def _print(
    verb: str, options: Namespace, answer: Answer, diagnostics: Diagnostics, selection: "Selection | None"
) -> None:
    warnings = [*answer.warnings, *(text for source in answer.sources for text in source.warnings)]
    if options.json:
        _write(envelope(verb, answer.data, answer.sources, warnings, selection))
    else:
        for text in warnings[:_WARNINGS]:
            diagnostics.warning(text)
        if len(warnings) > _WARNINGS:
            diagnostics.warning(f"{len(warnings) - _WARNINGS:,} more warnings like these: --json has all of them")
        if selection is not None:
            diagnostics.note(selection_text(answer.sources))
        _write_lines(answer, _colour(options.color))


def _code(answer: Answer, diagnostics: Diagnostics) -> ExitCode:
    """Give the answer's own code; a log that breaks off was answered from what there is, and is still unreadable."""
    code = answer.code
    for source in answer.sources:
        if source.broken:
            error = InputError(source.broken, "the answer is from what came before the break; copy the file again")
            code = diagnostics.failed(error)
    return code


def _write_lines(answer: Answer, paint: Paint) -> None:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    for line in map(paint.safe, answer.text(paint)):
        for piece in wrapped(line, paint.width) if paint.width else (line,):
            shown = piece.encode(encoding, "backslashreplace").decode(encoding)
            _write(f"{shown}\n")


def _check_stdout() -> None:
    if sys.stdout is None:  # Python's word for a descriptor that the caller closed
        raise UsageError("standard output is closed", "leave it open, or send it to a file with > FILE")


def _write(text: str) -> None:
    with _sentence_for_stdout():
        sys.stdout.write(text)


def _flush() -> None:
    with _sentence_for_stdout():
        sys.stdout.flush()


@contextlib.contextmanager
def _sentence_for_stdout() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        _drop_stdout()
        text = f"cannot write to standard output: {error.strerror or error}"
        raise UsageError(text, "send it where there is room, or to a file with > FILE") from error


def _colour(choice: str) -> Paint:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    if choice == "auto":
        return Paint(width > 0 and "NO_COLOR" not in os.environ, width)
    return Paint(choice == "always", width)


def _top_help() -> str:
    width = max(len(name) for name in TABLE)
    verbs = "".join(f"  {name.ljust(width)}  {row.help}\n" for name, row in TABLE.items())
    codes = "Exit codes: 0 fine, 1 found something, 2 wrong usage, 3 unreadable, 4 internal error, 130 interrupted."
    return f"{_HELP}{verbs}\n`getrace VERB --help` tells more. {codes}\n"


def _opener(selection: "Selection | None", diagnostics: Diagnostics, pace: Pace) -> Opener:
    def open_selected(paths: Sequence[str]) -> "Store":
        from getrace.ingest.cache import cache_of  # noqa: PLC0415 - brings numpy, which --version must not
        from getrace.plog.scan_parallel import jobs_asked  # noqa: PLC0415 - the same
        from getrace.replay import open_store  # noqa: PLC0415 - the same

        cache = cache_of(os.environ, diagnostics.note)
        return open_store(paths, selection=selection, cache=cache, progress=pace, jobs=jobs_asked())

    return open_selected


def _start_logging(diagnostics: Diagnostics, verb: str) -> None:
    from getrace.logs import start_logging  # noqa: PLC0415 - brings structlog, which only --debug wants

    start_logging(diagnostics.writer()).info("verb called", verb=verb)


def _drop_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's last flush meets no closed pipe."""
    with contextlib.suppress(OSError):  # a stdout without a file has no pipe to close
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
