"""The table of rows: a window over the store's columns, through a listing of the rows that are shown."""

import numpy as np
import numpy.typing as npt
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.reactive import reactive

from getrace.store.store import Store
from views.model import rows
from views.model.deltas import Since
from views.model.listing import Listing
from views.model.outline import Outline
from views.model.overview import Overview, nothing
from views.model.places import NOWHERE, Places
from views.model.spans import Line, Span
from views.model.steps import Step, moved
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane

EMPTY = "No rows. The log is empty, or nothing has been read yet."
FILTERED = "No row passes the filters: x takes the last one away, F switches all off."


class EventTable(LinePane):
    """Rows of a store as ``listing`` orders them (None: all ``total`` rows), the row ``cursor`` marked.

    ``earlier`` gives for each row the row before it of the same operator, when differences are told to that.
    """

    head = 1
    cursor: reactive[int] = reactive(0)
    total: reactive[int] = reactive(0)
    overview: reactive[Overview] = reactive(nothing, always_update=True)
    places: reactive[Places] = reactive(Places)
    listing: reactive[Listing | None] = reactive(None, always_update=True)
    keys: reactive[tuple[str, ...]] = reactive(rows.LAYOUTS["usual"])
    since: reactive[Since] = reactive(Since.LINE)

    def __init__(self, store: Store, *, ascii_only: bool = False) -> None:
        super().__init__("Events", pane_id="table", ascii_only=ascii_only)
        self._store = store
        self._columns: tuple[rows.Placed, ...] = ()
        self._placed_for: tuple[int, bool, tuple[str, ...]] = (0, False, ())
        self.earlier: npt.NDArray[np.int32] | None = None

    @property
    def outline(self) -> Outline:
        """The outline that tells a row's stage."""
        return self.overview.outline

    @property
    def shown(self) -> Listing:
        """The listing, or that of all rows."""
        return self.listing or Listing(self.total)

    @property
    def chosen(self) -> int:
        """The line of the cursor."""
        return self.shown.line(self.cursor) if self.shown.lines else -1

    def count(self) -> int:
        """Give the number of lines; a table without any has one that says so."""
        return self.shown.lines or 1

    def line(self, index: int, width: int) -> Line:
        """Give the heading or a row."""
        wanted = (width, self.outline.many, self.keys)
        if wanted != self._placed_for:
            self._placed_for = wanted
            self._columns = rows.choose(width, many=self.outline.many, keys=self.keys)
        if index < 0:
            return rows.heading(self._columns, self.since)
        shown = self.shown
        if not shown.lines:
            return [Span(FILTERED if self.total else EMPTY, "dim")]
        row = shown.row(index)
        look = rows.Look(
            outline=self.outline,
            before=self._before(row, index),
            times=shown.times(index),
            faint=not shown.is_hit(row),
            ascii_only=self.ascii_only,
        )
        return rows.cells(self._store, row, self._columns, look)

    def _before(self, row: int, index: int) -> int:
        if self.since is Since.MARKER:
            return self.places.markers[0]
        if self.since is Since.OPERATOR:
            return int(self.earlier[row]) if self.earlier is not None and row < len(self.earlier) else NOWHERE
        return self.shown.row(index - 1) if index else NOWHERE

    def sign(self, index: int) -> str:
        """Give the sign of a marked row."""
        return self.places.sign(self.shown.row(index)) if self.shown.lines else ""

    def move(self, step: Step) -> None:
        """Ask for another row."""
        if self.shown.lines:
            self._ask(moved(self.chosen, self.shown.lines, self.page, step))

    def watch_total(self) -> None:
        """Grow."""
        if self.listing is None:
            self.relay()

    def watch_listing(self) -> None:
        """Show other rows, the cursor where it was."""
        self.relay()
        self.bring_in_sight(max(self.chosen, 0))

    def watch_overview(self) -> None:
        """Show the stages anew."""
        self.refresh()

    def watch_places(self) -> None:
        """Show the marks anew."""
        self.refresh()

    def watch_keys(self) -> None:
        """Show other columns."""
        self.refresh()

    def watch_since(self) -> None:
        """Tell other differences."""
        self.refresh()

    def watch_cursor(self, before: int, now: int) -> None:
        """Keep the cursor in sight; where nothing scrolls, two lines are painted and not the page."""
        top = self.scroll_offset.y
        self.bring_in_sight(max(self.chosen, 0))
        if top == self.scroll_offset.y and self.since is not Since.MARKER:
            for row in (before, now):
                self.refresh_line(self.shown.line(row) + self.head)
        else:
            self.refresh()

    def on_resize(self) -> None:
        """Keep the cursor in sight when the window shrinks."""
        self.call_after_refresh(lambda: self.bring_in_sight(max(self.chosen, 0)))

    def on_click(self, event: Click) -> None:
        """Choose the row under the mouse."""
        place = event.get_content_offset(self)
        if place is not None and place.y >= self.head and self.shown.lines:
            self._ask(min(place.y - self.head + self.scroll_offset.y, self.shown.lines - 1))

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Go down by three rows, as the cursor is always in sight."""
        event.stop()
        self._by(3)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Go up by three rows."""
        event.stop()
        self._by(-3)

    def _by(self, count: int) -> None:
        if self.shown.lines:
            self._ask(max(min(self.chosen + count, self.shown.lines - 1), 0))

    def _ask(self, line: int) -> None:
        self.post_message(Moved(self.shown.row(line)))
