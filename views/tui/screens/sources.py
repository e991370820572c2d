"""Sources: files, what they hold, and what could not be read."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from getrace.store.store import Store
from views.model.cards import Told
from views.model.sources import SourcesReport, source_lines, sources_report
from views.tui.keymap import bindings
from views.tui.screens.card_page import CardPage
from views.tui.widgets.cards import Cards


class SourcesPage(CardPage):
    """One pane of facts; a line about a record leads to it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("sources")]

    def read(self, store: Store) -> SourcesReport:
        """Read what the sources hold."""
        return sources_report(store)

    def compose(self) -> ComposeResult:
        """Place the pane."""
        yield Cards("Sources", self._give, pane_id="sources-facts", ascii_only=self.settings.ascii_only)

    def _give(self, width: int) -> list[Told]:
        settings = self.settings
        return source_lines(self.reading, self.store, width, settings.dropped(), live=settings.live)
