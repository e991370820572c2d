"""The search bar: one line to type a pattern in, and the search itself, in a thread of its own."""

import re

from textual import on, work
from textual.widgets import Input
from textual.worker import get_current_worker

from getrace.errors import UsageError
from getrace.printable import printable
from getrace.store.store import Store
from views.model.find import Progress, compile_pattern, search
from views.model.spans import Span
from views.tui.messages import Moved, SearchEnded, SearchRan


class SearchBar(Input):
    """Hidden until it is asked for (class ``-searching`` of the screen).

    Says ``SearchRan`` and ``SearchEnded``; ``notice`` is what to tell the user.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(
            placeholder="regular expression   Enter keeps the hit   Esc goes back", compact=True, id="search"
        )
        self._store = store
        self._pattern: re.Pattern[str] | None = None
        self._origin = 0
        self.notice: Span | None = None
        self.cursor_blink = False
        self.can_focus = False

    @property
    def is_open(self) -> bool:
        """Whether the bar is on the screen."""
        return self.can_focus

    def show(self, row: int) -> None:
        """Appear, empty, and take the keys; the search will start at ``row``."""
        self._origin = row
        self.can_focus = True
        self.screen.add_class("-searching")
        self.value = ""
        self.focus()

    def hide(self, *, back: bool) -> None:
        """Disappear; ``back`` gives the search up and returns to where it started."""
        self.can_focus = False
        self.screen.remove_class("-searching")
        if back:
            self.workers.cancel_group(self, "search")
            self.notice = None
            self.post_message(Moved(self._origin))

    def look(self, row: int, direction: int) -> None:
        """Look for the last pattern from ``row`` on, in a direction."""
        if self._pattern is None:
            self._tell(Span("nothing to search for yet: press /", "note"))
        elif self._store.rows:
            self._look(self._pattern, row % self._store.rows, direction)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if not event.value or not self.is_open:
            return
        try:
            self._pattern = compile_pattern(event.value)
        except UsageError as error:
            self._tell(Span(error.message, "bad"))
            return
        self.look(self._origin, 1)

    @work(thread=True, exclusive=True, group="search")
    def _look(self, pattern: re.Pattern[str], start: int, direction: int) -> None:
        worker = get_current_worker()
        progress = Progress(0, 0, -1, wrapped=False)
        for progress in search(self._store, pattern, start, direction):
            if worker.is_cancelled:
                return
            self._tell(Span(f"searching {progress.seen * 100 // progress.total}%", "note"), progress.seen)
        self.notice = _outcome(pattern, progress)
        self.post_message(SearchEnded(progress.row))

    def _tell(self, notice: Span, seen: int = 0) -> None:
        self.notice = notice
        self.post_message(SearchRan(seen))


def _outcome(pattern: re.Pattern[str], progress: Progress) -> Span | None:
    if progress.row < 0:
        return Span(f"no line matches {printable(pattern.pattern, 60)}", "bad")
    return Span("went around the end of the log", "note") if progress.wrapped else None
