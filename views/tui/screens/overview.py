"""Overview: what failed, what ran, and what the log cannot tell."""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize

from getrace.store.store import Store
from views.model.cards import Told
from views.model.summary import Summary, summaries
from views.model.summary_lines import ALL, LEFT, RIGHT, Card, card_lines
from views.tui.keymap import bindings
from views.tui.screens.card_page import CardPage
from views.tui.settings import Settings
from views.tui.widgets.cards import Cards


class OverviewPage(CardPage):
    """Cards: all in one pane, or on a large terminal in two."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("overview")]

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings)
        self._wide = False

    def readings(self, store: Store) -> Iterator[Summary]:
        """Read the store part by part."""
        return summaries(store)

    def compose(self) -> ComposeResult:
        """Place the panes."""
        ascii_only = self.settings.ascii_only
        yield Cards("Overview", self._left, pane_id="left", ascii_only=ascii_only)
        yield Cards("What ran", self._right, pane_id="right", ascii_only=ascii_only)

    def _left(self, width: int) -> list[Told]:
        return self._lines(LEFT if self._wide else ALL, width)

    def _right(self, width: int) -> list[Told]:
        return self._lines(RIGHT, width)

    def _lines(self, cards: tuple[Card, ...], width: int) -> list[Told]:
        summary = self.reading or Summary()
        return card_lines(cards, summary, self.store, width, ascii_only=self.settings.ascii_only)

    def on_resize(self, event: Resize) -> None:
        """Show two panes where there is room."""
        del event
        self._wide = self.screen.has_class("-wide")
        self.call_after_refresh(self.watch_reading)
