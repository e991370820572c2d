"""What goes upward: from the feed and the panes to the screen.

A message carries a count or a row, never a payload: two of a kind may be merged into the later one without losing
anything, and a slow terminal cannot pile them up.
"""

from textual.message import Message


class Numbered(Message):
    """A message with one number; a later one of the same kind replaces an earlier one that waits."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def can_replace(self, message: Message) -> bool:
        """Say whether this message makes a waiting one superfluous."""
        return type(message) is type(self)


class Grew(Numbered):
    """The store has ``number`` rows now."""


class Ended(Message):
    """The live run is over; the feed knows its verdict."""


class OverviewStale(Numbered):
    """The overview should be computed again, for ``number`` rows."""


class OverviewReady(Numbered):
    """A worker has computed the overview of ``number`` rows."""


class Moved(Numbered):
    """A pane wants the cursor at row ``number``."""


class SearchRan(Numbered):
    """A search has looked at ``number`` rows so far."""


class SearchEnded(Numbered):
    """A search ended at row ``number``, or at -1 without a hit."""


class PagePart(Numbered):
    """A thread has read a part of ``number`` rows for a page."""


class PageRead(Numbered):
    """A thread has read ``number`` rows for a page."""


class Listed(Numbered):
    """A thread has found the ``number`` lines of a table."""


class LaneChosen(Numbered):
    """Lane ``number`` of a timeline was chosen."""


class Stopped(Numbered):
    """Row ``number`` passed the filters where the user asked to stop."""


class ShowScreen(Numbered):
    """A page wants the screen ``number`` to be shown."""


class Chosen(Numbered):
    """A list has its line ``number`` chosen; ``pane`` is the list's id."""

    def __init__(self, number: int, pane: str) -> None:
        super().__init__(number)
        self.pane = pane


class Tell(Message):
    """A page wants a sentence in the status line."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
