"""Where threads meet the screen: a producer fills the store, this polls it and says how many rows there are.

Nothing is posted per event. The overview passes over whole columns, so it is asked for once in a while only.
"""

from collections.abc import Callable

from textual.message import Message

from getrace.store.store import Store
from views.tui.messages import Ended, Grew, OverviewStale

POLLS_PER_SECOND = 15
OVERVIEW_EVERY = 15
"""Polls between two overviews of a store that grows, for each 100,000 rows it has begun.

An overview looks at all rows, so a constant pace would take an ever larger part of the processor. The first comes
with the second poll, when all panes are in place."""

LARGE = 1_000_000
"""Rows from which on the first overview waits for ``TICKS_BEFORE_LARGE`` polls: it would hold the first paint up."""
TICKS_BEFORE_LARGE = 8


class Feed:
    """Polls a store. ``post`` takes the messages; ``tick`` is to be called ``POLLS_PER_SECOND`` times a second.

    ``ended`` is the verdict of a live run that is over, else None; asked before the poll, so that all rows are there
    when it is told.
    """

    def __init__(
        self, store: Store, post: Callable[[Message], object], ended: Callable[[], str | None] = lambda: None
    ) -> None:
        self._store = store
        self._post = post
        self._ended = ended
        self.verdict: str | None = None
        self._rows = 0
        self._overview_rows = -1
        self._ticks = 0
        self._next_overview = 1

    def tick(self) -> None:
        """Poll once, and report growth."""
        over = self.verdict is None and self._is_over()
        rows = self._store.poll()
        if rows != self._rows:
            if not self._rows and rows > LARGE:
                self._next_overview = TICKS_BEFORE_LARGE
            self._rows = rows
            self._post(Grew(rows))
        if over:
            self._post(Ended())
        if self._ticks >= self._next_overview and rows != self._overview_rows:
            self._overview_rows = rows
            self._next_overview = self._ticks + OVERVIEW_EVERY * (1 + rows // 100_000)
            self._post(OverviewStale(rows))
        self._ticks += 1

    def _is_over(self) -> bool:
        self.verdict = self._ended()
        return self.verdict is not None
