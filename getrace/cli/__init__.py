"""The command line: the one place that knows all rooms, and imports each only when a verb needs it."""

from getrace.cli.command import main

__all__ = ["main"]
