"""Memory: live bytes over time."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from getrace.store.store import Store
from views.model.curves import Curve, memory_curve
from views.tui.keymap import bindings
from views.tui.screens.page import Page
from views.tui.widgets.memory_curve import MemoryCurve


class MemoryPage(Page):
    """The memory curve."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("memory")]
    reads = True

    def read(self, store: Store) -> Curve:
        """Read the curve."""
        return memory_curve(store)

    def compose(self) -> ComposeResult:
        """Place the pane."""
        here = MemoryPage
        yield MemoryCurve(ascii_only=self.settings.ascii_only).data_bind(here.cursor, curve=here.reading)
