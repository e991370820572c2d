"""The error of strict mode."""

from getrace.errors import ModelError


class StrictModeError(ModelError):
    """A constraint of RT2 was broken. Without strict mode the program would go on, perhaps with wrong numbers."""
