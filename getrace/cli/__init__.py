"""The command line: the one place that knows all rooms, and imports each only when a verb needs it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from getrace.cli.answer import Opener

__all__ = ["main"]

_INTERRUPTED = 130
"""As in ``ExitCode``, which is not there yet while it is imported."""


def main(argv: Sequence[str] | None = None, opener: "Opener | None" = None) -> int:
    """Run one command line and give its exit code; see ``getrace.cli.command``.

    That is imported here: an interrupt at the very beginning would else meet nobody, and print a traceback.
    """
    try:
        from getrace.cli import command  # noqa: PLC0415 - see above
    except KeyboardInterrupt:
        return _INTERRUPTED
    return command.main(argv, opener)
