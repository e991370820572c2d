"""Events: every record, and the chosen one in full."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from views.tui.keymap import bindings
from views.tui.screens.page import Page
from views.tui.widgets.detail import Detail
from views.tui.widgets.event_table import EventTable
from views.tui.widgets.line_pane import LinePane


class EventsPage(Page):
    """The table of all records above the chosen one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("events")]

    def compose(self) -> ComposeResult:
        """Place the panes."""
        here, ascii_only = EventsPage, self.settings.ascii_only
        yield EventTable(self.store, ascii_only=ascii_only).data_bind(
            here.cursor, here.total, here.overview, here.places
        )
        yield Detail(self.store, ascii_only=ascii_only).data_bind(here.cursor, here.total)

    def main_pane(self) -> LinePane:
        """Give the table."""
        return self.query_one(EventTable)
