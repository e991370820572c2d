"""The base of the eight screens: one part of the frame, shown alone.

A page has panes and, where they need more than rows, a reading: one value that a thread computes from the whole store
and the panes show. If each page ran its own threads, two of them would disagree about how far the log was read.
Only the page in sight is told of the cursor and of new rows; the others catch up when they are shown.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from textual import on
from textual.containers import Container
from textual.reactive import reactive

from getrace.store.store import Store
from views.model.overview import Overview, nothing
from views.model.places import Places
from views.model.steps import Step
from views.tui.background import Failed, in_background
from views.tui.messages import PagePart, PageRead
from views.tui.settings import Settings
from views.tui.widgets.line_pane import LinePane


class Page(Container):
    """A screen of the frame. The frame sets the reactives of the page in sight; panes bind to them.

    ``reads`` says that the page has a reading; ``reading`` is the newest one, of what ``read`` gives, computed for
    ``read_rows`` rows, or None before the first.
    """

    reads: ClassVar[bool] = False

    cursor: reactive[int] = reactive(0, init=False)
    total: reactive[int] = reactive(0, init=False)
    overview: reactive[Overview] = reactive(nothing, init=False, always_update=True)
    places: reactive[Places] = reactive(Places, init=False)
    reading: reactive[Any] = reactive(None, init=False, always_update=True)

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__()
        self.store = store
        self.settings = settings
        self.read_rows = 0
        self._busy = False
        self._fresh: Any = None

    def read(self, store: Store) -> Any:
        """Compute the reading; runs in a thread, so it may only look at the store. See ``reads``."""
        del store
        return None

    def readings(self, store: Store) -> Iterator[Any]:
        """Compute the reading in parts, each holding those before it; one part unless a page has several."""
        yield self.read(store)

    @property
    def panes(self) -> list[LinePane]:
        """The panes that can have the focus now, in the order of Tab."""
        return [
            pane
            for pane in self.query(".pane").results()
            if isinstance(pane, LinePane) and pane.display and pane.can_focus
        ]

    @property
    def is_read(self) -> bool:
        """Whether the reading is that of all rows."""
        return not self.reads or self.read_rows == self.total

    def main_pane(self) -> LinePane | None:
        """Give the pane that takes the keys when the page is shown."""
        panes = self.panes
        return panes[0] if panes else None

    def next_pane(self, step: int) -> None:
        """Give the focus to the next (1) or previous (-1) pane."""
        panes = self.panes
        if panes:
            here = next((place for place, pane in enumerate(panes) if pane is self.screen.focused), 0)
            panes[(here + step) % len(panes)].focus()

    def move(self, step: Step) -> None:
        """Move in the pane that has the focus."""
        focused = self.screen.focused
        pane = focused if isinstance(focused, LinePane) else self.main_pane()
        if pane is not None:
            pane.move(step)

    def commands(self) -> list[tuple[str, str]]:
        """Give what the palette can do beside the keys: (words, textual's action), as things stand now."""
        return []

    def kept(self) -> dict[str, Any]:
        """Give what this screen wants back when the log is opened again: values of JSON, empty for nothing."""
        return {}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Take back what ``kept`` gave in another run; called before the page is on the screen."""

    def open(self) -> None:
        """Open or close what the focused pane is at; a page without such lines does nothing."""

    def read_again(self) -> None:
        """Read the store anew when it has grown since; one reading at a time, over a huge store they are long."""
        if self.reads and not self._busy and self.total and self.read_rows != self.total:
            self._busy = True
            in_background(self, self._read)

    def _read(self) -> None:
        rows = self.store.rows
        for part in self.readings(self.store):
            if not self.is_attached:
                return
            self._fresh = part
            self.post_message(PagePart(rows))
        self.post_message(PageRead(rows))

    @on(Failed)
    def _reading_failed(self, message: Failed) -> None:
        raise message.error

    @on(PagePart)
    def _part_read(self, message: PagePart) -> None:
        message.stop()
        self.reading = self._fresh

    @on(PageRead)
    def _all_read(self, message: PageRead) -> None:
        message.stop()
        self._busy = False
        self.read_rows = message.number
