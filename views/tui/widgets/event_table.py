"""The table of all rows: a window over the store's columns."""

from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.reactive import reactive

from getrace.store.store import Store
from views.model import rows
from views.model.outline import Outline
from views.model.overview import Overview, nothing
from views.model.places import Places
from views.model.spans import Line, Span
from views.model.steps import Step, moved
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane

EMPTY = "No rows. The log is empty, or nothing has been read yet."


class EventTable(LinePane):
    """Rows ``0 .. total - 1`` of a store, the row ``cursor`` marked."""

    head = 1
    cursor: reactive[int] = reactive(0)
    total: reactive[int] = reactive(0)
    overview: reactive[Overview] = reactive(nothing, always_update=True)
    places: reactive[Places] = reactive(Places)

    def __init__(self, store: Store, *, ascii_only: bool = False) -> None:
        super().__init__("Events", pane_id="table", ascii_only=ascii_only)
        self._store = store
        self._columns: tuple[rows.Placed, ...] = ()
        self._placed_for = (0, False)

    @property
    def outline(self) -> Outline:
        """The outline that tells a row's stage."""
        return self.overview.outline

    @property
    def chosen(self) -> int:
        """The row of the cursor."""
        return self.cursor if self.total else -1

    def count(self) -> int:
        """Give the number of rows; an empty store has one line that says so."""
        return self.total or 1

    def line(self, index: int, width: int) -> Line:
        """Give the heading or a row."""
        wanted = (width, self.outline.many)
        if wanted != self._placed_for:
            self._placed_for = wanted
            self._columns = rows.choose(width, many=self.outline.many)
        if index < 0:
            return rows.heading(self._columns)
        if not self.total:
            return [Span(EMPTY, "dim")]
        return rows.cells(self._store, index, self._columns, self.outline, ascii_only=self.ascii_only)

    def move(self, step: Step) -> None:
        """Ask for another row."""
        if self.total:
            self.post_message(Moved(moved(self.cursor, self.total, self.page, step)))

    def watch_total(self) -> None:
        """Grow."""
        self.relay()

    def watch_overview(self) -> None:
        """Show the stages anew."""
        self.refresh()

    def watch_places(self) -> None:
        """Show the marks anew."""
        self.refresh()

    def sign(self, index: int) -> str:
        """Give the sign of a marked row."""
        return self.places.sign(index)

    def watch_cursor(self) -> None:
        """Keep the cursor in sight."""
        self.bring_in_sight(self.cursor)
        self.refresh()

    def on_resize(self) -> None:
        """Keep the cursor in sight when the window shrinks."""
        self.call_after_refresh(self.bring_in_sight, self.cursor)

    def on_click(self, event: Click) -> None:
        """Choose the row under the mouse."""
        place = event.get_content_offset(self)
        if place is not None and place.y >= self.head and self.total:
            self.post_message(Moved(min(place.y - self.head + self.scroll_offset.y, self.total - 1)))

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Go down by three rows, as the cursor is always in sight."""
        event.stop()
        self._by(3)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Go up by three rows."""
        event.stop()
        self._by(-3)

    def _by(self, count: int) -> None:
        if self.total:
            self.post_message(Moved(max(min(self.cursor + count, self.total - 1), 0)))
