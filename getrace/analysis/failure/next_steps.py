"""What a user is told to type next, with the path and the address that this failure has.

The table of sentences serves every log, so it says ``PATH`` and ``ADDRESS``; a command with such words in it cannot be
copied. What a failure does not know stays as it is.
"""

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

from getrace.analysis.failure.addresses import Book, Note
from getrace.analysis.failure.model import Failure, Finding

_COMMAND = "getrace memory PATH --addr ADDRESS"
_ODD = frozenset({Note.GONE, Note.REUSED, Note.ALIAS})


def with_known(findings: Sequence[Finding], failure: Failure | None) -> tuple[Finding, ...]:
    """Give the same findings with commands that can be typed."""
    command = _command(failure)
    return tuple(replace(each, next_step=each.next_step.replace(_COMMAND, command)) for each in findings)


def _command(failure: Failure | None) -> str:
    spot = None if failure is None else failure.at or failure.error
    if failure is None or spot is None:
        return _COMMAND
    command = _COMMAND.replace("PATH", quote(spot.file))
    return command if failure.book is None else command.replace("ADDRESS", f"{_address(failure.book):#x}")


def _address(book: Book) -> int:
    """Choose the address to look at first: one that something is remarkable about."""
    return next((each.address for each in book.held if _ODD & set(each.notes)), book.held[0].address)
