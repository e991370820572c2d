"""Exit codes, and everything that goes to standard error.

Data goes to standard output and everything else here. If verbs wrote to stderr themselves, ``--quiet`` would be a wish
and a program reading our output would meet surprises.
"""

import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import TextIO

from getrace.errors import GetraceError
from getrace.printable import printable

_PATIENCE = 1.0
_TICK = 0.5
_LINE_LIMIT = 10_000


class ExitCode(IntEnum):
    """What the shell sees."""

    FINE = 0
    FOUND = 1
    USAGE = 2
    UNREADABLE = 3
    INTERNAL = 4
    INTERRUPTED = 130


@dataclass(slots=True)
class Diagnostics:
    """The only writer of standard error. ``quiet`` drops all but errors, ``debug`` adds tracebacks and log lines."""

    quiet: bool = False
    debug: bool = False
    stream: TextIO | None = None

    def warning(self, text: str) -> None:
        """Say something the user should know although the answer stands."""
        if not self.quiet:
            self.write(f"getrace: warning: {text}\n")

    def note(self, text: str) -> None:
        """Say something by the way."""
        if not self.quiet:
            self.write(f"getrace: {text}\n")

    def failed(self, error: GetraceError) -> ExitCode:
        """Report an error that has a sentence, and give its exit code."""
        self._trace()
        self.write(f"getrace: {error.message}\n")
        if error.hint and not self.quiet:
            self.write(f"  -> {error.hint}\n")
        return ExitCode(error.exit_code)

    def broken(self, error: BaseException) -> ExitCode:
        """Report a fault of our own: one sentence; the traceback only for those who asked for it."""
        self._trace()
        said = " ".join(str(error).split())[:300]
        self.write(f"getrace: internal error: {type(error).__name__}{': ' if said else ''}{said}\n")
        if not self.debug:
            self.write("  -> this is a fault of getrace; run again with --debug for the details of a report\n")
        return ExitCode.INTERNAL

    def interrupted(self) -> ExitCode:
        """End after Ctrl-C."""
        self._trace()
        return ExitCode.INTERRUPTED

    @contextmanager
    def progress(self, label: str, how_far: Callable[[], str] = str) -> Iterator[None]:
        """Show that work goes on: on a terminal only, and only when it takes longer than a second.

        ``how_far`` is asked from another thread at each tick; what it gives stands behind the time.
        """
        if self.quiet or not self._terminal():
            yield
            return
        done = threading.Event()
        teller = threading.Thread(target=self._tell, args=(label, how_far, done), daemon=True)
        teller.start()
        try:
            yield
        finally:
            done.set()
            teller.join()

    def writer(self) -> Callable[[str], object]:
        """Give the function that log lines are written with."""
        return self.write

    def write(self, text: str) -> None:
        """Write lines to standard error, with what a terminal would obey made visible."""
        self._put("\n".join(printable(line, _LINE_LIMIT) for line in text.split("\n")))

    def _put(self, text: str) -> None:
        """Write as it stands; characters that the encoding lacks are replaced, and a closed one is no error."""
        stream = self.stream or sys.stderr
        if stream is None:  # Python's word for a descriptor that the caller closed
            return
        encoding = getattr(stream, "encoding", None) or "utf-8"
        try:
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            stream.flush()
        except OSError:  # there is no other place left to complain
            return

    def _trace(self) -> None:
        if self.debug:
            self.write(traceback.format_exc())

    def _terminal(self) -> bool:
        stream = self.stream or sys.stderr
        return stream is not None and stream.isatty()

    def _tell(self, label: str, how_far: Callable[[], str], done: threading.Event) -> None:
        waited, width = _PATIENCE, 0
        if done.wait(_PATIENCE):
            return
        while True:
            line = f"{label} … {int(waited)} s {how_far()}"
            self._put(f"\r{line:<{width}}")
            width = max(width, len(line))
            if done.wait(_TICK):
                break
            waited += _TICK
        self._put("\r" + " " * width + "\r")
