"""A graph as an image, over the whole screen: more room than a pane has, and no other pane to paint around it."""

import io
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from getrace.dumps.snapshot import GraphSnapshot
from getrace.errors import GetraceError
from views.model.spans import Line, Span
from views.tui.background import Failed, in_background
from views.tui.images import Shown, png_of
from views.tui.messages import Numbered
from views.tui.widgets.span_line import SpanLine


class Drawn(Numbered):
    """The image is there, with ``number`` bytes."""


class ImageScreen(ModalScreen[str]):
    """Draws a graph in a thread and shows it. Gives "" when it is closed, or why it could not be drawn."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape,i,enter", "close", show=False)]

    def __init__(self, snapshot: GraphSnapshot, title: str, shown: Shown) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._title = title
        self._shown = shown
        self._png = b""
        self._trouble = ""

    def compose(self) -> ComposeResult:
        """Place the line above the image."""
        yield SpanLine(self._line, line_id="image-title")

    def on_mount(self) -> None:
        """Begin to draw."""
        in_background(self, self._draw)

    def action_close(self) -> None:
        """Go back to the characters."""
        self.dismiss("")

    def _draw(self) -> None:
        try:
            self._png = png_of(self._snapshot)
        except GetraceError as error:
            self._trouble = error.message
        self.post_message(Drawn(len(self._png)))

    @on(Drawn)
    def _drawn(self) -> None:
        if self._trouble:
            self.dismiss(self._trouble)
            return
        self.query_one(SpanLine).refresh()
        self.mount(self._shown(io.BytesIO(self._png)))

    @on(Failed)
    def _failed(self, message: Failed) -> None:
        raise message.error

    def _line(self, width: int) -> Line:
        del width
        state = "q goes back" if self._png else "is drawn ..."
        return [Span(f" {self._title}  ", "heading"), Span(state, "dim")]
