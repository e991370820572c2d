"""Every error a user may see, one class per kind of fault, with its exit code.

An error says what happened, where, and what to do next; ``getrace.cli.diagnostics`` prints it. If rooms raised
bare exceptions instead, the command line could not tell the user's mistake from ours.

    GetraceError
    ├── UsageError      2  wrong option, value or configuration
    ├── InputError      3  a file that cannot be read, or is not what it should be
    │   ├── ChangedError  3  a file that was cut or replaced while it was read
    │   └── ModelError  3  a model that is not one, or that cannot be lowered or run
    └── InternalError   4  our own fault
"""

from typing import ClassVar


class GetraceError(Exception):
    """Base of all errors that carry a sentence for the user.

    ``message`` says what is wrong and where; ``hint`` says what to do next ("" when there is nothing to say).
    """

    exit_code: ClassVar[int] = 4

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(GetraceError):
    """The command line or the configuration is wrong."""

    exit_code = 2


class InputError(GetraceError):
    """A file is missing, unreadable, or not of a kind that getrace knows."""

    exit_code = 3


class ChangedError(InputError):
    """A file is no longer what it was when it was opened: opened again, it may be read."""


class ModelError(InputError):
    """A model cannot be built, lowered, loaded or executed."""


class InternalError(GetraceError):
    """A fault of getrace itself."""

    exit_code = 4
