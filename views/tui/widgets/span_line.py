"""One line of spans: the title, the verdict, the status."""

from collections.abc import Callable

from textual.strip import Strip
from textual.widget import Widget

from views.model.spans import Line
from views.tui.paint import strip_of


class SpanLine(Widget):
    """Shows what ``give`` says for a width, whenever it is refreshed."""

    def __init__(self, give: Callable[[int], Line], *, line_id: str) -> None:
        super().__init__(id=line_id)
        self._give = give

    def render_line(self, y: int) -> Strip:
        """Paint the line; a taller widget stays blank below it."""
        width = self.size.width
        line = self._give(width) if y == 0 else []
        return strip_of(
            line, width, self.rich_style, dark=self.app.current_theme.dark, ascii_only=self.app.has_class("-ascii")
        )
