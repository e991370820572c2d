"""Streams: what each stream did, and when."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from getrace.store.store import Store
from views.model.lanes import Lanes, lanes_of
from views.tui.keymap import bindings
from views.tui.screens.page import Page
from views.tui.widgets.stream_lanes import StreamLanes


class StreamsPage(Page):
    """A lane for each stream."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("streams")]
    reads = True

    def read(self, store: Store) -> Lanes:
        """Read the lanes."""
        return lanes_of(store)

    def compose(self) -> ComposeResult:
        """Place the pane."""
        here = StreamsPage
        yield StreamLanes(self.store, ascii_only=self.settings.ascii_only).data_bind(here.cursor, lanes=here.reading)
