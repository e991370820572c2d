"""A page of cards: laid out anew when something is read, and Enter goes where a line leads."""

from views.tui.messages import Moved, ShowScreen
from views.tui.screens.page import Page
from views.tui.settings import EVENTS
from views.tui.widgets.cards import Cards


class CardPage(Page):
    """Panes of cards over a reading."""

    reads = True

    def watch_reading(self) -> None:
        """Show what is read."""
        for pane in self.query(Cards):
            pane.lay()

    def open(self) -> None:
        """Go where the line leads, among the events."""
        focused = self.screen.focused
        row = focused.target if isinstance(focused, Cards) else -1
        if row >= 0:
            self.post_message(Moved(row))
            self.post_message(ShowScreen(EVENTS))
