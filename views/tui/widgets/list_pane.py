"""A pane for any listing: columns under their titles, one line chosen, which may lead to a row."""

from textual.events import Click

from views.model.spans import Line
from views.model.steps import Step, moved
from views.model.table import Head, Table
from views.tui.messages import Chosen, Moved
from views.tui.widgets.line_pane import LinePane

_NONE = Table((Head(""),), 0, lambda _: (), empty="Reading ...")


class ListPane(LinePane):
    """Shows a ``Table``. ``leads`` says that choosing a line takes the cursor to its row; else Enter does."""

    head = 1

    def __init__(self, title: str, *, pane_id: str, leads: bool = True, ascii_only: bool = False) -> None:
        super().__init__(title, pane_id=pane_id, ascii_only=ascii_only)
        self.listing = _NONE
        self.leads = leads
        self._place = 0

    @property
    def chosen(self) -> int:
        """The chosen line."""
        return self._place if self.listing.count else -1

    def count(self) -> int:
        """Give the number of lines; an empty list says why it is empty."""
        return self.listing.lines(self.width)

    def line(self, index: int, width: int) -> Line:
        """Give the titles or a line."""
        return self.listing.heading(width) if index < 0 else self.listing.line(index, width)

    def show(self, listing: Table, *, place: int | None = None) -> None:
        """Show another listing; ``place`` chooses a line, otherwise the choice stays where it was."""
        self.listing = listing
        self.relay()
        self.choose(self._place if place is None else place)

    def choose(self, place: int) -> None:
        """Choose a line and bring it in sight; nothing is asked of the cursor."""
        self._place = max(min(place, self.listing.count - 1), 0)
        self.bring_in_sight(self._place)
        self.refresh()

    def move(self, step: Step) -> None:
        """Choose another line."""
        if not self.listing.count:
            return
        self.choose(moved(self._place, self.listing.count, self.page, step))
        self._told()

    def go(self) -> None:
        """Take the cursor to the row of the chosen line."""
        row = self.listing.row(self.chosen)
        if row >= 0:
            self.post_message(Moved(row))

    def on_click(self, event: Click) -> None:
        """Choose the line under the mouse."""
        place = event.get_content_offset(self)
        if place is not None and place.y >= self.head and self.listing.count:
            self.choose(place.y - self.head + self.scroll_offset.y)
            self._told()

    def _told(self) -> None:
        if self.leads:
            self.go()
        self.post_message(Chosen(self._place, self.id or ""))
