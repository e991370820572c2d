"""Graphs: Init, Main and DeInit as an outline."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from views.tui.keymap import bindings
from views.tui.screens.page import Page
from views.tui.widgets.outline_tree import OutlineTree


class GraphsPage(Page):
    """The outline of runs and lowered graphs."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("graphs")]

    def compose(self) -> ComposeResult:
        """Place the pane."""
        here = GraphsPage
        yield OutlineTree(self.store, ascii_only=self.settings.ascii_only).data_bind(here.cursor, here.overview)

    def open(self) -> None:
        """Open or close the chosen line."""
        self.query_one(OutlineTree).toggle()
